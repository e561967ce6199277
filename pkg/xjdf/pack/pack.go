// SPDX-License-Identifier: Apache-2.0

// Package pack reads and writes packages: a ZIP file (XJDF 2.2, 9.7) or a MIME multipart body
// that holds documents together with the files to which they refer.
//
// [WriteZIP] and [WriteForm] write the two packages of the standard: a message in XML with
// its files is a ZIP file, a message in JSON a multipart/form-data body (9.10.4.2).
//
// A package comes from another system and is hostile until proven otherwise. Read bounds
// the number of entries, the bytes of each and of all, and how much a ZIP entry expands.
// It rejects names that leave the package, encrypted entries and names that are there
// twice. It decompresses documents only, in memory: it writes no files, and it does not
// open the other files of a package.
//
// [Results] validates the documents of files and packages, and reports the findings of all of them
// as text, as JSON or as SARIF.
package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The reasons for rejecting a package.
var (
	// ErrFormat means that the bytes are neither a ZIP file nor a MIME body.
	ErrFormat = errors.New("not a readable package")
	// ErrLimit means that the package exceeds a limit.
	ErrLimit = errors.New("the package exceeds a limit")
	// ErrName means that the name of an entry is invalid, too long, leaves the package or is
	// there twice.
	ErrName = errors.New("invalid name of an entry")
	// ErrEncrypted means that an entry is encrypted (9.7.1.4).
	ErrEncrypted = errors.New("an entry is encrypted")
	// ErrEmpty means that the package holds no document.
	ErrEmpty = errors.New("the package holds no document")
)

// Limits bound a package. A limit of zero selects that of DefaultLimits.
type Limits struct {
	// Bytes is the size of the package, Entries the number of its entries.
	Bytes   int
	Entries int
	// Documents is the number of documents, Expanded the size of all together.
	Documents, Expanded int
	// Ratio is the largest expansion of a document, beyond its first 64 KiB.
	Ratio int
	// Document bounds each document.
	Document xjdf.Limits
}

// DefaultLimits suit job tickets with their files.
var DefaultLimits = Limits{Bytes: 256 << 20, Entries: 2000, Documents: 100, Expanded: 32 << 20, Ratio: 100, Document: xjdf.DefaultLimits}

func (l Limits) orDefault() Limits {
	set := func(value *int, fallback int) {
		if *value <= 0 {
			*value = fallback
		}
	}
	set(&l.Bytes, DefaultLimits.Bytes)
	set(&l.Entries, DefaultLimits.Entries)
	set(&l.Documents, DefaultLimits.Documents)
	set(&l.Expanded, DefaultLimits.Expanded)
	set(&l.Ratio, DefaultLimits.Ratio)
	set(&l.Document.Bytes, xjdf.DefaultLimits.Bytes)
	return l
}

// Package is a package that was read.
type Package struct {
	Documents []Document
	// Files are the names by which documents refer to the entries: paths from the root
	// of a ZIP file, "cid:" and the Content-ID of a MIME part, the file names of a form.
	Files []string
}

// Document is a document of a package.
type Document struct {
	Name string
	Body []byte
	// Document is nil if Fault says why the document cannot be read.
	Document *xjdf.Document
	Fault    *xjdf.Error
}

// Is reports whether bytes look like a package, and not like a single document.
func Is(body []byte) bool { return isZIP(body) || isMIME(body) }

// Read reads a package. An error wraps one of the reasons above. A document that cannot be
// read is no error.
func Read(body []byte, limits Limits) (*Package, error) {
	r := reader{limits: limits.orDefault(), made: &Package{}, names: map[string]bool{}}
	if len(body) > r.limits.Bytes {
		return nil, fmt.Errorf("%w: %d bytes; the limit is %d", ErrLimit, len(body), r.limits.Bytes)
	}
	var err error
	switch {
	case isZIP(body):
		err = r.zip(body)
	case isMIME(body):
		err = r.mime(body)
	default:
		err = ErrFormat
	}
	if err == nil && len(r.made.Documents) == 0 {
		err = ErrEmpty
	}
	if err != nil {
		return nil, err
	}
	return r.made, nil
}

type reader struct {
	limits   Limits
	made     *Package
	names    map[string]bool
	entries  int
	expanded int
}

// entry counts an entry and checks its name.
func (r *reader) entry(name string) error {
	if r.entries++; r.entries > r.limits.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrLimit, r.limits.Entries)
	}
	if name == "" {
		return nil // a MIME part that nothing refers to
	}
	if r.names[name] {
		return fmt.Errorf("%w: %.80q occurs twice", ErrName, name)
	}
	r.names[name] = true
	r.made.Files = append(r.made.Files, name)
	return nil
}

// local reports whether a name stays within a package, on every system.
func local(name string) bool {
	return fs.ValidPath(name) && name != "." && utf8.ValidString(name) && !strings.ContainsAny(name, "\\:\x00")
}

// mostName bounds the name of a document in bytes: reports repeat it.
const mostName = 1000

// document reads a document.
func (r *reader) document(name string, body []byte) error {
	if len(name) > mostName {
		return fmt.Errorf("%w: %.80q is longer than %d bytes", ErrName, name, mostName)
	}
	if len(r.made.Documents) == r.limits.Documents {
		return fmt.Errorf("%w: more than %d documents", ErrLimit, r.limits.Documents)
	}
	if r.expanded += len(body); r.expanded > r.limits.Expanded {
		return fmt.Errorf("%w: the documents have more than %d bytes together", ErrLimit, r.limits.Expanded)
	}
	d := Document{Name: name, Body: body}
	var err error
	if d.Document, err = xjdf.Parse(body, r.limits.Document); err != nil && !errors.As(err, &d.Fault) {
		return fmt.Errorf("%.80q: %w", name, err)
	}
	r.made.Documents = append(r.made.Documents, d)
	return nil
}

// isDocument reports whether the name of a file is that of a document (table 9.1).
func isDocument(name string) bool {
	name = strings.ToLower(path.Base(name))
	for _, end := range []string{".xjdf", ".xjmf", ".xjdf.json", ".xjmf.json", ".ptk"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func isZIP(body []byte) bool {
	return bytes.HasPrefix(body, []byte("PK\x03\x04")) || bytes.HasPrefix(body, []byte("PK\x05\x06"))
}
