// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The headers of a callback, as net/http writes them.
const (
	HeaderSender    = "X-Xjmf-Sender"
	HeaderTimestamp = "X-Xjmf-Timestamp"
	HeaderSignature = "X-Xjmf-Signature"
)

// Header is the name of a header: as net/http and as the interface specification
// writes it.
type Header struct{ Canonical, Written string }

// Headers returns the headers in the order in which they are shown.
func Headers() [3]Header {
	return [...]Header{{HeaderSender, "X-XJMF-Sender"}, {HeaderTimestamp, "X-XJMF-Timestamp"}, {HeaderSignature, "X-XJMF-Signature"}}
}

// Sign returns the headers of a callback.
func Sign(scheme credential.SignatureScheme, secret credential.Secret, sender, timestamp string, body []byte) http.Header {
	headers := http.Header{}
	headers.Set(HeaderSender, sender)
	headers.Set(HeaderTimestamp, timestamp)
	headers.Set(HeaderSignature, credential.Sign(scheme, secret, timestamp, body))
	return headers
}

// MediaType returns the media type of a callback by its first bytes.
func MediaType(body []byte) string {
	if xjdf.IsXML(body) {
		return "application/vnd.cip4-xjmf+xml"
	}
	return "application/vnd.cip4-xjmf+json"
}

// Accepted reports whether a response accepts every message of a callback.
func Accepted(status int, body []byte) bool {
	if status != http.StatusOK {
		return false
	}
	document, err := xjdf.Parse(body, xjdf.Limits{})
	if err != nil {
		return false
	}
	for _, response := range document.Root.Children {
		if code, found := response.Attr("ReturnCode"); found && code != "0" {
			return false
		}
	}
	return document.Root.Name.Local == "XJMF"
}

// Callback is a callback with the terms of its check.
type Callback struct {
	Headers http.Header
	Body    []byte
	Scheme  credential.SignatureScheme
	Secret  credential.Secret
	// Now is the time of the check; timestamps may differ from it by Window.
	Now    time.Time
	Window time.Duration
}

// Diagnose checks the parts of a callback as the API does.
func Diagnose(c Callback) []credential.SignedPart {
	return []credential.SignedPart{
		{Name: "sender", Fault: missing(c.Headers, HeaderSender)},
		{Name: "signature", Fault: signatureFault(c.Headers, c.Scheme, c.Secret, c.Body)},
		{Name: "timestamp", Fault: timestampFault(c.Headers, c.Now, c.Window)},
		{Name: "body", Fault: bodyFault(c.Body, c.Now)},
	}
}

// missing reports a header that does not occur exactly once.
func missing(headers http.Header, name string) string {
	for _, header := range Headers() {
		if n := len(headers.Values(name)); header.Canonical == name && n != 1 {
			return fmt.Sprintf("the request has %d headers %s instead of one", n, header.Written)
		}
	}
	if headers.Get(name) == "" {
		return "the header is empty"
	}
	return ""
}

// timestampFault checks that the timestamp is within the window around now.
func timestampFault(headers http.Header, now time.Time, window time.Duration) string {
	if fault := missing(headers, HeaderTimestamp); fault != "" {
		return fault
	}
	stamp, err := credential.ParseTimestamp(headers.Get(HeaderTimestamp))
	if err != nil {
		return err.Error()
	}
	return stamp.Outside(now, window)
}

// signatureFault checks the signature, and tries the usual mistakes of senders to explain
// a wrong one.
func signatureFault(headers http.Header, scheme credential.SignatureScheme, secret credential.Secret, body []byte) string {
	if fault := missing(headers, HeaderSignature); fault != "" {
		return fault
	}
	given, timestamp := headers.Get(HeaderSignature), headers.Get(HeaderTimestamp)
	fits := func(scheme credential.SignatureScheme, header string, body []byte) bool {
		return credential.VerifySignature(scheme, []credential.Secret{secret}, header, timestamp, body)
	}
	if fits(scheme, given, body) {
		return ""
	}
	for _, other := range credential.SignatureSchemes() {
		if other != scheme && fits(other, given, body) {
			return fmt.Sprintf("the signature has the scheme %s instead of %s", other, scheme)
		}
	}
	switch trimmed := bytes.TrimRight(body, "\r\n"); {
	case fits(scheme, "sha256="+strings.TrimPrefix(strings.ToLower(given), "sha256="), body):
		return "write the signature as sha256= and lower-case hexadecimal digits"
	case fits(scheme, given, trimmed):
		return "the signature is of the body without its final line break"
	case fits(scheme, given, append(bytes.Clone(trimmed), '\n')):
		return "the signature is of the body with an additional line break"
	case len(given) != credential.SignatureLen || !strings.HasPrefix(given, "sha256="):
		return "the value is not sha256= and 64 hexadecimal digits"
	default:
		return "the signature is of another body or another secret"
	}
}

// bodyFault reads a body as the API does.
func bodyFault(body []byte, now time.Time) string {
	document, err := xjdf.Parse(body, xjdf.Limits{})
	if err != nil {
		return err.Error()
	}
	_, err = Read(document, now, DefaultHorizon())
	var invalid *InvalidError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &invalid):
		return err.Error()
	}
	var faults []string
	for _, v := range invalid.Violations {
		text := fmt.Sprintf("line %d, %s: %s", v.Place.Line, v.Place.XPath, v.Detail)
		if v.Suggestion != "" {
			text += ": " + v.Suggestion
		}
		faults = append(faults, text)
	}
	if invalid.More > 0 {
		faults = append(faults, fmt.Sprintf("and %d more", invalid.More))
	}
	return strings.Join(faults, "; ")
}
