// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

func TestNotesArePinnedToTheVisibleUpperLeftCorner(t *testing.T) {
	t.Parallel()
	// A page of 200 x 100, and a note of 10 x 10 seen 5 from the left and 5 from
	// the top.
	media := geom.Rect{0, 0, 200, 100}
	for rotate, want := range map[int]geom.Rect{
		0:   {5, 85, 15, 95},
		90:  {5, -5, 15, 5},
		180: {195, -5, 205, 5},
		270: {195, 85, 205, 95},
	} {
		view := geom.View(media, rotate, 1)
		back, _ := view.Invert()
		height := view.Rect(media).Height()
		seen := back.Rect(geom.Rect{5, height - 15, 15, height - 5})
		got := pinned(seen, rotate)
		if got != want {
			t.Errorf("turned by %d: %v, want %v", rotate, got, want)
		}
		if x, y := view.Point(got[0], got[3]); x != 5 || y != height-5 {
			t.Errorf("turned by %d: the corner is seen at %g, %g", rotate, x, y)
		}
	}
}

func TestFramesSurroundTheVisiblePartOfAFinding(t *testing.T) {
	t.Parallel()
	page := &document.Page{Page: facts.Page{Media: geom.Rect{0, 0, 200, 100}, Crop: &geom.Rect{10, 10, 190, 90}}}
	tests := map[string]struct{ at, want geom.Rect }{
		"an image":                   {geom.Rect{50, 50, 70, 60}, geom.Rect{48.5, 48.5, 71.5, 61.5}},
		"a hairline":                 {geom.Rect{50, 50, 70, 50}, geom.Rect{48.5, 46, 71.5, 54}},
		"the whole page":             {geom.Rect{0, 0, 200, 100}, geom.Rect{10, 10, 190, 90}},
		"something outside the page": {geom.Rect{300, 300, 310, 310}, geom.Rect{298.5, 298.5, 311.5, 311.5}},
		"no place":                   {geom.Everything(), geom.Rect{10, 10, 190, 90}},
	}
	for name, tc := range tests {
		if got := around(tc.at, page); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

func TestTextIsUnicodeWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	if got, want := text("ä\n\x00😀"), types.HexLiteral("feff00e4000dfffdd83dde00"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestObjectsWithoutASyntaxFail(t *testing.T) {
	t.Parallel()
	deep := types.Object(types.Array{})
	for range maxDepth + 1 {
		deep = types.Array{deep}
	}
	for name, o := range map[string]types.Object{"too deep": deep, "no object": types.StreamDict{}, "no number": types.Float(geom.Nothing()[0] * 1e9)} {
		var w objects
		if w.object(o, 0); !w.failed {
			t.Errorf("%s: written as %.40q", name, w.text.String())
		}
	}
}

func TestReadAtReadsAcrossFileAndUpdate(t *testing.T) {
	t.Parallel()
	j := joined{file: bytes.NewReader([]byte("original")), size: 8, update: []byte(" and update")}
	if err := iotest.TestReader(io.NewSectionReader(j, 0, j.length()), []byte("original and update")); err != nil {
		t.Errorf("iotest.TestReader: %v", err)
	}
}
