// SPDX-License-Identifier: Apache-2.0

package respond

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// JSON responds with a value as application/json. If the value cannot be encoded, it returns
// an error and writes nothing.
func JSON(w http.ResponseWriter, status int, value any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	Bytes(w, status, "application/json", body.Bytes())
	return nil
}

// Bytes responds with an encoded body.
func Bytes(w http.ResponseWriter, status int, mediaType string, body []byte) {
	// The names are canonical, and one allocation holds both values.
	values := [...]string{mediaType, strconv.Itoa(len(body))}
	header := w.Header()
	header["Content-Type"], header["Content-Length"] = values[:1:1], values[1:]
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// NotModified sets the strong entity tag and responds with 304 if the client has this
// version already. It reports whether it did.
func NotModified(w http.ResponseWriter, r *http.Request, etag string) bool {
	if !Revalidate(w, r, etag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// Revalidate sets the strong entity tag and reports whether the request's If-None-Match
// contains it (RFC 9110, section 13.1.2).
func Revalidate(w http.ResponseWriter, r *http.Request, etag string) bool {
	w.Header().Set("ETag", etag)
	for _, field := range r.Header.Values("If-None-Match") {
		for candidate := range strings.SplitSeq(field, ",") {
			// If-None-Match requires the weak comparison.
			candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
			if candidate == etag || candidate == "*" {
				return true
			}
		}
	}
	return false
}
