// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const (
	xjdfGuide    = "docs/guides/xjdf.md"
	xjdfExamples = "docs/examples/xjdf/"
)

// encodings maps the suffixes of the example files to their encodings.
func encodings() map[string]xjdf.Encoding {
	return map[string]xjdf.Encoding{".json": xjdf.CanonicalJSON, ".attributes.json": xjdf.AttributeJSON, ".xml": xjdf.XML}
}

// examples are the names of the documents, without the ends of their files.
func examples(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, file := range matching(t, "^"+xjdfExamples) {
		name, _, _ := strings.Cut(path.Base(file), ".")
		names = append(names, name)
	}
	if len(names)%3 != 0 || len(names) < 9 {
		t.Fatalf("%d files, want three of each example", len(names))
	}
	return slices.Compact(names)
}

func example(t *testing.T, name, end string) *xjdf.Document {
	t.Helper()
	doc, err := xjdf.Parse([]byte(read(t, xjdfExamples+name+end)), xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("%s%s: %v", name, end, err)
	}
	return doc
}

// judged is the report of the marketplace that the demo is.
func judged(t *testing.T, doc *xjdf.Document, profile validate.Profile) validate.Report {
	t.Helper()
	catalog, err := catalog.Demo()
	if err != nil {
		t.Fatalf("catalog.Demo: %v", err)
	}
	return validate.New().Validate(doc, validate.Options{Profile: profile, Support: validate.Marketplace(catalog.Types())})
}

func TestXJDFExamplesHaveNoFindings(t *testing.T) {
	t.Parallel()
	for _, name := range examples(t) {
		for end, encoding := range encodings() {
			doc := example(t, name, end)
			if doc.Encoding != encoding {
				t.Errorf("%s%s was read as %s", name, end, doc.Encoding)
			}
			for _, profile := range []validate.Profile{validate.ProductIntent, validate.Strict} {
				if report := judged(t, doc, profile); !report.Valid || len(report.Findings)+len(report.Defaults)+len(report.Unsupported) > 0 {
					t.Errorf("%s%s, %s: %+v", name, end, profile, report)
				}
			}
		}
	}
}

// TestAnExampleOfXJDFIsOneDocumentInEachEncoding: all three are one tree, and
// what is written of any of them is it again.
func TestAnExampleOfXJDFIsOneDocumentInEachEncoding(t *testing.T) {
	t.Parallel()
	writers := map[string]func(io.Writer, *xjdf.Node) error{
		"JSON": func(w io.Writer, root *xjdf.Node) error { return xjdf.WriteJSON(w, root) }, "XML": xjdf.WriteXML,
	}
	for _, name := range examples(t) {
		want := example(t, name, ".xml")
		for end := range encodings() {
			doc := example(t, name, end)
			if !xjdf.Equal(want.Root, doc.Root) {
				t.Errorf("%s%s is another document than %s.xml", name, end, name)
			}
			for form, write := range writers {
				var out bytes.Buffer
				if err := write(&out, doc.Root); err != nil {
					t.Fatalf("%s%s as %s: %v", name, end, form, err)
				}
				again, err := xjdf.Parse(out.Bytes(), xjdf.DefaultLimits)
				if err != nil || !xjdf.Equal(want.Root, again.Root) {
					t.Errorf("%s%s as %s is another document: %v\n%s", name, end, form, err, out.String())
				}
			}
		}
	}
}

func TestTheMistakesOfTheXJDFGuideAreFound(t *testing.T) {
	t.Parallel()
	flyer := read(t, xjdfExamples+"flyer.json")
	for _, row := range table(t, xjdfGuide, "you write", "code", "suggestion") {
		member, _, _ := strings.Cut(row[0], ":")
		right := regexp.MustCompile(regexp.QuoteMeta(member) + `: (\[[^\]]*\]|"[^"]*"|[\d.]+)`).FindString(flyer)
		if right == "" {
			t.Errorf("the flyer has no %s", member)
			continue
		}
		doc, err := xjdf.Parse([]byte(strings.Replace(flyer, right, row[0], 1)), xjdf.DefaultLimits)
		if err != nil {
			t.Fatalf("%s: %v", row[0], err)
		}
		findings := judged(t, doc, validate.ProductIntent).Findings
		if !slices.ContainsFunc(findings, func(f validate.Finding) bool { return f.Code == row[1] && f.Suggestion == row[2] }) {
			t.Errorf("%s: findings %+v, want %s with %q", row[0], findings, row[1], row[2])
		}
	}
}
