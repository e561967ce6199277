// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// decoding is a JPEG that is decoded before it is placed.
type decoding struct {
	dict uintptr
	jpeg *color.Decoding
}

// maxAhead bounds the resources of a page that [Interpreter.Ahead] looks at: pages may share a long list.
const maxAhead = 64

// Ahead starts to decode the largest JPEG of a page that no page before has placed, on another core.
// One is decoded at a time, for an image that fills the page, and kept until a page places it. Call
// [Interpreter.Close] in the end.
func (in *Interpreter) Ahead(page *document.Page) {
	objects := in.file.Dict(page.Resources["XObject"])
	if in.ahead.jpeg != nil || len(objects) > maxAhead {
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
		width, height := in.renderer.Size(page)
		in.ahead.jpeg = color.Decode(data, width, height, in.file.Budget.Paint)
	}
}

// Close waits for an image that no page has placed.
func (in *Interpreter) Close() {
	if in.ahead.jpeg != nil {
		in.ahead.jpeg.Wait()
	}
}
