// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// odd returns values that any attribute of a document may have.
func odd() []string {
	return []string{
		"", "0", "-1", "1", "2", "3", "0.000001", "9999999", "10000000", "1000000000", "9223372036854775807", "1e9", "1e-9", "INF", "NaN", "true", "None",
		"0 0", "-5 5 0", "1 1 1", "28.4 28.4", "28346 28346", "1e9 1e9", "1 2 3 4", "P1", "COVER BODY", "BODY BODY", "Front Back", "Black Black Black",
		"SaddleStitch", "SoftCover", "F4-1", "F16-6", "F999-X", "OneSidedBack", "XDirection", "SameDirection", "Top", "gloss-135", "plate-52", strings.Repeat("A ", 200),
	}
}

// answer checks that a calculation returns a consistent result or a documented error.
func answer(tb testing.TB, r costing.Request) {
	tb.Helper()
	result, err := costing.Calculate(r)
	var refused *costing.MediaError
	var review *costing.ReviewError
	switch {
	case errors.As(err, &refused):
		if r.Mode == costing.PreviewMode || len(refused.Faults) == 0 || result != nil {
			tb.Errorf("unexpected error or missing review in mode %s: %v", r.Mode, err)
		}
	case errors.As(err, &review):
		if len(review.Reasons) == 0 || result != nil {
			tb.Errorf("mode %s: review without a reason, or with a separate result", r.Mode)
		}
		result = review.Result
	case err != nil || r.Mode == costing.PreviewMode:
		tb.Errorf("unexpected error or missing review in mode %s: %v", r.Mode, err)
	}
	if result != nil {
		consistent(tb, result)
	}
}

func TestAnyAttributeValueGivesResultOrDocumentedError(t *testing.T) {
	t.Parallel()
	in := effective(t, printer())
	for _, name := range []string{"brochure", "booklet"} {
		d := parse(t, example(t, name))
		product := d.Root.Child("ProductList").Child("Product")
		product.Set("MinAmount", product.Attribute("Amount").Value).Set("MaxAmount", product.Attribute("Amount").Value)
		seen := map[string]bool{}
		for n := range d.Root.Descendants() {
			for i := range n.Attributes {
				a := &n.Attributes[i]
				kept := a.Value
				place := n.Name.Local + a.Name.Local + kept
				if seen[place] {
					continue
				}
				seen[place] = true
				for _, value := range odd() {
					a.Value = value
					answer(t, costing.Request{Document: d, Mode: costing.Authoritative, Authority: in, Now: now})
					if t.Failed() {
						t.Fatalf("%s: %s/@%s is %.40q", name, n.Name, a.Name, value)
					}
				}
				a.Value = kept
			}
		}
	}
}

func TestDocumentWithoutAnyElementGivesResultOrDocumentedError(t *testing.T) {
	t.Parallel()
	in := effective(t, printer())
	for _, name := range exampleNames(t) {
		d := parse(t, example(t, name))
		for n := range d.Root.Descendants() {
			all := n.Children
			for i := range all {
				n.Children = append(append([]*xjdf.Node{}, all[:i]...), all[i+1:]...)
				for _, mode := range []costing.Mode{costing.Authoritative, costing.PreviewMode} {
					answer(t, costing.Request{Document: d, Mode: mode, Authority: in, Now: now})
				}
			}
			n.Children = all
		}
	}
}
