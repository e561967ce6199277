// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// normal is the blend mode without effect.
const normal = "Normal"

// begin prepares the mark of a box, or returns nil when the box is not visible on
// paper. Only one mark exists at a time.
func (in *Interpreter) begin(f *frame, kind facts.Kind, box geom.Rect) *facts.Mark {
	if f.mask || f.silent || f.layers.hidden() || !f.visible(box) {
		return nil
	}
	in.mark = facts.Mark{Kind: kind, Number: in.number, Box: box.Intersect(f.state.clip), Layer: f.layers.layer}
	return &in.mark
}

// visible reports whether a box touches the clip. The box may be a line.
func (f *frame) visible(box geom.Rect) bool {
	return !f.state.clip.Empty() && box.Finite() && box.Touches(f.state.clip)
}

// paint completes a mark with a colour. A pattern paints marks of its own.
func (in *Interpreter) paint(f *frame, with *ink, m *facts.Mark) {
	if with.space.Pattern() {
		in.paintPattern(f, with, m)
		return
	}
	if !with.space.Paints() {
		return
	}
	m.Paint = with.paint
	if with.remapped != "" {
		in.feature(facts.DefaultSpace, with.remapped, nil, &m.Box)
	}
	in.composite(f, m)
	// ISO 15930-7 does not define how such a mark overprints.
	if m.Overprint && m.Mode == 1 && with.space.Family == color.ICCCMYK {
		in.feature(facts.ICCOverprint, "", nil, &m.Box)
	}
	for _, r := range in.recordings {
		r.record(m)
	}
	if f.over != nil {
		if f.once && !m.Box.Touches(*f.over) {
			return
		}
		m.Box, m.Shape = covered(m.Box, *f.over, f.once), nil
	}
	in.useSpace(with.space)
	in.change(f, m)
	in.collector.Mark(in.page.Number, m)
}

// composite sets the overprint and the transparency of a mark.
func (in *Interpreter) composite(f *frame, m *facts.Mark) {
	s := &f.state
	m.Mode, m.Overprint, m.Alpha = s.overprintMode, s.overprintFill, s.fillAlpha*f.group.fillAlpha
	if m.Stroked {
		m.Overprint, m.Alpha = s.overprintStroke, s.strokeAlpha*f.group.fillAlpha
	}
	m.Blend = s.blend
	if m.Blend == normal {
		m.Blend = f.group.blend
	}
	if m.Alpha >= 1 && m.Blend == normal && !s.softMask && !f.group.softMask {
		return
	}
	in.blended++
	if m.Alpha < 1 {
		in.feature(facts.Transparency, "Alpha", nil, &m.Box)
	}
	if m.Blend != normal {
		in.feature(facts.Transparency, "BlendMode "+m.Blend, nil, &m.Box)
	}
	if s.softMask || f.group.softMask {
		in.feature(facts.Transparency, "SoftMask", nil, &m.Box)
	}
}

// useSpace records the inks and the profile of a space, once for each page.
func (in *Interpreter) useSpace(s *color.Space) {
	if s == nil || len(s.Inks) == 0 && s.Profile == nil || in.colored[s] {
		return
	}
	in.colored[s] = true
	if s.Profile != nil {
		in.collector.UseProfile(s.Profile, in.page.Number)
	}
	if s.Alternate != "" {
		in.feature(facts.AlternateSpace, s.Alternate, nil, nil)
	}
	for i := range s.Inks {
		k := &s.Inks[i]
		in.collector.Ink(k.Name, k.Kind, in.page.Number, k.Space, k.Definition, k.Full)
	}
}
