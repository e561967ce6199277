// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// ahead decodes a JPEG before a page places it.
type ahead struct {
	// dict identifies the image; jpeg is nil unless one is decoded.
	dict uintptr
	jpeg *color.Decoding
	// next is the page whose image is decoded next, or nil.
	next *document.Page
}

// maxAhead bounds the resources of a page that [Interpreter.Ahead] looks at: pages may share a long list.
const maxAhead = 64

// Ahead starts to decode the largest JPEG of a page that no page before has placed, on another core.
// One is decoded at a time, for an image that fills the page, and kept until a page places it; then the one of the
// last page of which Ahead was called follows. Call [Interpreter.Close] in the end.
func (in *Interpreter) Ahead(page *document.Page) {
	in.ahead.next = page
	in.decodeAhead()
}

// decodeAhead starts to decode the image of the next page, unless another one is kept.
func (in *Interpreter) decodeAhead() {
	page := in.ahead.next
	if page == nil || in.ahead.jpeg != nil {
		return
	}
	in.ahead.next = nil
	objects := in.file.Dict(page.Resources["XObject"])
	if len(objects) > maxAhead {
		return
	}
	var data []byte
	most := 0
	for _, o := range objects {
		dict := in.file.Dict(o)
		if in.file.Name(dict["Filter"]) != dct || in.images[document.Identity(dict)] != nil {
			continue
		}
		if pixels := in.file.Int(dict["Width"]) * in.file.Int(dict["Height"]); pixels > most {
			most, data, in.ahead.dict = pixels, in.coded(o, dict), document.Identity(dict)
		}
	}
	if len(data) > 0 {
		// An image seldom reaches beyond the bleed.
		area, scale := page.BleedArea(), in.renderer.Resolution(page)*page.UserUnit/72
		in.ahead.jpeg = color.Decode(data, int(math.Ceil(area.Width()*scale)), int(math.Ceil(area.Height()*scale)), in.file.Budget.Paint)
	}
}

// takeAhead returns the image if it is decoded, or nil.
func (in *Interpreter) takeAhead(dict uintptr) *color.Decoding {
	jpeg := in.ahead.jpeg
	if jpeg == nil || in.ahead.dict != dict {
		return nil
	}
	jpeg.Wait()
	in.ahead.jpeg = nil
	in.decodeAhead()
	return jpeg
}

// Close waits for an image that no page has placed, and for the painters of a page that has not been finished.
func (in *Interpreter) Close() {
	if in.ahead.jpeg != nil {
		in.ahead.jpeg.Wait()
	}
	if in.renderer != nil {
		in.renderer.Close()
	}
}
