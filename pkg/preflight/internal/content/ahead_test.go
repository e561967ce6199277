// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// TestImagesThatAreDecodedAheadHaveTheSameInk reads pages with a JPEG each, with and without
// decoding that of the next page; the last page places none, and one JPEG is damaged.
func TestImagesThatAreDecodedAheadHaveTheSameInk(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	pages := []pdftest.Page{}
	for k := range 6 {
		picture := image.NewGray(image.Rect(0, 0, 96+k, 64))
		for i := range picture.Pix {
			picture.Pix[i] = byte(i * (k + 3) / 40)
		}
		var data bytes.Buffer
		if err := jpeg.Encode(&data, picture, nil); err != nil {
			t.Fatalf("jpeg.Encode: %v", err)
		}
		coded := data.Bytes()
		if k == 2 {
			coded = coded[:len(coded)/2]
		}
		im := b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height 64 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode", 96+k), coded)
		content := pdftest.Place("Im", 20, 20, 200, 150)
		if k == 5 {
			content = ""
		}
		pages = append(pages, pdftest.Print(content, fmt.Sprintf("/XObject << /Im %s >>", im)))
	}
	data := b.Document(pages...)
	var inks [2][]*facts.InkMap
	for ahead := range inks {
		collector := facts.NewCollector(nil)
		file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
		if err != nil {
			t.Fatalf("document.Open: %v", err)
		}
		in := interpreter(t, file, collector, document.DefaultLimits())
		tree := file.Pages()
		for i := range tree {
			if ahead == 1 && i+1 < len(tree) {
				in.Ahead(&tree[i+1])
			}
			if err := in.Page(t.Context(), &tree[i]); err != nil {
				t.Fatalf("interpreter.Page: %v", err)
			}
		}
		in.Close()
		for i := range collector.Document().Pages {
			inks[ahead] = append(inks[ahead], collector.Document().Pages[i].Ink)
		}
	}
	if len(inks[0]) != len(pages) || inks[0][0] == nil || inks[0][0].Planes[3].Coverage == 0 {
		t.Fatalf("inks of %d pages: %+v", len(inks[0]), inks[0])
	}
	if diff := cmp.Diff(inks[0], inks[1]); diff != "" {
		t.Errorf("inks differ with images that are decoded ahead (-without +with):\n%s", diff)
	}
}
