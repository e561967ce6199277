// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/kovidgoyal/imaging/prism/meta/icc"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// ErrProfile means that an ICC profile cannot be used for a conversion.
var ErrProfile = errors.New("not a usable ICC profile")

// Output converts colours to the process inks of a printing condition. It is not safe
// for concurrent use.
//
// Colours of light are converted through their profile, or as sRGB, to the profile of
// the output, with the given rendering intent and black point compensation. Without an output profile
// the amounts are those of a simple separation with black generation.
type Output struct {
	file   *document.File
	intent icc.RenderingIntent
	// device converts a colour of the connection space to inks; nil without a profile.
	device *icc.Pipeline
	lab    bool
	sum    string
	cubes  map[*Space]*cube
	// source converts inks to the connection space; nil without a profile.
	source *icc.Pipeline
	light  *cube
	// lights converts inks to sRGB, and tables colours of spaces to inks.
	lights *cube
	black  icc.XYZType // the black point of the profile
	tables map[*Space]*Table
	// screen converts inks to sRGB.
	screen *Table
}

// Intent is a rendering intent (ISO 32000-2, table 69). The zero value is
// [RelativeColorimetric], which is usual in print: ISO 15930-7, 6.2.4, leaves others to the file.
type Intent int

// The intents.
const (
	RelativeColorimetric Intent = iota
	Perceptual
	Saturation
)

// NewOutput returns the conversion to a profile with four channels, which may be nil.
// An error is [ErrProfile]; the conversion then is the one without a profile.
func NewOutput(file *document.File, profile []byte, sum string, intent Intent) (*Output, error) {
	o := &Output{file: file, cubes: map[*Space]*cube{}}
	o.intent = map[Intent]icc.RenderingIntent{
		Perceptual: icc.PerceptualRenderingIntent, Saturation: icc.SaturationRenderingIntent, RelativeColorimetric: icc.RelativeColorimetricRenderingIntent,
	}[intent]
	if profile == nil {
		return o, nil
	}
	p, err := readProfile(profile)
	if err != nil {
		return o, err
	}
	if p.Header.DataColorSpace != icc.ColorSpaceCMYK {
		return o, fmt.Errorf("%w: it is not a profile for CMYK", ErrProfile)
	}
	err = guarded(func() (err error) {
		if o.device, err = p.CreateTransformerToDevice(o.intent, true, true); err != nil {
			return err
		}
		if o.source, err = p.CreateTransformerToPCS(o.intent, 4, true); err == nil {
			o.black = p.BlackPoint(o.intent, nil)
		}
		return err
	})
	if err != nil {
		o.device, o.source = nil, nil
		return o, err
	}
	o.lab, o.sum = p.Header.ProfileConnectionSpace == icc.ColorSpaceLab, sum
	return o, nil
}

// Profiled reports whether colours are converted to an output profile.
func (o *Output) Profiled() bool { return o.device != nil }

// The bounds of a profile that is used for conversions.
const (
	maxProfile = 16 << 20
	maxTagged  = 128
)

// readProfile reads a profile. It checks the table of tags first: the library trusts
// its lengths.
func readProfile(data []byte) (*icc.Profile, error) {
	if len(data) < 132 || len(data) > maxProfile {
		return nil, fmt.Errorf("%w: %d bytes", ErrProfile, len(data))
	}
	count := binary.BigEndian.Uint32(data[128:])
	if count > maxTagged || 132+12*int(count) > len(data) {
		return nil, fmt.Errorf("%w: %d tags", ErrProfile, count)
	}
	for i := range int(count) {
		tag := data[132+12*i:]
		offset, size := uint64(binary.BigEndian.Uint32(tag[4:])), uint64(binary.BigEndian.Uint32(tag[8:]))
		if offset < uint64(132+12*count) || offset+size > uint64(len(data)) {
			return nil, fmt.Errorf("%w: a tag of %d bytes at %d", ErrProfile, size, offset)
		}
	}
	var p *icc.Profile
	err := guarded(func() (err error) {
		p, err = icc.DecodeProfile(bytes.NewReader(data))
		return err
	})
	return p, err
}

// guarded calls the library and returns its panic or error as [ErrProfile].
func guarded(call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: the reader panicked", ErrProfile)
		}
	}()
	if err := call(); err != nil {
		return fmt.Errorf("%w: %w", ErrProfile, err)
	}
	return nil
}

