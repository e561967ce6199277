// SPDX-License-Identifier: Apache-2.0

package preflight_test

const (
	againstCount = "poppler trusts /Count; preflight counts the pages and reports the wrong count"
	againstTree  = "the page tree has no such pages: poppler follows /Count, preflight counts and reports"
	againstClip  = "poppler clips boxes to the MediaBox before it prints them; preflight reports the boxes of the file"
)

// disagreements lists the facts that poppler lists differently, with the reason for the
// difference.
var disagreements = map[string]string{
	"structure.page_tree a wrong count: breaks, pages": againstCount,
	"hostile page tree: exponential, boxes":            againstTree,
	"hostile page tree: exponential, pages":            againstTree,
	"hostile page tree: Kids is itself, boxes":         againstTree,
	"hostile page tree: Kids is itself, images":        againstTree,
	"hostile page tree: Kids is itself, pages":         againstTree,
	"box.nesting: breaks, boxes":                       againstClip,
	"hostile fonts: many widths, fonts":                "poppler does not list a font with so many widths",
	"hostile images: many sizes, images":               "the report lists the first 1,000 of 5,000 placements",
	"hostile image: many components, images":           "poppler does not list an image whose colour space it cannot read",
}

// endless lists the files that poppler does not finish in a reasonable time.
var endless = map[string]bool{
	"hostile page tree: too deep": true,
	"hostile layers: order cycle": true,
}

// leftToSoak lists the files whose comparison takes 10 seconds and more; with -short they are not
// compared. Tests of the sandbox inspect them.
var leftToSoak = map[string]bool{
	"hostile meshes: many patches": true,
	"hostile gradients: many":      true,
	"hostile metadata: bomb":       true,
}
