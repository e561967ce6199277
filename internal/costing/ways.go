// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// mostDivisions is the largest number of columns, and of rows, into which a bought sheet
// is cut before it is printed.
const mostDivisions = 4

// obstacle is the reason why the attempt that got furthest failed.
type obstacle struct {
	stage int
	text  string
}

// note keeps the reason of the highest stage.
func (o *obstacle) note(stage int, text string) {
	if o.text == "" || stage > o.stage {
		o.stage, o.text = stage, text
	}
}

// search finds the ways of making one sort of sheets on one press.
type search struct {
	*workshop
	policy   authority.Policy
	currency money.Currency
	presses  pressKind
	// products is the largest number of products to make parts for, waste included.
	products int64
	// most bounds the number of ways of a sort on a press.
	most      int
	truncated bool
}

// ways returns all ways to compare, or the reason why there is none.
func (s *search) ways(on *sort, press *machine) (all []way, why string) {
	var o obstacle
	if on.part.variable && press.VariableSpeed > 0 {
		device := *press.Device
		device.Speed = device.VariableSpeed
		slower := *press
		slower.Device, press = &device, &slower
	}
	switch {
	case press.Process == authority.ConventionalPrinting && !s.presses.conventional,
		press.Process == authority.DigitalPrinting && !s.presses.digital:
		return nil, wrongPrinting
	case on.part.variable && press.VariableSpeed == 0:
		return nil, noVariable
	case press.Weight.Max > 0 && (on.part.medium.Weight < press.Weight.Min || on.part.medium.Weight > press.Weight.Max):
		return nil, wrongWeight
	case max(on.colors[front], on.colors[back]) > press.Colors:
		return nil, "it supports fewer colours per side"
	}
	folders, creasers, operators, reason := s.pieceDevices(on)
	if reason != "" {
		return nil, reason
	}
	medium := &on.part.medium
	bought := rectangle{fromMillimetres(medium.Width), fromMillimetres(medium.Height)}
	for columns := int64(1); columns <= mostDivisions; columns++ {
		for rows := int64(1); rows <= mostDivisions; rows++ {
			base := way{sort: on, press: press, sheet: rectangle{bought.x / columns, bought.y / rows}, columns: columns, rows: rows}
			full, even := s.layouts(&base, &o)
			for _, style := range stylesOf(on, press) {
				base.style, base.layout = style, full
				if style == WorkAndTurn {
					base.layout = even
				}
				if base.layout.up > 0 {
					for _, base.operators = range operators {
						all = s.finished(all, base, bought, folders, creasers, &o)
					}
				}
			}
		}
	}
	return all, o.text
}

// pieceDevices returns the devices that process the pieces, or the reason why there are none.
func (s *search) pieceDevices(on *sort) (folders, creasers []*machine, operators [][]*machine, why string) {
	folders = s.folders(on)
	creasers = s.usable(authority.Creasing, on.part.creases > 0, func(m *machine) string { return m.takes(on.size, on.part.medium.Weight) })
	operators = s.operators(on)
	if len(folders) == 0 || len(creasers) == 0 || len(operators) == 0 {
		why = "no device can process the pieces"
	}
	return folders, creasers, operators, why
}

// folders returns the devices that can fold the pieces.
func (s *search) folders(on *sort) []*machine {
	return s.usable(authority.Folding, on.fold != "", func(m *machine) string {
		pages := on.pages
		if known, listed := panelsOf(on.fold); listed {
			pages = 2 * known.columns * known.rows
		}
		if !canFold(m.Device, on.fold) {
			return wrongFold
		}
		if reason := m.takesPages(pages); reason != "" {
			return reason
		}
		return m.takes(on.size, on.part.medium.Weight)
	})
}

// layouts returns the fullest layout of a sheet, and the fullest one that is its own mirror
// image, with the sheet in either orientation in the press.
func (s *search) layouts(w *way, o *obstacle) (full, even layout) {
	if reason := w.press.takes(w.sheet, w.sort.part.medium.Weight); reason != "" {
		o.note(1, reason)
		return full, even
	}
	largest, printed, smallest := area(w.press.MaxSheet), area(w.press.PrintArea), area(w.press.MinSheet)
	margin := rectangle{largest.x - printed.x, largest.y - printed.y}
	for _, turned := range [...]bool{false, true} {
		sheet := w.sheet
		if turned {
			sheet = sheet.turned()
		}
		if !sheet.within(largest) || !smallest.within(sheet) {
			continue
		}
		usable := rectangle{sheet.x - margin.x, sheet.y - margin.y}
		p, grained := s.pieces(w.sort, turned)
		if !grained {
			o.note(2, wrongGrain)
			continue
		}
		l := p.fullest(usable)
		if d := w.sort.part.die; d != nil {
			// The die has a fixed number of blanks, and separates them without the guillotine.
			if l.up >= d.blanks {
				full = layout{up: d.blanks}
			}
			continue
		}
		if l.better(&full) {
			full = l
		}
		if l := p.even(usable); l.better(&even) {
			even = l
		}
	}
	if full.up == 0 {
		o.note(3, "the pieces do not fit on the sheet")
	}
	return full, even
}

