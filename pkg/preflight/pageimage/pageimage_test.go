// SPDX-License-Identifier: Apache-2.0

package pageimage_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
)

// filled returns a plane that has one amount in its left half.
func filled(width, height int, amount uint8) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width / 2 {
			out.SetGray(x, y, color.Gray{amount})
		}
	}
	return out
}

// made returns a set of pages of 64 by 32 pixels whose left half has three inks in an amount.
func made(t *testing.T, amount uint8, pages ...int) []byte {
	t.Helper()
	var w pageimage.Writer
	for _, number := range pages {
		printed := image.NewRGBA(image.Rect(0, 0, 64, 32))
		for i := range printed.Pix {
			printed.Pix[i] = 255
		}
		inks := []*image.Gray{filled(64, 32, amount), filled(64, 32, amount), filled(64, 32, amount)}
		page := pageimage.Page{Number: number, Width: 128, Height: 64, Inks: []string{"Cyan", "Magenta", "Gold"}}
		if ok, err := w.Add(page, printed, inks); !ok || err != nil {
			t.Fatalf("Add(%d) = %t, %v", number, ok, err)
		}
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return data
}

func open(t *testing.T, data []byte) *pageimage.Set {
	t.Helper()
	set, err := pageimage.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return set
}

func TestPicturesOfPagesAndInks(t *testing.T) {
	t.Parallel()
	set := open(t, made(t, 255, 1, 3))
	want := []pageimage.Page{
		{Number: 1, Width: 128, Height: 64, PixelWidth: 64, PixelHeight: 32, Inks: []string{"Cyan", "Magenta", "Gold"}},
		{Number: 3, Width: 128, Height: 64, PixelWidth: 64, PixelHeight: 32, Inks: []string{"Cyan", "Magenta", "Gold"}},
	}
	if diff := cmp.Diff(want, set.Pages()); diff != "" {
		t.Errorf("Pages (-want +got):\n%s", diff)
	}
	tests := map[string]struct {
		page, width int
		layer       string
		size        image.Point
		left, right color.RGBA
	}{
		"the printed page":         {1, 0, pageimage.Printed, image.Pt(64, 32), color.RGBA{255, 255, 255, 255}, color.RGBA{255, 255, 255, 255}},
		"an ink is black on white": {3, 0, "Gold", image.Pt(64, 32), color.RGBA{0, 0, 0, 255}, color.RGBA{255, 255, 255, 255}},
		"an ink in half the size":  {3, 32, "Cyan", image.Pt(32, 16), color.RGBA{0, 0, 0, 255}, color.RGBA{255, 255, 255, 255}},
		"three inks are very hot":  {1, 0, pageimage.Heat, image.Pt(64, 32), color.RGBA{0xf5, 0x7c, 0, 255}, color.RGBA{255, 255, 255, 255}},
		"no picture is enlarged":   {1, 4000, "Cyan", image.Pt(64, 32), color.RGBA{0, 0, 0, 255}, color.RGBA{255, 255, 255, 255}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture, err := set.Picture(tc.page, tc.layer, tc.width)
			if err != nil || picture.Bounds().Size() != tc.size {
				t.Fatalf("Picture = %v, %v; want the size %v", picture, err, tc.size)
			}
			for x, want := range map[int]color.RGBA{tc.size.X / 4: tc.left, tc.size.X * 3 / 4: tc.right} {
				got := color.RGBAModel.Convert(picture.At(x, tc.size.Y/2)).(color.RGBA)
				if difference(got.R, want.R)+difference(got.G, want.G)+difference(got.B, want.B) > 12 {
					t.Errorf("colour at %d: %v, want %v", x, got, want)
				}
			}
		})
	}
}