// Amounts appends the amount of each ink, 0 to 1, like [Space.Amounts], but for every
// space: cyan, magenta, yellow, black, and the spots of the space.
func (o *Output) Amounts(dst []float64, s *Space, values []float64) []float64 {
	if s.kind == indexed {
		var buffer [MaxComponents]float64
		return o.Amounts(dst, s.Under, s.Entry(values, buffer[:0]))
	}
	if !o.Converts(s) {
		if !s.Known() {
			return append(dst, 0, 0, 0, 0)
		}
		return s.Amounts(dst, values)
	}
	c := o.cubeOf(s)
	var unit [4]float64
	for i := range min(s.Components, len(unit)) {
		v := at(values, i)
		switch {
		case s.Family == Lab && i == 0: // from 0 to 100
			v /= 100
		case s.Family == Lab: // from -128 to 127
			v = (v + 128) / 255
		}
		unit[i] = share(v)
	}
	inks := c.at(unit[:s.Components])
	return append(dst, inks[:]...)
}

func (o *Output) cubeOf(s *Space) *cube {
	c := o.cubes[s]
	if c == nil {
		c = newCube(s.Components, o.conversion(s))
		o.cubes[s] = c
	}
	return c
}

// Converts reports whether colours of a space need a conversion: colours of light do,
// and those of a CMYK profile other than that of the output.
func (o *Output) Converts(s *Space) bool {
	switch s.kind {
	case additive:
		return true
	case foreign:
		return s.Components == 3
	case process:
		return o.device != nil && s.Profile != nil && s.Profile.Fault == "" && s.Profile.SHA256 != o.sum
	default:
		return false
	}
}

// ThroughRGB returns the inks of a colour, given as inks, after a conversion to sRGB and
// back: what remains of it on a page that is blended in RGB.
func (o *Output) ThroughRGB(inks [4]float64) [4]float64 {
	if o.light == nil {
		back := o.conversion(&Space{Family: DeviceRGB, Components: 3, kind: additive})
		o.light = newCube(4, func(from []float64) [4]float64 {
			if o.source == nil {
				white := 1 - from[3]
				return back([]float64{(1 - from[0]) * white, (1 - from[1]) * white, (1 - from[2]) * white})
			}
			rgb := o.profiled(from)
			return back(rgb[:])
		})
	}
	return o.light.at(inks[:])
}

// Light converts a colour to RGB, as a group in RGB blends it: colours of RGB keep their values, and inks are
// converted through the output profile.
func (o *Output) Light(s *Space, values []float64) [3]float64 {
	switch {
	case s.kind == indexed:
		var buffer [MaxComponents]float64
		return o.Light(s.Under, s.Entry(values, buffer[:0]))
	case s.kind == light:
		v := share(at(values, 0))
		return [3]float64{v, v, v}
	case s.Family == Lab:
		return xyzToSRGB(labToXYZ([3]float64{at(values, 0), at(values, 1), at(values, 2)}))
	case s.kind == additive && s.Components == 3:
		return [3]float64{share(at(values, 0)), share(at(values, 1)), share(at(values, 2))}
	}
	var buffer [firstSpot + MaxComponents]float64
	return o.InksToLight([4]float64(o.Amounts(buffer[:0], s, values)[:4]))
}

// InksToLight converts process inks to sRGB.
func (o *Output) InksToLight(inks [4]float64) [3]float64 {
	if o.lights == nil {
		o.lights = newCube(4, func(from []float64) [4]float64 {
			if o.source == nil {
				white := 1 - from[3]
				return [4]float64{(1 - from[0]) * white, (1 - from[1]) * white, (1 - from[2]) * white}
			}
			rgb := xyzToSRGB(withoutBlack(o.connected(from), o.black))
			return [4]float64{rgb[0], rgb[1], rgb[2]}
		})
	}
	out := o.lights.at(inks[:])
	return [3]float64(out[:3])
}

// LightTable returns the table of the colours of a space of three components, in eight bits.
func (o *Output) LightTable(s *Space) *Table {
	if o.tables[s] == nil {
		if o.tables == nil {
			o.tables = map[*Space]*Table{}
		}
		o.tables[s] = newTable(o.cubeOf(s))
	}
	return o.tables[s]
}

// profiled returns inks in sRGB, by the output profile.
func (o *Output) profiled(inks []float64) [3]float64 { return xyzToSRGB(o.connected(inks)) }

// connected returns inks in the connection space, by the output profile.
func (o *Output) connected(inks []float64) [3]float64 {
	in, out := [4]float64(inks), [4]float64{}
	o.source.TransformGeneral(out[:], in[:])
	xyz := [3]float64(out[:3])
	if o.lab {
		xyz = labToXYZ(xyz)
	}
	return xyz
}

