// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// resolve reads a space; %s stands for a stream with a CMYK profile.
func resolve(t testing.TB, text string) (*color.Resolver, *color.Space) {
	t.Helper()
	r, s := tryResolve(t, text)
	if r == nil {
		t.Fatalf("the document around %s cannot be opened", text)
	}
	return r, s
}

// tryResolve reads a space like resolve, but returns nil when the text damages the document around
// it.
func tryResolve(t testing.TB, text string) (*color.Resolver, *color.Space) {
	t.Helper()
	var b pdftest.Builder
	profile := b.Flate("/N 4", pdftest.Profile{Space: "CMYK"}.Bytes())
	if strings.Contains(text, "%s") {
		text = fmt.Sprintf(text, profile)
	}
	ref := b.Add("%s", text)
	data := b.Document(pdftest.Page{})
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), facts.NewCollector(nil))
	if err != nil || file == nil {
		return nil, nil
	}
	r := color.NewResolver(file)
	return r, r.Resolve(*types.NewIndirectRef(int(ref), 0), 1)
}

const gold = "[/Separation /Gold /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 0 1 0] >>]"

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		object                  string
		family                  string
		components              int
		known, single, indexed_ bool
		initial                 []float64
	}{
		"a device space":           {object: "/DeviceCMYK", family: "DeviceCMYK", components: 4, known: true, initial: []float64{0, 0, 0, 1}},
		"one in an array":          {object: "[/DeviceRGB]", family: "DeviceRGB", components: 3, initial: []float64{0, 0, 0}},
		"grey":                     {object: "/DeviceGray", family: "DeviceGray", components: 1, known: true, single: true, initial: []float64{0}},
		"a profile":                {object: "[/ICCBased %s]", family: "ICCBased-CMYK", components: 4, known: true, initial: []float64{0, 0, 0, 0}},
		"a spot":                   {object: gold, family: "Separation", components: 1, known: true, single: true, initial: []float64{1}},
		"two inks":                 {object: "[/DeviceN [/Gold /Black] /DeviceCMYK << >>]", family: "DeviceN", components: 2, known: true, initial: []float64{1, 1}},
		"registration":             {object: "[/Separation /All /DeviceGray << >>]", family: "Separation", components: 1, known: true, initial: []float64{1}},
		"a table over a spot":      {object: "[/Indexed " + gold + " 1 <00FF>]", family: "Separation", components: 1, known: true, single: true, indexed_: true, initial: []float64{0}},
		"a table over light":       {object: "[/Indexed /DeviceRGB 1 <00FF>]", family: "DeviceRGB", components: 1, indexed_: true, initial: []float64{0}},
		"a table over a table":     {object: "[/Indexed [/Indexed /DeviceGray 1 <00FF>] 1 <00FF>]"},
		"a table over a pattern":   {object: "[/Indexed /Pattern 1 <00FF>]"},
		"Lab":                      {object: "[/Lab << >>]", family: "Lab", components: 3, initial: []float64{0, 0, 0}},
		"an invalid profile":       {object: "[/ICCBased 7]"},
		"no colorants":             {object: "[/DeviceN [] /DeviceCMYK << >>]"},
		"an unknown family":        {object: "[/Strange]"},
		"an empty array":           {object: "[]"},
		"a number":                 {object: "7"},
		"a table without anything": {object: "[/Indexed]"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := resolve(t, tc.object)
			if s.Family != tc.family || s.Components != tc.components || s.Known() != tc.known || s.Single() != tc.single || s.Indexed() != tc.indexed_ {
				t.Errorf("%q of %d, known %t, single %t, indexed %t", s.Family, s.Components, s.Known(), s.Single(), s.Indexed())
			}
			if diff := cmp.Diff(tc.initial, s.Initial(nil)); diff != "" {
				t.Errorf("initial (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheSameMeaningIsTheSameDefinition(t *testing.T) {
	t.Parallel()
	definition := func(object string) string {
		_, s := resolve(t, object)
		if len(s.Inks) != 1 {
			t.Fatalf("inks %+v", s.Inks)
		}
		return s.Inks[0].Definition
	}
	const stitched = "<< /FunctionType 3 /Domain [0 1] /Bounds [] /Encode [0 1] /Functions [<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 0 1 0] >>] >>"
	want := definition(gold)
	if want == "" {
		t.Fatal("no definition")
	}
	if got := definition("[/Separation /Gold /DeviceCMYK " + stitched + "]"); got != want {
		t.Error("another way to write it is another definition")
	}
	if got := definition("[/Separation /Gold [/ICCBased %s] " + stitched + "]"); got == want {
		t.Error("another alternate space is the same definition")
	}
	if got := definition("[/DeviceN [/Gold] /DeviceCMYK " + stitched + "]"); got != want {
		t.Error("the same ink in DeviceN is another definition")
	}
	if got := definition("[/Separation /Gold /DeviceCMYK 7]"); got != "" {
		t.Errorf("a broken tint transform has the definition %s", got)
	}
}

func TestRemapKeepsOtherThanDeviceSpaces(t *testing.T) {
	t.Parallel()
	r, spot := resolve(t, gold)
	cal := func(*color.Space) *color.Space { return &color.Space{Family: "CalRGB", Components: 3} }
	if got := r.Remap(spot, cal); got != spot {
		t.Errorf("a spot became %s", got.Family)
	}
	if got := r.Remap(r.Device("DeviceRGB"), cal); got.Family != "CalRGB" {
		t.Errorf("DeviceRGB became %s", got.Family)
	}
	if got := r.Remap(r.Device("DeviceGray"), cal); got.Family != "DeviceGray" {
		t.Errorf("DeviceGray became %s, with another number of components", got.Family)
	}
}

// FuzzResolve reads arbitrary colour spaces and paints with them.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{gold, "[/Indexed /Lab 1 <00>]", "[/DeviceN [/A /None /All] /DeviceCMYK << >> << /Colorants << /A [/Separation /A /DeviceGray 7] >> >>]", "[/Pattern [/Pattern /DeviceRGB]]"} {
		f.Add(seed, 0.5)
	}
	f.Fuzz(func(t *testing.T, text string, v float64) {
		if strings.Contains(text, "%") {
			return
		}
		r, s := tryResolve(t, text)
		if r == nil {
			return
		}
		p := s.Paint([]float64{v, v, v})
		if total := p.Total(); math.IsNaN(total) || total < 0 || total > 100*(color.MaxComponents+4) {
			t.Errorf("total %v", total)
		}
		if len(s.Initial(nil)) != s.Components {
			t.Errorf("an initial colour of %d components", s.Components)
		}
	})
}