// pieces returns the pieces of a sort for one orientation of the sheet in the press; ok is
// false if the grain direction is required and the medium's is unknown.
func (s *search) pieces(on *sort, turned bool) (p pieces, ok bool) {
	p = pieces{size: on.size, gutter: fromMillimetres(s.policy.Gutter), upright: true, turned: true, same: on.part.grain.same}
	p.shared = p.gutter == 0 && on.part.bleed == 0 && on.part.role == roleFlat
	if !on.part.grain.x && !on.part.grain.y {
		return p, true
	}
	medium := &on.part.medium
	if medium.Grain == authority.GrainUnknown {
		// Only paper and board have a grain direction.
		return p, medium.MediaType != "Paper" && medium.MediaType != "CorrugatedBoard"
	}
	alongX := (medium.Grain == authority.GrainX) != turned
	p.upright, p.turned = on.part.grain.x == alongX, on.part.grain.x != alongX
	return p, true
}

// stylesOf returns the work styles in which a press can print the sides of a sort.
func stylesOf(on *sort, press *machine) []WorkStyle {
	if on.colors[front] == 0 || on.colors[back] == 0 {
		return []WorkStyle{OneSided}
	}
	p := on.part
	if press.Process == authority.DigitalPrinting {
		if press.Perfecting {
			return []WorkStyle{Perfecting}
		}
		return []WorkStyle{Sheetwise}
	}
	styles := []WorkStyle{Sheetwise}
	if press.perfects(p) {
		styles = append(styles, Perfecting)
	}
	alike := p.coat[front] == p.coat[back] && p.film[front] == p.film[back]
	for i := range on.inks {
		alike = alike && on.inks[i].on[front] == on.inks[i].on[back]
	}
	if alike {
		styles = append(styles, WorkAndTurn)
	}
	return styles
}

// perfects reports whether a press prints both sides of a part in one pass: its coater
// varnishes one of them.
func (m *machine) perfects(p *part) bool {
	return m.Perfecting && (!m.Coater || p.coat[front] == nil || p.coat[back] == nil)
}

// finished appends a way for each combination of devices that finish its sheets.
func (s *search) finished(all []way, base way, bought rectangle, folders, creasers []*machine, o *obstacle) []way {
	p := base.sort.part
	weight := p.medium.Weight
	offline := false
	for side := range p.coat {
		base.coatInline[side] = p.coat[side] != nil && base.press.Coater && base.colors()[side] > 0
		base.coatOffline[side] = p.coat[side] != nil && !base.coatInline[side]
		offline = offline || base.coatOffline[side]
	}
	takesSheet := func(m *machine) string { return m.takes(base.sheet, weight) }
	laminators := s.usable(authority.Laminating, p.film[front] != nil || p.film[back] != nil, takesSheet)
	coaters := s.usable(authority.Varnishing, offline, takesSheet)
	cutters := s.usable(authority.Cutting, p.die == nil || base.columns*base.rows > 1, func(m *machine) string {
		if m.perStack(p.medium.Thickness) == 0 {
			return thickSheet
		}
		if base.columns*base.rows > 1 {
			return m.takes(bought, weight)
		}
		return takesSheet(m)
	})
	dieCutters := s.usable(authority.ShapeCutting, p.die != nil, func(m *machine) string {
		switch {
		case !slices.Contains(m.Shapes, pathShape):
			return "it does not cut with a die"
		case !m.Strips && p.die.strip == nil:
			return "it does not strip blanks, and the owner offers no stripping"
		default:
			return takesSheet(m)
		}
	})
	if len(laminators)*len(coaters)*len(cutters)*len(dieCutters) == 0 {
		o.note(4, "no device can cut, laminate or varnish its sheets")
	}
	for _, base.folder = range folders {
		for _, base.creaser = range creasers {
			for _, base.cutter = range cutters {
				if base.cutter != nil {
					base.perStack = base.cutter.perStack(p.medium.Thickness)
				}
				for _, base.laminator = range laminators {
					for _, base.coater = range coaters {
						for _, base.dieCutter = range dieCutters {
							if len(all) == s.most {
								s.truncated = true
								return all
							}
							all = append(all, base)
						}
					}
				}
			}
		}
	}
	return all
}

// perStack returns the number of sheets of a thickness in micrometres that are cut at once.
func (m *machine) perStack(thickness money.Decimal) int64 {
	return money.MulDiv(int64(m.StackHeight), 1000, 1) / int64(thickness)
}