func TestPicturesHaveAnySize(t *testing.T) {
	t.Parallel()
	var w pageimage.Writer
	if ok, err := w.Add(pageimage.Page{Number: 1, Width: 1, Height: 1, Inks: []string{"Cyan"}}, filled(61, 23, 255), []*image.Gray{filled(61, 23, 255)}); !ok || err != nil {
		t.Fatalf("Add = %t, %v", ok, err)
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	for _, layer := range []string{pageimage.Printed, pageimage.Heat, "Cyan"} {
		picture, err := open(t, data).Picture(1, layer, 0)
		if err != nil || picture.Bounds().Size() != image.Pt(61, 23) {
			t.Errorf("Picture(%q) = %v, %v", layer, picture.Bounds(), err)
		}
	}
	ink, err := open(t, data).Picture(1, "Cyan", 0)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]uint8{2: 0, 58: 255} {
		if got := color.GrayModel.Convert(ink.At(x, 22)).(color.Gray).Y; difference(got, want) > 4 {
			t.Errorf("the last row at %d: %d, want %d", x, got, want)
		}
	}
}

func difference(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestCloseUpsOfPages(t *testing.T) {
	t.Parallel()
	var w pageimage.Writer
	if ok, err := w.Add(pageimage.Page{Number: 2, Width: 100, Height: 80}, filled(50, 40, 0), nil); !ok || err != nil {
		t.Fatalf("Add = %t, %v", ok, err)
	}
	part := pageimage.CloseUp{X: 10, Y: 20, Width: 40, Height: 30}
	if ok, err := w.AddCloseUp(1, part, filled(80, 60, 0)); ok || err != nil {
		t.Errorf("a close-up of a page without pictures: %t, %v", ok, err)
	}
	for i := range pageimage.MaxCloseUps + 1 {
		if ok, err := w.AddCloseUp(2, part, filled(80, 60, 0)); ok != (i < pageimage.MaxCloseUps) || err != nil {
			t.Errorf("close-up %d: %t, %v", i, ok, err)
		}
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	set := open(t, data)
	if got := set.Pages()[0].CloseUps; len(got) != pageimage.MaxCloseUps || got[0] != part {
		t.Errorf("close-ups %+v, want %d of %+v", got, pageimage.MaxCloseUps, part)
	}
	file, err := set.CloseUp(2, 3)
	if config, bad := jpeg.DecodeConfig(bytes.NewReader(file)); err != nil || bad != nil || config.Width != 80 || config.Height != 60 {
		t.Errorf("CloseUp: %d by %d pixels, %v, %v", config.Width, config.Height, err, bad)
	}
	for _, tc := range [][2]int{{1, 0}, {2, -1}, {2, pageimage.MaxCloseUps}} {
		if _, err := set.CloseUp(tc[0], tc[1]); !errors.Is(err, pageimage.ErrNotFound) {
			t.Errorf("CloseUp(%d, %d): %v, want ErrNotFound", tc[0], tc[1], err)
		}
	}
}

func TestMissingPicturesAreNotFound(t *testing.T) {
	t.Parallel()
	set := open(t, made(t, 100, 2))
	for _, tc := range []struct {
		page  int
		layer string
	}{{1, ""}, {2, "Silver"}, {2, "1.jpg"}} {
		if _, err := set.Picture(tc.page, tc.layer, 0); !errors.Is(err, pageimage.ErrNotFound) {
			t.Errorf("Picture(%d, %q): %v, want ErrNotFound", tc.page, tc.layer, err)
		}
	}
}

func TestFullSetTakesNoMorePages(t *testing.T) {
	t.Parallel()
	var w pageimage.Writer
	tiny := image.NewGray(image.Rect(0, 0, 4, 4))
	for number := 1; ; number++ {
		ok, err := w.Add(pageimage.Page{Number: number, Width: 1, Height: 1}, tiny, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ok != (number <= pageimage.MaxPages) {
			t.Fatalf("page %d: %t", number, ok)
		}
		if !ok {
			break
		}
	}
	data, err := w.Bytes()
	if err != nil || len(open(t, data).Pages()) != pageimage.MaxPages {
		t.Errorf("Bytes: %v", err)
	}
	if none, err := new(pageimage.Writer).Bytes(); none != nil || err != nil {
		t.Errorf("a set without pages: %d bytes, %v", len(none), err)
	}
	if _, err := new(pageimage.Writer).Add(pageimage.Page{Number: 1}, tiny, []*image.Gray{image.NewGray(image.Rect(0, 0, 5, 4))}); err == nil {
		t.Error("pictures of different sizes: no error")
	}
}

// archive writes a ZIP archive.
func archive(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range files {
		entry, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDamagedSetsAreInvalid(t *testing.T) {
	t.Parallel()
	page := func(members string) map[string]string {
		return map[string]string{"pages.json": `[{"page":1,"width":10,"height":10,"pixelWidth":8,"pixelHeight":8` + members + `}]`, "1.jpg": "none"}
	}
	tests := map[string][]byte{
		"no archive":            []byte("PK nothing"),
		"no directory":          archive(t, map[string]string{"1.jpg": ""}),
		"no JSON":               archive(t, map[string]string{"pages.json": "["}),
		"too many pages":        archive(t, map[string]string{"pages.json": "[" + strings.Repeat(`{"page":1},`, pageimage.MaxPages) + `{"page":1}]`}),
		"a page without size":   archive(t, page(`,"width":0`)),
		"a page of many pixels": archive(t, page(`,"pixelWidth":5000,"pixelHeight":5000`)),
		"an ink without name":   archive(t, page(`,"inks":[""]`)),
		"a close-up beside":     archive(t, page(`,"closeUps":[{"x":9,"y":0,"width":5,"height":5}]`)),
		"a flat close-up":       archive(t, page(`,"closeUps":[{"x":1,"y":1,"width":5,"height":0}]`)),
		"too many close-ups":    archive(t, page(`,"closeUps":[`+strings.Repeat(`{"width":5,"height":5},`, pageimage.MaxCloseUps)+`{"width":5,"height":5}]`)),
		"an archive too large":  make([]byte, pageimage.MaxBytes+1),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := pageimage.Open(bytes.NewReader(data), int64(len(data))); !errors.Is(err, pageimage.ErrInvalid) {
				t.Errorf("Open: %v, want ErrInvalid", err)
			}
		})
	}
	damaged := archive(t, page(`,"inks":["Cyan"],"closeUps":[{"width":5,"height":5}]`))
	set := open(t, damaged)
	for _, layer := range []string{pageimage.Printed, pageimage.Heat, "Cyan"} {
		if _, err := set.Picture(1, layer, 0); !errors.Is(err, pageimage.ErrInvalid) {
			t.Errorf("Picture(%q): %v, want ErrInvalid", layer, err)
		}
	}
	if _, err := set.CloseUp(1, 0); !errors.Is(err, pageimage.ErrInvalid) {
		t.Errorf("CloseUp: %v, want ErrInvalid", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("PK"))
	f.Add(archive(f, map[string]string{"pages.json": `[{"page":1,"width":10,"height":10,"pixelWidth":8,"pixelHeight":8,"inks":["Cyan"]}]`, "1.jpg": "x"}))
	var w pageimage.Writer
	if _, err := w.Add(pageimage.Page{Number: 1, Width: 8, Height: 8, Inks: []string{"Cyan"}}, filled(8, 8, 9), []*image.Gray{filled(8, 8, 200)}); err != nil {
		f.Fatal(err)
	}
	if _, err := w.AddCloseUp(1, pageimage.CloseUp{Width: 4, Height: 4}, filled(8, 8, 9)); err != nil {
		f.Fatal(err)
	}
	valid, err := w.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := pageimage.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, page := range set.Pages() {
			for _, layer := range append([]string{pageimage.Printed, pageimage.Heat}, page.Inks...) {
				picture, err := set.Picture(page.Number, layer, 20)
				if err == nil && picture.Bounds().Dx() > 20 {
					t.Errorf("the picture %q of page %d is %d pixels wide", layer, page.Number, picture.Bounds().Dx())
				}
			}
			for i := range page.CloseUps {
				_, _ = set.CloseUp(page.Number, i)
			}
		}
	})
}