// withoutBlack maps the black of a profile to none: black point compensation.
func withoutBlack(xyz [3]float64, black icc.XYZType) [3]float64 {
	for i, b := range [3]float64{black.X, black.Y, black.Z} {
		xyz[i] = (xyz[i] - b) * d50[i] / (d50[i] - b)
	}
	return xyz
}

// conversion returns the function from a colour of a space, as 0 to 1, to inks.
func (o *Output) conversion(s *Space) func(in []float64) [4]float64 {
	connect := srgbToXYZ
	switch {
	case s.Family == Lab:
		connect = func(in []float64) [3]float64 {
			return labToXYZ([3]float64{in[0] * 100, in[1]*255 - 128, in[2]*255 - 128})
		}
	case s.Profile != nil && s.Profile.Fault == "":
		if through := o.through(s); through != nil {
			connect = through
		} else if s.kind == process {
			return func(in []float64) [4]float64 { return [4]float64(in) }
		}
	}
	if o.device == nil {
		return func(in []float64) [4]float64 { return separate(xyzToSRGB(connect(in))) }
	}
	in, out := make([]float64, 4), make([]float64, 4)
	return func(from []float64) [4]float64 {
		xyz := connect(from)
		if o.lab {
			xyz = xyzToLab(xyz)
		}
		copy(in, xyz[:])
		o.device.TransformGeneral(out, in)
		var inks [4]float64
		for i, v := range out {
			inks[i] = share(v)
		}
		return inks
	}
}

// through returns the conversion by the profile of a space, or nil when it cannot be
// used.
func (o *Output) through(s *Space) func(in []float64) [3]float64 {
	p, err := readProfile(o.file.Quietly(s.source))
	if err != nil {
		return nil
	}
	var pipeline *icc.Pipeline
	var black icc.XYZType
	err = guarded(func() (err error) {
		if pipeline, err = p.CreateTransformerToPCS(o.intent, s.Components, true); err == nil {
			black = p.BlackPoint(o.intent, nil)
		}
		return err
	})
	if err != nil {
		return nil
	}
	lab := p.Header.ProfileConnectionSpace == icc.ColorSpaceLab
	buffer, out := make([]float64, 4), make([]float64, 4)
	return func(in []float64) [3]float64 {
		copy(buffer, in)
		pipeline.TransformGeneral(out, buffer)
		xyz := [3]float64(out)
		if lab {
			xyz = labToXYZ(xyz)
		}
		return withoutBlack(xyz, black)
	}
}

// cube interpolates a conversion between the points of a grid. It computes a point
// when it is used for the first time.
type cube struct {
	n, side int
	convert func([]float64) [4]float64
	points  [][4]float32
	known   []bool
	// pairs are the points that tables have used, and packing is held to add one.
	pairs   []pair
	packing sync.Mutex
}

func newCube(n int, convert func([]float64) [4]float64) *cube {
	c := &cube{n: n, side: 33, convert: convert}
	if n == 4 {
		c.side = 17
	}
	total := 1
	for range n {
		total *= c.side
	}
	c.points, c.known = make([][4]float32, total), make([]bool, total)
	return c
}

// at returns the inks of a colour, linear in each component between the points.
func (c *cube) at(in []float64) [4]float64 {
	var low [4]int
	var part [4]float64
	for i, v := range in {
		v *= float64(c.side - 1)
		low[i] = min(int(v), c.side-2)
		part[i] = v - float64(low[i])
	}
	var out [4]float64
	for corner := range 1 << c.n {
		weight, index := 1.0, 0
		for i := range c.n {
			step := corner >> i & 1
			if step == 1 {
				weight *= part[i]
			} else {
				weight *= 1 - part[i]
			}
			index = index*c.side + low[i] + step
		}
		if weight == 0 {
			continue
		}
		point := c.point(index)
		for i, v := range point {
			out[i] += weight * float64(v)
		}
	}
	return out
}

// Table converts samples of eight bits to amounts of ink of eight bits: what [Output.Amounts] does, ten
// times as fast.
type Table struct {
	cube *cube
	// low is the point of the grid below a sample, and part the distance to it in 1/255.
	low     [256]int
	part    [256]uint64
	strides [4]int
}

// Pixels returns the conversion of the samples of a pixel, which a reader returns, to amounts of ink of
// eight bits. It is not safe for concurrent use.
func (o *Output) Pixels(s *Space, r *Reader) func(samples []byte) [4]uint8 {
	if table := o.Table(s, r); table != nil {
		return table.Amounts
	}
	var last []byte
	var inks [4]uint8
	values, amounts := make([]float64, s.Components), make([]float64, 0, firstSpot+MaxComponents)
	return func(samples []byte) [4]uint8 {
		if last != nil && bytes.Equal(samples, last) {
			return inks
		}
		last = append(last[:0], samples...)
		for c := range values {
			values[c] = r.Levels(c)[samples[c]]
		}
		amounts = o.Amounts(amounts[:0], s, values)
		for i := range inks {
			inks[i] = uint8(amounts[i]*255 + 0.5)
		}
		return inks
	}
}

