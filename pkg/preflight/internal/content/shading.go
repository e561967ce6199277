// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// shadingFill executes sh: it paints the clip.
func (in *Interpreter) shadingFill(f *frame) {
	o := in.resource(f, "Shading", f.last())
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	if in.startMark(f) {
		if sh := in.shadingOf(f, o, false); sh != nil {
			in.shade(sh, f.state.ctm, nil, false, f.state.region, in.style(f, false))
		}
	}
	region := f.state.clip
	if box, ok := in.file.Rect(dict["BBox"]); ok {
		region = region.Intersect(f.state.ctm.Rect(box))
	}
	if !region.Empty() && region.Finite() {
		in.paintShading(f, o, region, nil)
	}
}

// paintShading paints the mark of a shading in a region. The shading may be that of a pattern.
func (in *Interpreter) paintShading(f *frame, o types.Object, region geom.Rect, pattern types.Object) {
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	m := in.begin(f, facts.Shading, region)
	if m == nil {
		return
	}
	space := in.spaces.Resolve(dict["ColorSpace"], in.page.Number)
	var with ink
	with.choose(space, in.remap(f, space))
	if with.space.Pattern() {
		return
	}
	in.convertGradient(f, o, dict, with.space, pattern)
	with.paint = in.painted(dict, with.space)
	m.Object = document.Ref(o)
	in.paint(f, &with, m)
}

// functions reads one function, or one for each component.
func (in *Interpreter) functions(o types.Object) []*color.Function {
	list := in.file.Array(o)
	if list == nil {
		list = types.Array{o}
	}
	var out []*color.Function
	for _, o := range list[:min(len(list), color.MaxComponents)] {
		f, err := color.ParseFunction(in.file, o, in.page.Number)
		if err != nil {
			return nil
		}
		out = append(out, f)
	}
	return out
}
