// SPDX-License-Identifier: Apache-2.0

// Package pageimage holds pictures of the pages of a document: each page as it is printed, and the
// plane of each ink.
//
// A set of pictures is a ZIP archive of JPEG files, one for each page, one for each ink of a page, and one
// for each close-up, with a directory in pages.json. [Writer] makes a set, and [Open] reads one that need not be
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
	"slices"
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
	// MaxCloseUps bounds the close-ups of a set.
	MaxCloseUps = 24
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
	// CloseUps are parts of the page of which there is a finer picture.
	CloseUps []CloseUp `json:"closeUps,omitempty"`
}

// CloseUp is a part of a page, in points from its top left corner.
type CloseUp struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// directory is the name of the list of pages.
const directory = "pages.json"

// quality is that of the JPEG files.
const quality = 85

// Writer makes a set of pictures. The zero value is ready to use.
type Writer struct {
	out      bytes.Buffer
	zip      *zip.Writer
	pages    []Page
	closeUps int
	full     bool
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
		encoding.Go(func() { errs[i] = encode(&encoded[i], picture) })
	}
	encoding.Wait()
	if err := errors.Join(errs...); err != nil {
		return false, fmt.Errorf("encode page %d: %w", page.Number, err)
	}
	total := 0
	for i := range encoded {
		total += encoded[i].Len()
	}
	if !w.fits(total) {
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

// AddCloseUp adds the picture of a part of a page that has been added. It returns false if the set has no
// room for it.
func (w *Writer) AddCloseUp(page int, part CloseUp, printed image.Image) (bool, error) {
	at := slices.IndexFunc(w.pages, func(p Page) bool { return p.Number == page })
	if at < 0 || w.closeUps >= MaxCloseUps {
		return false, nil
	}
	var encoded bytes.Buffer
	if err := encode(&encoded, printed); err != nil {
		return false, fmt.Errorf("encode a close-up of page %d: %w", page, err)
	}
	if !w.fits(encoded.Len()) {
		return false, nil
	}
	p := &w.pages[at]
	if err := w.store(closeUpFile(page, len(p.CloseUps)), encoded.Bytes()); err != nil {
		return false, err
	}
	p.CloseUps = append(p.CloseUps, part)
	w.closeUps++
	return true, nil
}

func encode(to *bytes.Buffer, picture image.Image) error {
	return jpeg.Encode(to, picture, &jpeg.Options{Quality: quality})
}

// fits reports whether the set has room for bytes. The directory needs some, too.
func (w *Writer) fits(size int) bool { return w.out.Len()+size <= MaxBytes-64<<10 }

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

// closeUpFile returns the name of the picture of a close-up.
func closeUpFile(page, i int) string { return fmt.Sprintf("%d-part%d.jpg", page, i+1) }

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
		p.PixelWidth > MaxPixels || p.PixelHeight > MaxPixels || p.PixelWidth*p.PixelHeight > MaxPixels || len(p.Inks) > MaxInks ||
		len(p.CloseUps) > MaxCloseUps {
		return fmt.Errorf("%w: page %d is out of bounds", ErrInvalid, p.Number)
	}
	for _, name := range p.Inks {
		if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName {
			return fmt.Errorf("%w: an ink of page %d has an invalid name", ErrInvalid, p.Number)
		}
	}
	for _, c := range p.CloseUps {
		if !(c.X >= 0 && c.Y >= 0 && side(c.Width) && side(c.Height) && c.X+c.Width <= p.Width+1 && c.Y+c.Height <= p.Height+1) {
			return fmt.Errorf("%w: a close-up of page %d is out of bounds", ErrInvalid, p.Number)
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
	data, size, err := s.jpeg(file(page.Number, picture))
	if err != nil {
		return nil, err
	}
	if size != image.Pt(page.PixelWidth, page.PixelHeight) {
		return nil, fmt.Errorf("%w: a picture of page %d has another size", ErrInvalid, page.Number)
	}
	return data, nil
}

// jpeg returns a JPEG file with its size in pixels.
func (s *Set) jpeg(name string) ([]byte, image.Point, error) {
	data, err := s.read(name)
	if err != nil {
		return nil, image.Point{}, err
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, image.Point{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return data, image.Pt(config.Width, config.Height), nil
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
