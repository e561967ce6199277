// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Lifecycle announces the deprecation of a route. The zero value belongs to a route that is not
// deprecated.
type Lifecycle struct {
	// Deprecated is the time from which new clients should not use the route.
	Deprecated time.Time
	// Sunset is the time from which the route may be removed; not before Deprecated.
	Sunset time.Time
	// Notice is the URL of the announcement. Successor is the URL of the replacement and may
	// be empty.
	Notice, Successor string
}

// lifecycleFields holds the header fields of every response of such a route.
type lifecycleFields struct{ deprecation, sunset, link []string }

// fields returns the fields of RFC 9745 and RFC 8594; nil for the zero value.
func (l Lifecycle) fields() *lifecycleFields {
	if l.Deprecated.IsZero() {
		return nil
	}
	f := &lifecycleFields{
		deprecation: []string{"@" + strconv.FormatInt(l.Deprecated.Unix(), 10)},
		sunset:      []string{l.Sunset.UTC().Format(http.TimeFormat)},
		link:        []string{"<" + l.Notice + `>; rel="deprecation"`},
	}
	if l.Successor != "" {
		f.link = append(f.link, "<"+l.Successor+`>; rel="successor-version"`)
	}
	return f
}

// announcing keeps the fields in a response whose handler sets its own Link. The response then
// has both links.
type announcing struct {
	http.ResponseWriter
	fields *lifecycleFields
	begun  bool
}

// Unwrap serves http.ResponseController and respond.Of.
func (a *announcing) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *announcing) WriteHeader(status int) {
	a.begin()
	a.ResponseWriter.WriteHeader(status)
}

func (a *announcing) Write(body []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(body)
}

func (a *announcing) begin() {
	if a.begun {
		return
	}
	a.begun = true
	if links := a.Header()["Link"]; !slices.Contains(links, a.fields.link[0]) {
		a.Header()["Link"] = append(slices.Clone(links), a.fields.link...)
	}
}
