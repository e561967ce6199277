// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// parse reads the function that write creates.
func parse(t testing.TB, write func(b *pdftest.Builder) pdftest.Ref) (*color.Function, error) {
	t.Helper()
	var b pdftest.Builder
	ref := write(&b)
	data := b.Document(pdftest.Page{})
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), facts.NewCollector(nil))
	if err != nil || file == nil {
		t.Fatalf("open: %v", err)
	}
	return color.ParseFunction(file, *types.NewIndirectRef(int(ref), 0), 1)
}

func object(text string) func(b *pdftest.Builder) pdftest.Ref {
	return func(b *pdftest.Builder) pdftest.Ref { return b.Add("%s", text) }
}

func stream(dict, data string) func(b *pdftest.Builder) pdftest.Ref {
	return func(b *pdftest.Builder) pdftest.Ref { return b.Stream(dict, []byte(data)) }
}

// program writes a calculator function with the given number of inputs, and outputs between -1000
// and 1000.
func program(inputs, outputs int, text string) func(b *pdftest.Builder) pdftest.Ref {
	return stream(fmt.Sprintf("/FunctionType 4 /Domain [%s] /Range [%s]",
		strings.Repeat("-1000 1000 ", inputs), strings.Repeat("-1000 1000 ", outputs)), text)
}

