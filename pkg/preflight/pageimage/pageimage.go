// SPDX-License-Identifier: Apache-2.0

// Package pageimage holds pictures of the pages of a document: each page as it is printed, and the
// plane of each ink.
//
// A set of pictures is a ZIP archive of JPEG files, one for each page and one for each ink of a
// page, with a directory in pages.json. [Writer] makes a set, and [Open] reads one that need not be
// trusted.
package pageimage

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"sync"
	"unicode/utf8"
)

// The bounds of a set.
const (
	// MaxPages bounds the pages, and MaxBytes the length of the archive.
	MaxPages = 50
	MaxBytes = 16 << 20
	// MaxPixels bounds the pixels of a picture, and MaxInks the inks of a page.
	MaxPixels = 4_000_000
	MaxInks   = 32
	// maxName bounds the name of an ink in characters.
	maxName = 200
)

// Page describes the pictures of a page.
type Page struct {
	// Number is that of the page, from 1.
	Number int `json:"page"`
	// Width and Height are those of the page as displayed, in points: the MediaBox, rotated.
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// PixelWidth and PixelHeight are those of the pictures.
	PixelWidth  int `json:"pixelWidth"`
	PixelHeight int `json:"pixelHeight"`
	// Inks are the names of the inks on the page, process inks first.
	Inks []string `json:"inks"`
}

// directory is the name of the list of pages.
const directory = "pages.json"

// quality is that of the JPEG files.
const quality = 85

// Writer makes a set of pictures. The zero value is ready to use.
type Writer struct {
	out   bytes.Buffer
	zip   *zip.Writer
	pages []Page
	full  bool
}

// Add adds the pictures of a page: one of the page as it is printed, and one for each of its inks,
// in which white is the full amount. All must have the same size. It returns false, and adds
// nothing more, once the set is full.
func (w *Writer) Add(page Page, printed image.Image, inks []*image.Gray) (bool, error) {
	if w.zip == nil {
		w.zip = zip.NewWriter(&w.out)
	}
	if w.full = w.full || len(w.pages) >= MaxPages || len(inks) > MaxInks; w.full {
		return false, nil
	}
	pictures := []image.Image{printed}
	for _, ink := range inks {
		pictures = append(pictures, ink)
	}
	page.PixelWidth, page.PixelHeight = printed.Bounds().Dx(), printed.Bounds().Dy()
	for _, picture := range pictures {
		if picture.Bounds().Size() != printed.Bounds().Size() {
			return false, fmt.Errorf("page %d: pictures of different sizes", page.Number)
		}
	}
	encoded, errs := make([]bytes.Buffer, len(pictures)), make([]error, len(pictures))
	var encoding sync.WaitGroup
	for i, picture := range pictures {
		encoding.Go(func() { errs[i] = jpeg.Encode(&encoded[i], picture, &jpeg.Options{Quality: quality}) })
	}
	encoding.Wait()
	if err := errors.Join(errs...); err != nil {
		return false, fmt.Errorf("encode page %d: %w", page.Number, err)
	}
	total := w.out.Len()
	for i := range encoded {
		total += encoded[i].Len()
	}
	// The directory needs some room, too.
	if total > MaxBytes-64<<10 {
		w.full = true
		return false, nil
	}
	for i := range encoded {
		if err := w.store(file(page.Number, i), encoded[i].Bytes()); err != nil {
			return false, err
		}
	}
	w.pages = append(w.pages, page)
	return true, nil
}

func (w *Writer) store(name string, data []byte) error {
	// JPEG files do not become smaller.
	entry, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = entry.Write(data)
	}
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}

// file returns the name of a picture: 0 is the page as it is printed, then come its inks.
func file(page, picture int) string {
	if picture == 0 {
		return fmt.Sprintf("%d.jpg", page)
	}
	return fmt.Sprintf("%d-%d.jpg", page, picture)
}

// Bytes returns the set, nil if it has no page.
func (w *Writer) Bytes() ([]byte, error) {
	if len(w.pages) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(w.pages)
	if err != nil {
		return nil, fmt.Errorf("list pictures: %w", err)
	}
	if err := w.store(directory, list); err != nil {
		return nil, err
	}
	if err := w.zip.Close(); err != nil {
		return nil, fmt.Errorf("close set of pictures: %w", err)
	}
	return w.out.Bytes(), nil
}

// ErrInvalid is the error of a set that cannot be read.
var ErrInvalid = errors.New("invalid set of pictures")

// ErrNotFound is the error of a page without pictures, or of an unknown layer.
var ErrNotFound = errors.New("no such picture")

// Set is a set of pictures. It is safe for concurrent use.
type Set struct {
	archive *zip.Reader
	pages   []Page
}

// Open reads the directory of a set of at most [MaxBytes]. It returns [ErrInvalid] for one that is
// not well-formed.
func Open(in io.ReaderAt, size int64) (*Set, error) {
	if size > MaxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, MaxBytes)
	}
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	s := &Set{archive: archive}
	text, err := s.read(directory)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s.pages); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(s.pages) > MaxPages {
		return nil, fmt.Errorf("%w: more than %d pages", ErrInvalid, MaxPages)
	}
	for i := range s.pages {
		if err := s.pages[i].check(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (p *Page) check() error {
	side := func(points float64) bool { return points > 0 && points < 1e6 }
	if p.Number < 1 || !side(p.Width) || !side(p.Height) || p.PixelWidth < 1 || p.PixelHeight < 1 ||
		p.PixelWidth > MaxPixels || p.PixelHeight > MaxPixels || p.PixelWidth*p.PixelHeight > MaxPixels || len(p.Inks) > MaxInks {
		return fmt.Errorf("%w: page %d is out of bounds", ErrInvalid, p.Number)
	}
	for _, name := range p.Inks {
		if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName {
			return fmt.Errorf("%w: an ink of page %d has an invalid name", ErrInvalid, p.Number)
		}
	}
	return nil
}

// read returns a file of the archive.
func (s *Set) read(name string) ([]byte, error) {
	entry, err := s.archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	data, err := io.ReadAll(io.LimitReader(entry, MaxBytes+1))
	if closing := entry.Close(); err == nil {
		err = closing
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("%w: %s is too long", ErrInvalid, name)
	}
	return data, nil
}

// Pages lists the pages with pictures.
func (s *Set) Pages() []Page { return s.pages }

// stored returns the JPEG file of a picture of a page, after its size has been compared with that of
// the directory.
func (s *Set) stored(page *Page, picture int) ([]byte, error) {
	data, err := s.read(file(page.Number, picture))
	if err != nil {
		return nil, err
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if config.Width != page.PixelWidth || config.Height != page.PixelHeight {
		return nil, fmt.Errorf("%w: a picture of page %d has another size", ErrInvalid, page.Number)
	}
	return data, nil
}

// decode returns a picture of a page.
func (s *Set) decode(page *Page, picture int) (image.Image, error) {
	data, err := s.stored(page, picture)
	if err != nil {
		return nil, err
	}
	made, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return made, nil
}
