// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURL bounds a file URL, in bytes.
const MaxURL = 2048

// FileURL is where a PDF lies. The query of a signed URL is a credential, so
// every printed form of a FileURL, in logs and errors too, leaves it out;
// only [FileURL.Reveal] has it.
type FileURL struct{ raw string }

// ParseFileURL checks a URL by itself; which addresses are refused is decided
// when they are dialled. The error is a sentence for the partner.
func ParseFileURL(text string, allowHTTP bool) (FileURL, error) {
	switch {
	case text == "":
		return FileURL{}, errors.New("must not be empty")
	case len(text) > MaxURL:
		return FileURL{}, fmt.Errorf("must be at most %d bytes long; it has %d", MaxURL, len(text))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, spaceOrControl):
		return FileURL{}, errors.New("must not have white space or control characters")
	}
	u, err := url.Parse(text)
	if err != nil {
		// The parser's error quotes the URL.
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

func spaceOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// Reveal is the whole URL, for the fetch alone.
func (f FileURL) Reveal() string { return f.raw }

// WithoutQuery returns the URL without its query, which may be a credential.
func (f FileURL) WithoutQuery() FileURL {
	raw, _, _ := strings.Cut(f.raw, "?")
	return FileURL{raw: raw}
}

// IsZero reports whether there is no URL; that of a purged job is erased.
func (f FileURL) IsZero() bool { return f.raw == "" }

// Equal reports whether both are the same URL.
func (f FileURL) Equal(other FileURL) bool { return f.raw == other.raw }

// String is the URL without user information, and with its query redacted.
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

// GoString keeps %#v as quiet as %v.
func (f FileURL) GoString() string { return fmt.Sprintf("jobs.FileURL(%q)", f.String()) }

// LogValue implements [slog.LogValuer].
func (f FileURL) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalText writes the redacted form, in JSON too.
func (f FileURL) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Value implements [driver.Valuer]: a database keeps the whole URL until the job ends,
// because a worker needs it.
func (f FileURL) Value() (driver.Value, error) { return f.raw, nil }

// Scan implements [database/sql.Scanner] for what [FileURL.Value] stored.
func (f *FileURL) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("file url: a %T in the database", stored)
	}
	f.raw = text
	return nil
}
