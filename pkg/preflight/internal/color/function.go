// SPDX-License-Identifier: Apache-2.0

package color

// Functions map a tint, or a position in a shading, to a colour: sampled,
// exponential, stitching and PostScript calculator functions. Parsing bounds every
// function, so evaluation always ends soon: there are no loops, stitching nests at
// most [maxDepth] deep, and a program has at most [maxProgram] operators.

import (
	"errors"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// The bounds of a function.
const (
	maxDepth   = 6
	maxPieces  = 256
	maxParts   = 1024
	maxInputs  = 32
	maxOutputs = 32
	// maxSampledInputs bounds the inputs of a sampled function: n inputs need 2^n
	// samples for one value.
	maxSampledInputs = 8
	maxSamples       = 16 << 20
)

// ErrFunction means that an object is not a function, or exceeds the bounds.
var ErrFunction = errors.New("not a usable function")

// Function maps numbers to numbers. It is safe for concurrent use.
type Function struct {
	inputs, outputs int
	domain, bounds  []interval
	body            body
}

// body is one of the four types. in is within the domain.
type body interface {
	eval(out, in []float64)
}

type interval struct{ low, high float64 }

// clamp limits v to the interval; it returns the lower end for NaN.
func (i interval) clamp(v float64) float64 {
	if math.IsNaN(v) {
		return i.low
	}
	return min(max(v, i.low), i.high)
}

// Inputs returns the number of inputs.
func (f *Function) Inputs() int { return f.inputs }

// Outputs returns the number of outputs.
func (f *Function) Outputs() int { return f.outputs }

// Domain returns the interval of the i-th input.
func (f *Function) Domain(i int) (low, high float64) {
	if i < 0 || i >= len(f.domain) {
		return 0, 1
	}
	return f.domain[i].low, f.domain[i].high
}

// Eval appends the results for in to dst. Missing inputs count as 0, and every
// result is a finite number.
func (f *Function) Eval(dst, in []float64) []float64 {
	var buffer [maxInputs]float64
	cut := buffer[:f.inputs]
	copy(cut, in)
	for i := range cut {
		cut[i] = f.domain[i].clamp(cut[i])
	}
	start := len(dst)
	for range f.outputs {
		dst = append(dst, 0)
	}
	out := dst[start:]
	f.body.eval(out, cut)
	for i, v := range out {
		if i < len(f.bounds) {
			out[i] = f.bounds[i].clamp(v)
		} else if math.IsNaN(v) || math.IsInf(v, 0) {
			out[i] = 0
		}
	}
	return dst
}

// ParseFunction reads a function object. It records incidents on the given page.
func ParseFunction(file *document.File, o types.Object, page int) (*Function, error) {
	p := parser{file: file, page: page, parts: maxParts}
	return p.parse(o, 0)
}

// parser reads one function and those inside it.
type parser struct {
	file *document.File
	page int
	// parts is the number of functions that may still be read.
	parts int
}

func (p *parser) parse(o types.Object, depth int) (*Function, error) {
	dict := p.file.Dict(o)
	if p.parts--; dict == nil || depth > maxDepth || p.parts < 0 {
		return nil, ErrFunction
	}
	domain := p.intervals(dict["Domain"])
	if len(domain) == 0 || len(domain) > maxInputs {
		return nil, ErrFunction
	}
	f := &Function{inputs: len(domain), domain: domain, bounds: p.intervals(dict["Range"])}
	if len(f.bounds) > maxOutputs {
		return nil, ErrFunction
	}
	var err error
	switch kind, ok := p.file.Number(dict["FunctionType"]); {
	case !ok:
		return nil, ErrFunction
	case kind == 0:
		err = p.sampled(f, o, dict)
	case kind == 2:
		err = p.exponential(f, dict)
	case kind == 3:
		err = p.stitching(f, dict, depth)
	case kind == 4:
		err = p.calculator(f, o)
	default:
		err = ErrFunction
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// intervals reads pairs of numbers. It returns nil for other objects.
func (p *parser) intervals(o types.Object) []interval {
	n := len(p.file.Array(o)) / 2
	if n > maxOutputs {
		return nil
	}
	v, ok := p.file.Numbers(o, 2*n)
	if !ok || n == 0 {
		return nil
	}
	out := make([]interval, n)
	for i := range out {
		out[i] = interval{min(v[2*i], v[2*i+1]), max(v[2*i], v[2*i+1])}
	}
	return out
}

// numbers reads an array of any length up to a limit.
func (p *parser) numbers(o types.Object, limit int) []float64 {
	v, _ := p.file.Numbers(o, min(len(p.file.Array(o)), limit))
	return v
}

// exponential is type 2: C0 + x^N (C1 - C0).
type exponential struct {
	c0, c1 []float64
	n      float64
}

func (p *parser) exponential(f *Function, dict types.Dict) error {
	e := exponential{c0: p.numbers(dict["C0"], maxOutputs), c1: p.numbers(dict["C1"], maxOutputs)}
	if len(e.c0) == 0 {
		e.c0 = []float64{0}
	}
	if len(e.c1) == 0 {
		e.c1 = []float64{1}
	}
	n, ok := p.file.Number(dict["N"])
	if !ok || f.inputs != 1 || len(e.c0) != len(e.c1) {
		return ErrFunction
	}
	e.n, f.outputs, f.body = n, len(e.c0), &e
	return nil
}

func (e *exponential) eval(out, in []float64) {
	x := in[0]
	if e.n != 1 {
		x = math.Pow(x, e.n)
	}
	for i := range out {
		out[i] = e.c0[i] + x*(e.c1[i]-e.c0[i])
	}
}

// stitching is type 3: other functions side by side.
type stitching struct {
	parts  []*Function
	limits []float64
	encode []interval
}

func (p *parser) stitching(f *Function, dict types.Dict, depth int) error {
	list := p.file.Array(dict["Functions"])
	k := len(list)
	limits, okLimits := p.file.Numbers(dict["Bounds"], max(k-1, 0))
	encode, okEncode := p.file.Numbers(dict["Encode"], 2*k)
	if k == 0 || k > maxPieces || f.inputs != 1 || !okEncode || !okLimits && k > 1 {
		return ErrFunction
	}
	s := &stitching{limits: append(append([]float64{f.domain[0].low}, limits...), f.domain[0].high)}
	for i, o := range list {
		part, err := p.parse(o, depth+1)
		if err != nil {
			return err
		}
		if part.inputs != 1 || i > 0 && part.outputs != s.parts[0].outputs {
			return ErrFunction
		}
		s.parts = append(s.parts, part)
		s.encode = append(s.encode, interval{encode[2*i], encode[2*i+1]})
	}
	f.outputs, f.body = s.parts[0].outputs, s
	return nil
}

func (s *stitching) eval(out, in []float64) {
	x, i := in[0], 0
	for i < len(s.parts)-1 && x >= s.limits[i+1] {
		i++
	}
	v := interpolate(x, s.limits[i], s.limits[i+1], s.encode[i].low, s.encode[i].high)
	s.parts[i].Eval(out[:0], []float64{v})
}

// interpolate maps x from one interval to another.
func interpolate(x, fromLow, fromHigh, toLow, toHigh float64) float64 {
	if fromLow == fromHigh {
		return toLow
	}
	return toLow + (x-fromLow)*(toHigh-toLow)/(fromHigh-fromLow)
}
