// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// harmless is the outcome of a file that the inspector reads to its end, whatever the
// findings.
const harmless = ""

// hostile returns the files that break readers, with the expected finding of each. No file
// may end the child: the limits are for unknown attacks.
func hostile() map[string]string {
	const (
		unreadable, repaired, tree = "structure.unreadable", "structure.repaired", "structure.page_tree"
		stream, decoded, nesting   = "structure.stream_unreadable", "limits.decoded_bytes", "limits.nesting"
	)
	return map[string]string{
		// The file.
		"empty":                 "file.empty",
		"not a PDF":             "file.not_pdf",
		"only a header":         unreadable,
		"random bytes":          unreadable,
		"unknown version":       repaired,
		"password":              "security.password_required",
		"direct encrypt":        "security.encrypted",
		"truncated":             unreadable,
		"truncated: 10 percent": unreadable,
		"truncated: 30 percent": unreadable,
		"truncated: 90 percent": unreadable,
		"truncated: last byte":  repaired,

		// The cross-reference table.
		"startxref: rubbish":          repaired,
		"startxref: far away":         repaired,
		"startxref: negative":         repaired,
		"startxref: itself":           repaired,
		"table bomb":                  decoded,
		"table chain":                 "limits.structure",
		"table: hybrid bomb":          decoded,
		"table: Prev is itself":       repaired,
		"table: huge numbers":         harmless,
		"table: wide columns":         harmless,
		"table: negative columns":     harmless,
		"table: trailer without Size": repaired,
		"object stream in itself":     repaired,
		"object stream: huge numbers": unreadable,
		"object stream: negative":     unreadable,

		// Objects.
		"length of itself":          unreadable,
		"long name":                 harmless,
		"long string":               harmless,
		"nested arrays":             harmless,
		"nested arrays without end": harmless,
		"nested dictionaries":       harmless,
		"reference chain":           harmless,

		// The page tree and other trees.
		"count lies":                 tree,
		"no pages":                   "page.count",
		"page tree cycle":            tree,
		"page tree: many pages":      "limits.pages",
		"page tree: same page twice": tree,
		"page tree: too deep":        harmless,
		"page tree: exponential":     tree,
		"page tree: Count negative":  tree,
		"page tree: Kids is itself":  tree,
		"outlines: cycle":            harmless,
		"names: cycle":               harmless,
		"names: chain":               "action.javascript",
		"form fields: cycle":         harmless,
		"actions: cycle":             harmless,
		"structure tree: cycle":      harmless,
		"layers: order cycle":        harmless,
		"metadata: nested":           harmless,
		"metadata: entities":         harmless,
		"metadata: bomb":             harmless,

		// Files that unpack to too much.
		"contents array bomb":            decoded,
		"decode bomb":                    decoded,
		"damaged stream":                 stream,
		"filters: a thousand":            stream,
		"filters: a thousand times zlib": stream,
		"predictor: columns":             decoded,
		"predictor: colours":             stream,
		"predictor: negative columns":    stream,
		"predictor: none such":           stream,

		// Content without end.
		"billion laughs":        "limits.operators",
		"endless operators":     "limits.operators",
		"endless text":          "limits.content_bytes",
		"deep save":             nesting,
		"deep arrays":           harmless,
		"content: unbalanced":   harmless,
		"dashes: many":          harmless,
		"numbers: out of range": harmless,
		"matrices: overflow":    harmless,
		"boxes: huge":           harmless,
		"patterns in patterns":  harmless,
		"annotations: many":     "limits.annotations",

		// Files with cycles.
		"form in itself":              nesting,
		"resources in themselves":     nesting,
		"glyph in its own font":       nesting,
		"appearance in itself":        nesting,
		"self reference: separation":  harmless,
		"self reference: indexed":     harmless,
		"self reference: pattern":     harmless,
		"function in itself":          harmless,
		"device n in itself":          harmless,
		"pattern space in itself":     harmless,
		"profile alternate in itself": harmless,
		"default space in itself":     harmless,
		"shading in itself":           harmless,
		"soft mask in itself":         harmless,
		"image mask in itself":        harmless,
		"font descendant in itself":   harmless,
		"encoding map in itself":      harmless,
		"halftone in itself":          harmless,

		// Files with a false size.
		"function: nested braces":   harmless,
		"function: endless stack":   harmless,
		"function: huge samples":    harmless,
		"function: many inputs":     harmless,
		"image: negative":           harmless,
		"image: huge":               harmless,
		"image: many components":    harmless,
		"image: fax without end":    harmless,
		"image: inline without end": harmless,
		"inline images: many":       "limits.images",
		"fonts: many widths":        harmless,

		// Files that cost much to render.
		"fills: many":             harmless,
		"blends: many":            harmless,
		"groups: many":            harmless,
		"knockout groups: many":   harmless,
		"groups in groups":        "limits.operators",
		"soft masks: many":        harmless,
		"patterns: many matrices": harmless,
		"patterns: tiny steps":    harmless,
		"gradients: many":         harmless,
		"meshes: many patches":    harmless,
		"clips: many":             harmless,
		"lines: many":             harmless,
		"text: many sizes":        harmless,
		"images: many sizes":      harmless,
	}
}

func TestEveryHostileFileHasAnExpectation(t *testing.T) {
	t.Parallel()
	wants, files := hostile(), pdftest.Hostile()
	for name := range files {
		if _, ok := wants[name]; !ok {
			t.Errorf("hostile file %q has no expectation", name)
		}
	}
	for name := range wants {
		if files[name] == nil {
			t.Errorf("there is no hostile file %q", name)
		}
	}
}

func TestHostileFilesHaveAReport(t *testing.T) {
	t.Parallel()
	files := pdftest.Hostile()
	for name, want := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: pdf(t, files[name]())})
			if err != nil {
				t.Fatalf("%v%s", err, tailOf(err))
			}
			if want == harmless && !got.Complete {
				t.Errorf("not read to its end: %+v", got.Findings)
			}
			if want != harmless && !slices.ContainsFunc(got.Findings, func(f report.Finding) bool { return f.Rule == want }) {
				t.Errorf("no finding %s among %+v", want, got.Findings)
			}
			if !got.Complete && got.Verdict != report.Fail {
				t.Errorf("not read to its end, and yet %s", got.Verdict)
			}
		})
	}
}
