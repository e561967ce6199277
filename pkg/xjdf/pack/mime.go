// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"net/textproto"
	"strings"
)

// mostHeader bounds the header of a MIME body, in bytes.
const mostHeader = 8 << 10

// isMIME reports whether bytes begin with the header of a multipart body.
func isMIME(body []byte) bool {
	start := strings.ToLower(string(body[:min(len(body), mostHeader)]))
	for _, header := range []string{"mime-version:", "content-type:"} {
		if strings.HasPrefix(start, header) {
			return strings.Contains(start, "multipart/")
		}
	}
	return false
}

// WithHeader returns a multipart body that [Read] reads: it begins with the Content-Type with
// which HTTP sent the body.
func WithHeader(contentType string, body []byte) []byte {
	return append([]byte("Content-Type: "+contentType+"\r\n\r\n"), body...)
}

// mime reads a multipart body with its header.
func (r *reader) mime(body []byte) error {
	message, err := mail.ReadMessage(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || parameters["boundary"] == "" {
		return fmt.Errorf("%w: the Content-Type is not multipart with a boundary", ErrFormat)
	}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF { // other errors wrap io.EOF: the body ends before its last boundary
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
		if err := r.part(part); err != nil {
			return err
		}
	}
}

// part reads one part. Documents refer to it by its Content-ID (RFC 2392), and to an
// attachment of a form by the name of its file (9.10.4.2).
func (r *reader) part(part *multipart.Part) error {
	file := part.FileName()
	name := ""
	if id := strings.Trim(part.Header.Get("Content-ID"), "<> "); id != "" {
		name = "cid:" + id
	} else if part.FormName() == formAttachment {
		name = file
	}
	if err := r.entry(name); err != nil {
		return err
	}
	if file != "" && !local(file) {
		return fmt.Errorf("%w: %.80q leaves the package", ErrName, file)
	}
	if !isDocumentType(part.Header) && !isDocument(file) && part.FormName() != formMessage {
		return nil // NextPart skips it
	}
	var content io.Reader = part
	if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") {
		content = base64.NewDecoder(base64.StdEncoding, part)
	}
	text, err := io.ReadAll(io.LimitReader(content, int64(r.limits.Document.Bytes)+1))
	label := name
	if label == "" {
		label = file
	}
	if label == "" {
		label = part.FormName()
	}
	if label == "" {
		label = fmt.Sprintf("part %d", r.entries)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %.80q: %w", ErrFormat, label, err)
	case len(text) > r.limits.Document.Bytes:
		return fmt.Errorf("%w: %.80q has more than %d bytes", ErrLimit, label, r.limits.Document.Bytes)
	}
	return r.document(label, text)
}

// isDocumentType reports whether the media type of a part is that of a document.
func isDocumentType(header textproto.MIMEHeader) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return false
	}
	family, encoding, _ := strings.Cut(kind, "+")
	switch family {
	case "application/vnd.cip4-xjdf", "application/vnd.cip4-xjmf", "application/vnd.cip4-printtalk":
		return encoding == "xml" || encoding == "json"
	default:
		return false
	}
}
