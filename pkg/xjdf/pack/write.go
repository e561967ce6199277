// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"
	"time"
)

// File is a file to be packed.
type File struct {
	// Name is the name by which documents refer to the file: a path from the root of a ZIP
	// file, a name without a slash in a form.
	Name string
	// MediaType is used in forms.
	MediaType string
	// Open returns the content. It is called once, when the file is written.
	Open func() (io.ReadCloser, error)
}

// Bytes returns a file with this content.
func Bytes(name, mediaType string, content []byte) File {
	return File{name, mediaType, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// RootMessage is the name of the XJMF document in a ZIP file (9.7.1.1).
const RootMessage = "root.xjmf"

// The fields of a form (9.10.4.2).
const (
	formMessage    = "xjmf"
	formAttachment = "attachment"
)

// modified is the time of all entries, the earliest one of ZIP. A package with the same
// files has the same bytes.
var modified = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC) // constant

// WriteZIP writes a ZIP file: the XJMF document in XML, and the files that it refers to. An
// error wraps [ErrName] for a name that leaves the package or occurs twice, and
// for a media type with a line break.
func WriteZIP(w io.Writer, message []byte, files []File) error {
	all := append([]File{Bytes(RootMessage, "", message)}, files...)
	if err := checkNames(all, ""); err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	for _, f := range all {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: modified})
		if err != nil {
			return fmt.Errorf("write package: %w", err)
		}
		if err := f.copy(entry); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("write package: %w", err)
	}
	return nil
}

// WriteForm writes the body of a multipart/form-data request with a boundary: the XJMF
// document in JSON, and the files that it refers to. Errors are those of [WriteZIP].
func WriteForm(w io.Writer, boundary string, message []byte, files []File) error {
	if err := checkNames(files, "/\"\r\n"); err != nil {
		return err
	}
	form := multipart.NewWriter(w)
	if err := form.SetBoundary(boundary); err != nil {
		return fmt.Errorf("write package: %w", err)
	}
	for i, f := range append([]File{Bytes("", "application/vnd.cip4-xjmf+json", message)}, files...) {
		disposition := fmt.Sprintf(`form-data; name="%s"; filename="%s"`, formAttachment, f.Name)
		if i == 0 {
			disposition = fmt.Sprintf(`form-data; name="%s"`, formMessage)
		}
		header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
		if f.MediaType != "" {
			header.Set("Content-Type", f.MediaType)
		}
		part, err := form.CreatePart(header)
		if err != nil {
			return fmt.Errorf("write package: %w", err)
		}
		if err := f.copy(part); err != nil {
			return err
		}
	}
	if err := form.Close(); err != nil {
		return fmt.Errorf("write package: %w", err)
	}
	return nil
}

func checkNames(files []File, forbidden string) error {
	names := map[string]bool{}
	for _, f := range files {
		if !local(f.Name) || strings.ContainsAny(f.Name, forbidden) {
			return fmt.Errorf("%w: %.80q leaves the package or is not a file name", ErrName, f.Name)
		}
		if strings.ContainsAny(f.MediaType, "\r\n") {
			return fmt.Errorf("%w: %.80q has a media type with a line break", ErrName, f.Name)
		}
		if names[f.Name] {
			return fmt.Errorf("%w: %.80q occurs twice", ErrName, f.Name)
		}
		names[f.Name] = true
	}
	return nil
}

func (f File) copy(to io.Writer) error {
	from, err := f.Open()
	if err != nil {
		return fmt.Errorf("open %.80q: %w", f.Name, err)
	}
	_, err = io.Copy(to, from)
	if closed := from.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %.80q: %w", f.Name, err)
	}
	return nil
}

// Message returns the XJMF document of the package, or nil if the package has none or
// several.
func (p *Package) Message() *Document {
	var found *Document
	for i := range p.Documents {
		d := &p.Documents[i]
		if d.Document == nil || d.Document.Root.Name.Local != "XJMF" {
			continue
		}
		if found != nil {
			return nil
		}
		found = d
	}
	return found
}
