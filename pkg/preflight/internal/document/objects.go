// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// maxHops bounds references to references.
const maxHops = 8

// maxText bounds a text that goes into a report, in characters.
const maxText = 200

// Resolve follows references. It returns nil, like for the null object, for missing,
// damaged and circular objects.
func (f *File) Resolve(o types.Object) types.Object {
	for range maxHops {
		ref, ok := o.(types.IndirectRef)
		if !ok {
			return o
		}
		var next types.Object
		err := f.guard(func() (err error) {
			next, err = f.pdf.Dereference(ref)
			return err
		})
		if err != nil {
			return nil
		}
		o = next
	}
	return nil
}

// Dict resolves to a dictionary, or nil; the dictionary of a stream counts.
func (f *File) Dict(o types.Object) types.Dict {
	switch v := f.Resolve(o).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	case *types.StreamDict:
		if v != nil {
			return v.Dict
		}
	case types.ObjectStreamDict:
		return v.Dict
	}
	return nil
}

// Stream resolves to a stream with its data.
func (f *File) Stream(o types.Object) (types.StreamDict, bool) {
	stream, ok := f.declared(o)
	if ok {
		stream.Raw = f.whole(stream)
	}
	return stream, ok
}

// declared resolves to a stream whose data may be deferred or have a wrong length.
func (f *File) declared(o types.Object) (types.StreamDict, bool) {
	var stream types.StreamDict
	switch v := f.Resolve(o).(type) {
	case types.StreamDict:
		stream = v
	case *types.StreamDict:
		if v == nil {
			return stream, false
		}
		stream = *v
	default:
		return stream, false
	}
	if _, external := stream.Dict["F"]; external {
		f.collector.Feature(facts.ExternalData, "", Ref(o), 0, nil)
	}
	f.noteFilters(stream.FilterPipeline, Ref(o))
	return stream, true
}

// noteFilters records the filters that a version of PDF/X does not allow.
func (f *File) noteFilters(pipeline []types.PDFFilter, object string) {
	for i := range pipeline {
		switch name := pipeline[i].Name; name {
		case filter.LZW, "LZW", filter.JBIG2, filter.JPX, "Crypt":
			f.collector.Feature(facts.Filter, name, object, 0, nil)
		}
	}
}

// Array resolves to an array, or nil.
func (f *File) Array(o types.Object) types.Array {
	a, _ := f.Resolve(o).(types.Array)
	return a
}

// Name resolves to a name, or "".
func (f *File) Name(o types.Object) string {
	n, _ := f.Resolve(o).(types.Name)
	return string(n)
}

// Number resolves to a finite number.
func (f *File) Number(o types.Object) (float64, bool) {
	switch v := f.Resolve(o).(type) {
	case types.Integer:
		return float64(v), true
	case types.Float:
		return float64(v), !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	}
	return 0, false
}

// Int resolves to a whole number that fits 31 bits, or 0.
func (f *File) Int(o types.Object) int {
	v, ok := f.Number(o)
	if !ok || math.Abs(v) > math.MaxInt32 {
		return 0
	}
	return int(v)
}

// Bool resolves to true.
func (f *File) Bool(o types.Object) bool {
	b, _ := f.Resolve(o).(types.Boolean)
	return bool(b)
}

// Numbers resolves to n finite numbers.
func (f *File) Numbers(o types.Object, n int) ([]float64, bool) {
	a := f.Array(o)
	if len(a) < n {
		return nil, false
	}
	out := make([]float64, n)
	for i := range out {
		v, ok := f.Number(a[i])
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// Rect resolves to a rectangle with an area.
func (f *File) Rect(o types.Object) (geom.Rect, bool) {
	v, ok := f.Numbers(o, 4)
	if !ok {
		return geom.Rect{}, false
	}
	r := geom.Rect(v).Normal()
	return r, r.Finite() && !r.Empty()
}

// Matrix resolves to a matrix, or to the identity for a missing or invalid one.
func (f *File) Matrix(o types.Object) geom.Matrix {
	v, ok := f.Numbers(o, 6)
	if !ok {
		return geom.Identity()
	}
	return geom.Matrix(v)
}

// Text resolves to a text string, fit for a report.
func (f *File) Text(o types.Object) string {
	var text string
	err := f.guard(func() (err error) {
		text, err = model.Text(f.Resolve(o))
		return err
	})
	if err != nil {
		return ""
	}
	return Clean(text, maxText)
}

// Clean makes any bytes fit for a report: valid UTF-8 without control characters,
// of at most limit characters.
func Clean(text string, limit int) string {
	var out strings.Builder
	for n := 0; len(text) > 0 && n < limit; n++ {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '\uFFFD'
		}
		out.WriteRune(r)
	}
	if text != "" {
		out.WriteString("...")
	}
	return strings.TrimSpace(out.String())
}

// Ref names an object in a report: "12 0 R", or "" for a direct one.
func Ref(o types.Object) string {
	if ref, ok := o.(types.IndirectRef); ok {
		return fmt.Sprintf("%d %d R", ref.ObjectNumber, ref.GenerationNumber)
	}
	return ""
}

// Identity returns a number that is the same for two references to one dictionary.
func Identity(d types.Dict) uintptr { return reflect.ValueOf(d).Pointer() }