// Table returns a table for the colours of the image of a reader, or nil for spaces that are not
// converted by a grid, and for samples that are no shares of 255.
func (o *Output) Table(s *Space, r *Reader) *Table {
	if !o.Converts(s) || s.Family == Lab || s.Components < 3 || s.Components > 4 {
		return nil
	}
	for c := range s.Components {
		if levels := r.Levels(c); len(levels) != 256 || levels[0] != 0 || levels[255] != 1 {
			return nil
		}
	}
	return newTable(o.cubeOf(s))
}

func newTable(c *cube) *Table {
	t := &Table{cube: c}
	if c.pairs == nil {
		c.pairs = make([]pair, len(c.points))
	}
	for v := range t.low {
		at := v * (c.side - 1)
		t.low[v] = min(at/255, c.side-2)
		t.part[v] = uint64(at - 255*t.low[v]) // #nosec G115 -- at most 255
	}
	stride := 1
	for i := c.n - 1; i >= 0; i-- {
		t.strides[i] = stride
		stride *= c.side
	}
	return t
}

// Amounts returns the inks of a colour, linear in the simplex between the points of the grid.
func (t *Table) Amounts(in []uint8) [4]uint8 {
	if len(in) == 3 {
		return t.three(in[0], in[1], in[2])
	}
	var order [4]int
	var parts [5]uint64
	index := 0
	for i, v := range in {
		index += t.low[v] * t.strides[i]
		part, k := t.part[v], i
		for ; k > 0 && parts[k-1] < part; k-- {
			parts[k], order[k] = parts[k-1], order[k-1]
		}
		parts[k], order[k] = part, t.strides[i]
	}
	var first, second uint64
	for k, weight := 0, 255-parts[0]; ; k++ {
		if weight != 0 {
			p, q := t.cube.pair(index)
			first, second = first+weight*p, second+weight*q
		}
		if k == len(in) {
			return rounded(first, second)
		}
		index += order[k]
		weight = parts[k] - parts[k+1]
	}
}

// three is Amounts for three components.
func (t *Table) three(a, b, c uint8) [4]uint8 {
	index := t.low[a]*t.strides[0] + t.low[b]*t.strides[1] + t.low[c]*t.strides[2]
	u, v, w := t.part[a], t.part[b], t.part[c]
	i, j, k := t.strides[0], t.strides[1], t.strides[2]
	if u < v {
		u, v, i, j = v, u, j, i
	}
	if v < w {
		v, w, j, k = w, v, k, j
	}
	if u < v {
		u, v, i, j = v, u, j, i
	}
	p, q := t.cube.pair(index)
	first, second := (255-u)*p, (255-u)*q
	p, q = t.cube.pair(index + i)
	first, second = first+(u-v)*p, second+(u-v)*q
	p, q = t.cube.pair(index + i + j)
	first, second = first+(v-w)*p, second+(v-w)*q
	p, q = t.cube.pair(index + i + j + k)
	return rounded(first+w*p, second+w*q)
}

// Convert sets the inks of pixels, by their samples. Parts of an image may be converted at the same time.
func (t *Table) Convert(to [4][]uint8, samples [][]uint8) {
	if len(samples) == 3 {
		t.convertThree(to, samples[0], samples[1], samples[2])
		return
	}
	n := len(samples)
	var last, pixel [4]uint8
	inks := t.Amounts(last[:n])
	for i := range to[0] {
		for c, plane := range samples {
			pixel[c] = plane[i]
		}
		if pixel != last {
			last, inks = pixel, t.Amounts(pixel[:n])
		}
		to[0][i], to[1][i], to[2][i], to[3][i] = inks[0], inks[1], inks[2], inks[3]
	}
}

func (t *Table) convertThree(to [4][]uint8, a, b, c []uint8) {
	n := len(to[0])
	cyan, magenta, yellow, black := to[0][:n], to[1][:n], to[2][:n], to[3][:n]
	a, b, c = a[:n], b[:n], c[:n]
	last := uint32(0)
	inks := t.three(0, 0, 0)
	for i, u := range a {
		if pixel := uint32(u) | uint32(b[i])<<8 | uint32(c[i])<<16; pixel != last {
			last, inks = pixel, t.three(u, b[i], c[i])
		}
		cyan[i], magenta[i], yellow[i], black[i] = inks[0], inks[1], inks[2], inks[3]
	}
}