func TestEval(t *testing.T) {
	t.Parallel()
	const ramp = "<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [1] >>"
	tests := map[string]struct {
		write    func(b *pdftest.Builder) pdftest.Ref
		in, want []float64
	}{
		"an exponential function":           {object("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 1] /C1 [1 0] >>"), []float64{0.25}, []float64{0.25, 0.75}},
		"with an exponent":                  {object("<< /FunctionType 2 /Domain [0 1] /N 2 >>"), []float64{0.5}, []float64{0.25}},
		"inputs are cut to the domain":      {object(ramp), []float64{7}, []float64{1}},
		"outputs are cut to the range":      {object("<< /FunctionType 2 /Domain [0 1] /Range [0 0.5] /N 1 >>"), []float64{1}, []float64{0.5}},
		"an infinite result becomes zero":   {object("<< /FunctionType 2 /Domain [0 1] /N -1 >>"), []float64{0}, []float64{0}},
		"the first of two stitched":         {object("<< /FunctionType 3 /Domain [0 1] /Bounds [0.5] /Encode [0 1 1 0] /Functions [" + ramp + ramp + "] >>"), []float64{0.25}, []float64{0.5}},
		"the second of two, backwards":      {object("<< /FunctionType 3 /Domain [0 1] /Bounds [0.5] /Encode [0 1 1 0] /Functions [" + ramp + ramp + "] >>"), []float64{0.75}, []float64{0.5}},
		"one stitched function":             {object("<< /FunctionType 3 /Domain [0 1] /Bounds [] /Encode [0 1] /Functions [" + ramp + "] >>"), []float64{0.75}, []float64{0.75}},
		"a table of bytes":                  {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 8", "\x00\xff"), []float64{0.5}, []float64{0.5}},
		"a table of two dimensions":         {stream("/FunctionType 0 /Domain [0 1 0 1] /Range [0 1] /Size [2 2] /BitsPerSample 8", "\x00\xff\x00\xff"), []float64{0.25, 0.5}, []float64{0.25}},
		"a table with one entry":            {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [1] /BitsPerSample 8", "\xff"), []float64{0.5}, []float64{1}},
		"samples of half a byte":            {stream("/FunctionType 0 /Domain [0 1] /Range [0 1 0 1] /Size [2] /BitsPerSample 4", "\x0f\xf0"), []float64{0}, []float64{0, 1}},
		"samples of a byte and a half":      {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 12", "\x00\x0f\xff"), []float64{1}, []float64{1}},
		"samples of two bytes":              {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 16", "\x00\x00\xff\xff"), []float64{1}, []float64{1}},
		"samples of four bytes":             {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [1] /BitsPerSample 32", "\xff\xff\xff\xff"), []float64{0}, []float64{1}},
		"decoded backwards":                 {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Decode [1 0] /Size [2] /BitsPerSample 8", "\x00\xff"), []float64{0.25}, []float64{0.75}},
		"encoded backwards":                 {stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Encode [1 0] /Size [2] /BitsPerSample 8", "\x00\xff"), []float64{0.25}, []float64{0.75}},
		"a program":                         {program(1, 2, "{ dup 2 mul exch 1 sub }"), []float64{3}, []float64{6, 2}},
		"a choice that is taken":            {program(1, 1, "{ dup 0 lt { neg } if }"), []float64{-3}, []float64{3}},
		"a choice that is not":              {program(1, 1, "{ dup 0 lt { neg } if }"), []float64{3}, []float64{3}},
		"one of two":                        {program(1, 1, "{ 0 gt { 1 } { 2 } ifelse }"), []float64{3}, []float64{1}},
		"the other of two":                  {program(1, 1, "{ 0 gt { 1 } { 2 } ifelse }"), []float64{-3}, []float64{2}},
		"a choice in a choice":              {program(1, 1, "{ dup 0 gt { 5 gt { 1 } { 2 } ifelse } { pop 3 } ifelse }"), []float64{4}, []float64{2}},
		"roll up":                           {program(3, 3, "{ 3 1 roll }"), []float64{1, 2, 3}, []float64{3, 1, 2}},
		"roll down":                         {program(3, 3, "{ 3 -1 roll }"), []float64{1, 2, 3}, []float64{2, 3, 1}},
		"copy and index":                    {program(2, 5, "{ 2 copy 3 index }"), []float64{1, 2}, []float64{1, 2, 1, 2, 1}},
		"angles are degrees":                {program(1, 3, "{ dup sin exch dup cos exch pop 1 0 atan }"), []float64{90}, []float64{1, 0, 90}},
		"roots and logarithms":              {program(1, 3, "{ dup sqrt exch dup log exch ln }"), []float64{100}, []float64{10, 2, math.Log(100)}},
		"whole numbers":                     {program(2, 4, "{ 2 copy idiv 3 1 roll 2 copy mod 3 1 roll exp 2.5 round }"), []float64{7, 2}, []float64{3, 1, 49, 3}},
		"rounding":                          {program(1, 4, "{ dup floor exch dup ceiling exch dup truncate exch cvi }"), []float64{-1.5}, []float64{-2, -1, -1, -1}},
		"bits":                              {program(2, 5, "{ 2 copy and 3 1 roll 2 copy or 3 1 roll xor 1 3 bitshift 8 -3 bitshift }"), []float64{6, 3}, []float64{2, 7, 5, 8, 1}},
		"comparisons":                       {program(2, 5, "{ 2 copy eq 3 1 roll 2 copy ne 3 1 roll 2 copy ge 3 1 roll 2 copy le 3 1 roll pop pop true not }"), []float64{1, 2}, []float64{0, 1, 0, 1, 0}},
		"comments and numbers of all kinds": {program(1, 2, "{ pop % gone\n -.5 +2. }"), []float64{1}, []float64{-0.5, 2}},
		"a stack that is empty yields zero": {program(1, 2, "{ pop pop pop }"), []float64{1}, []float64{0, 0}},
		"an index beyond the stack ends it": {program(1, 1, "{ 50 index 7 }"), []float64{1}, []float64{1}},
		"a stack that overflows ends it":    {program(1, 1, "{"+strings.Repeat(" 5", 200)+" }"), []float64{1}, []float64{5}},
		"missing inputs are zero":           {program(2, 1, "{ add }"), []float64{4}, []float64{4}},
		"NaN becomes the lower bound":       {object(ramp), []float64{math.NaN()}, []float64{0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := parse(t, tc.write)
			if err != nil {
				t.Fatalf("parse: %v", err)
			}
			near := cmp.Comparer(func(a, b float64) bool { return geom.Round(a, 6) == geom.Round(b, 6) })
			if diff := cmp.Diff(tc.want, f.Eval(nil, tc.in), near); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidFunctionsAreRejected(t *testing.T) {
	t.Parallel()
	self := func(b *pdftest.Builder) pdftest.Ref {
		r := b.Reserve()
		b.Set(r, "<< /FunctionType 3 /Domain [0 1] /Bounds [] /Encode [0 1] /Functions [%s] >>", r)
		return r
	}
	wide := func(b *pdftest.Builder) pdftest.Ref {
		r := b.Add("<< /FunctionType 2 /Domain [0 1] /N 1 >>")
		for range 5 {
			list := strings.Repeat(r.String()+" ", 200)
			r = b.Add("<< /FunctionType 3 /Domain [0 1] /Bounds [%s] /Encode [%s] /Functions [%s] >>", strings.Repeat("0.5 ", 199), strings.Repeat("0 1 ", 200), list)
		}
		return r
	}
	tests := map[string]func(b *pdftest.Builder) pdftest.Ref{
		"an empty dictionary":              object("<< >>"),
		"a number":                         object("5"),
		"an unknown type":                  object("<< /FunctionType 1 /Domain [0 1] >>"),
		"without a domain":                 object("<< /FunctionType 2 /N 1 >>"),
		"colours of different length":      object("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0] /C1 [1] >>"),
		"one that contains itself":         self,
		"one with too many parts":          wide,
		"stitching without bounds":         object("<< /FunctionType 3 /Domain [0 1] /Encode [0 1 0 1] /Functions [5 6] >>"),
		"a table that is too short":        stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [3] /BitsPerSample 8", "\x00\xff"),
		"a table of a huge size":           stream("/FunctionType 0 /Domain [0 1 0 1] /Range [0 1] /Size [2147483647 2147483647] /BitsPerSample 8", "\x00"),
		"a table of an unknown depth":      stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [1] /BitsPerSample 7", "\x00"),
		"a table without a range":          stream("/FunctionType 0 /Domain [0 1] /Size [1] /BitsPerSample 8", "\x00"),
		"a program without a range":        stream("/FunctionType 4 /Domain [0 1]", "{ }"),
		"a program that never ends":        program(1, 1, "{ dup "),
		"a program with a stranger":        program(1, 1, "{ quit }"),
		"a choice that does not choose":    program(1, 1, "{ { 1 } { 2 } if }"),
		"a program that is nested too far": program(1, 1, "{"+strings.Repeat("{", 100)),
		"a program that is too long":       program(1, 1, "{"+strings.Repeat(" dup pop", 20_000)+"}"),
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := parse(t, write); !errors.Is(err, color.ErrFunction) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// FuzzCalculator checks that every program ends and returns finite numbers.
func FuzzCalculator(f *testing.F) {
	for _, seed := range []string{"{ dup 2 mul exch 1 sub }", "{ 0 gt { 1 } { 2 } ifelse }", "{ 3 1 roll index copy }", "{{{", "{ 1e308 dup mul sqrt }"} {
		f.Add(seed, 0.5)
	}
	f.Fuzz(func(t *testing.T, text string, in float64) {
		fn, err := parse(t, program(2, 2, text))
		if err != nil {
			return
		}
		for _, v := range fn.Eval(nil, []float64{in, in}) {
			if math.IsNaN(v) || v < -1000 || v > 1000 {
				t.Errorf("result %v", v)
			}
		}
	})
}

// FuzzSampled reads arbitrary dictionaries and tables.
func FuzzSampled(f *testing.F) {
	f.Add(2, 2, 8, 1, []byte{0, 255, 0, 255}, 0.5)
	f.Add(1, 3, 12, 2, []byte{0, 255, 0, 255, 7, 8}, -1.0)
	f.Fuzz(func(t *testing.T, size, second, bits, outputs int, data []byte, in float64) {
		dict := fmt.Sprintf("/FunctionType 0 /Domain [0 1 0 1] /Range [%s] /Size [%d %d] /BitsPerSample %d", strings.Repeat("0 1 ", min(max(outputs, 0), 40)), size, second, bits)
		fn, err := parse(t, stream(dict, string(data)))
		if err != nil {
			return
		}
		for _, v := range fn.Eval(nil, []float64{in, 1 - in}) {
			if math.IsNaN(v) || v < 0 || v > 1 {
				t.Errorf("result %v", v)
			}
		}
	})
}

func BenchmarkEval(b *testing.B) {
	fn, err := parse(b, program(1, 4, "{ dup 0.5 mul exch dup 0.2 mul exch dup 0.1 mul exch 0.3 mul }"))
	if err != nil {
		b.Fatalf("parse: %v", err)
	}
	in, out := []float64{0.5}, make([]float64, 0, 4)
	b.ReportAllocs()
	for b.Loop() {
		out = fn.Eval(out[:0], in)
	}
}
