// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURL is the maximum length of a file URL, in bytes.
const MaxURL = 2048

// FileURL holds the address of a PDF: the URL of a partner, or an uploaded file. The query of a signed URL is a credential, so
// every printed form of a FileURL, including logs and errors, redacts the query. Only
// [FileURL.Reveal] returns it.
type FileURL struct{ raw string }

// ParseFileURL validates the syntax of a URL; the fetch rejects forbidden addresses
// when it dials. The error is a sentence for the partner.
func ParseFileURL(text string, allowHTTP bool) (FileURL, error) {
	switch {
	case text == "":
		return FileURL{}, errors.New("must not be empty")
	case len(text) > MaxURL:
		return FileURL{}, fmt.Errorf("must be at most %d bytes long; it has %d", MaxURL, len(text))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return FileURL{}, errors.New("must not have white space or control characters")
	}
	u, err := url.Parse(text)
	if err != nil {
		// The parser's error would contain the URL.
		return FileURL{}, errors.New("must be a valid URL")
	}
	switch {
	case u.Scheme != "https" && !allowHTTP:
		return FileURL{}, errors.New("must be an https URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return FileURL{}, errors.New("must be an http or https URL")
	case u.Opaque != "" || u.Hostname() == "":
		return FileURL{}, errors.New("must name a host")
	case u.User != nil:
		return FileURL{}, errors.New("must not have a user name or password")
	case strings.Contains(text, "#"):
		return FileURL{}, errors.New("must not have a fragment")
	}
	return FileURL{raw: text}, nil
}

// uploadScheme begins a FileURL that is the id of an uploaded file. [ParseFileURL] rejects it.
const uploadScheme = "upload:"

// UploadedFile returns the FileURL of an uploaded file.
func UploadedFile(id string) FileURL { return FileURL{raw: uploadScheme + id} }

// FileID returns the id of an uploaded file; empty for the URL of a partner.
func (f FileURL) FileID() string {
	id, uploaded := strings.CutPrefix(f.raw, uploadScheme)
	if !uploaded {
		return ""
	}
	return id
}

// Reveal returns the complete URL. Only the fetch may call it, and responses to the owner
// after [FileURL.WithoutQuery].
func (f FileURL) Reveal() string { return f.raw }

// WithoutQuery returns the URL without its query, which may be a credential.
func (f FileURL) WithoutQuery() FileURL {
	raw, _, _ := strings.Cut(f.raw, "?")
	return FileURL{raw: raw}
}

// Name returns the name of the PDF at the end of the URL, or "". Other ends may be credentials, which
// readers of a shared report must not see.
func (f FileURL) Name() string {
	u, err := url.Parse(f.raw)
	if err != nil || f.FileID() != "" {
		return ""
	}
	if name := path.Base(u.Path); strings.EqualFold(path.Ext(name), ".pdf") {
		return name
	}
	return ""
}

// IsZero reports whether the URL is empty, as after a purge.
func (f FileURL) IsZero() bool { return f.raw == "" }

// Equal reports whether both URLs are identical.
func (f FileURL) Equal(other FileURL) bool { return f.raw == other.raw }

// String returns the URL without user information and with a redacted query.
func (f FileURL) String() string {
	if f.raw == "" {
		return ""
	}
	u, err := url.Parse(f.raw)
	if err != nil {
		return "[redacted]"
	}
	query := u.RawQuery != ""
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	if query {
		return u.String() + "?[redacted]"
	}
	return u.String()
}

// GoString redacts %#v like %v.
func (f FileURL) GoString() string { return fmt.Sprintf("jobs.FileURL(%q)", f.String()) }

// LogValue implements [slog.LogValuer].
func (f FileURL) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalText returns the redacted form, which JSON uses too.
func (f FileURL) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Value implements [driver.Valuer]. The database stores the complete URL until the job
// ends, because a worker needs it.
func (f FileURL) Value() (driver.Value, error) { return f.raw, nil }

// Scan implements [database/sql.Scanner] for values of [FileURL.Value].
func (f *FileURL) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("file url: a %T in the database", stored)
	}
	f.raw = text
	return nil
}