// pair is a point of the grid as numbers of 32 bits, two in each word, in units of 1/2^24. The second word is
// 0 while the point is unknown.
type pair struct{ first, second atomic.Uint64 }

// pair returns a point of the grid. It may be called concurrently.
func (c *cube) pair(index int) (first, second uint64) {
	p := &c.pairs[index]
	if second = p.second.Load(); second == 0 {
		c.pack(index)
		second = p.second.Load()
	}
	return p.first.Load(), second
}

// pack computes a point of the grid.
func (c *cube) pack(index int) {
	c.packing.Lock()
	defer c.packing.Unlock()
	var parts [4]uint64
	for i, v := range c.point(index) {
		parts[i] = uint64(v*(1<<24) + 0.5)
	}
	c.pairs[index].first.Store(parts[0] | parts[1]<<32)
	c.pairs[index].second.Store(max(parts[2]|parts[3]<<32, 1))
}

// rounded returns the amounts of a sum of points, with weights of 255 together.
func rounded(first, second uint64) [4]uint8 {
	const half = 1<<23 | 1<<55
	first, second = first+half, second+half
	return [4]uint8{uint8(first >> 24), uint8(first >> 56), uint8(second >> 24), uint8(second >> 56)} // #nosec G115 -- at most 255
}

func (c *cube) point(index int) [4]float32 {
	if !c.known[index] {
		var in [4]float64
		for i, rest := c.n-1, index; i >= 0; i, rest = i-1, rest/c.side {
			in[i] = float64(rest%c.side) / float64(c.side-1)
		}
		// A profile that the library cannot evaluate has no ink.
		_ = guarded(func() error {
			for i, v := range c.convert(in[:c.n]) {
				c.points[index][i] = float32(share(v))
			}
			return nil
		})
		c.known[index] = true
	}
	return c.points[index]
}

// separate converts sRGB to inks without a profile: black replaces a part of equal amounts of the other inks,
// more in the shadows. Grey has less magenta and yellow than cyan, since equal amounts look brown.
// [estimated] returns light and medium grey as they were.
func separate(rgb [3]float64) [4]float64 {
	c, m, y := 1-rgb[0], 1-rgb[1], 1-rgb[2]
	common := min(c, m, y)
	less := 0.45 * common * common
	balance := 0.26 * common * (1 - common/2)
	return [4]float64{share(c - less), share(m - less - balance), share(y - less - balance), share(0.9 * math.Pow(common, 2.2))}
}

// d50 is the white of the connection space (ICC.1:2022, 7.2.16).
var d50 = [3]float64{0.9642, 1, 0.8249} // constant

// srgbToXYZ converts sRGB to XYZ under D50 (IEC 61966-2-1, adapted by Bradford).
func srgbToXYZ(in []float64) [3]float64 {
	var linear [3]float64
	for i := range linear {
		if v := in[i]; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	r, g, b := linear[0], linear[1], linear[2]
	return [3]float64{
		0.4360747*r + 0.3850649*g + 0.1430804*b,
		0.2225045*r + 0.7168786*g + 0.0606169*b,
		0.0139322*r + 0.0971045*g + 0.7141733*b,
	}
}

// xyzToSRGB is the inverse of srgbToXYZ, limited to 0 to 1.
func xyzToSRGB(xyz [3]float64) [3]float64 {
	x, y, z := xyz[0], xyz[1], xyz[2]
	out := [3]float64{
		3.1338561*x - 1.6168667*y - 0.4906146*z,
		-0.9787684*x + 1.9161415*y + 0.0334540*z,
		0.0719453*x - 0.2289914*y + 1.4052427*z,
	}
	for i, v := range out {
		if v = share(v); v <= 0.0031308 {
			out[i] = v * 12.92
		} else {
			out[i] = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
	}
	return out
}

// labToXYZ and xyzToLab convert between the two connection spaces (ISO 11664-4).
func labToXYZ(lab [3]float64) [3]float64 {
	y := (lab[0] + 16) / 116
	f := [3]float64{y + lab[1]/500, y, y - lab[2]/200}
	for i, v := range f {
		if v > 6.0/29 {
			f[i] = d50[i] * v * v * v
		} else {
			f[i] = d50[i] * 108 / 841 * (v - 4.0/29)
		}
	}
	return f
}

func xyzToLab(xyz [3]float64) [3]float64 {
	var f [3]float64
	for i, v := range xyz {
		if v /= d50[i]; v > 216.0/24389 {
			f[i] = math.Cbrt(v)
		} else {
			f[i] = 841.0/108*v + 4.0/29
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}
