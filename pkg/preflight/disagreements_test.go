// SPDX-License-Identifier: Apache-2.0

package preflight_test

const (
	againstCount = "poppler believes /Count; we count the pages, and say that the count is wrong"
	againstTree  = "the page tree leads nowhere here: poppler follows /Count, we what we find, and say so"
	againstClip  = "poppler cuts every box to the MediaBox before it prints it; we report what the file has"
)

// disagreements are what poppler sees otherwise than we do, and why we keep to it.
var disagreements = map[string]string{
	"structure.page_tree a wrong count: breaks, pages": againstCount,
	"hostile page tree: exponential, boxes":            againstTree,
	"hostile page tree: exponential, pages":            againstTree,
	"hostile page tree: Kids is itself, boxes":         againstTree,
	"hostile page tree: Kids is itself, images":        againstTree,
	"hostile page tree: Kids is itself, pages":         againstTree,
	"box.nesting: breaks, boxes":                       againstClip,
	"hostile fonts: many widths, fonts":                "poppler does not list a font with so many widths; we do",
	"hostile image: many components, images":           "poppler does not list an image whose colour space it cannot read; we do",
}

// endless are files over which poppler takes longer than anybody waits.
var endless = map[string]bool{
	"hostile page tree: too deep": true,
	"hostile layers: order cycle": true,
}
