// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// packagingRules are the ids of the rules that need a [packaging].
var packagingRules = [...]string{"packaging.contour_open", "packaging.layer_mixed", "packaging.step_process"} // constant

func packagings() []Rule {
	row := func(id string, severity report.Severity, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryPackaging, Severity: severity, Ref: ref, judge: j}
	}
	marked := func(id string, severity report.Severity, m marks) Rule {
		return Rule{ID: id, Category: report.CategoryPackaging, Severity: severity, Ref: "print-and-cut practice; house rule", mark: &m}
	}
	contour := row("packaging.contour_open", report.Warning, "print-and-cut practice; house rule", openContours)
	contour.Op, contour.Unit = atMost, "mm"
	tint := marked("packaging.cut_tint", report.Warning, marks{
		of: flat, group: byPaint, decimals: 1, message: paintedMessage,
		pick: func(v *view, m *facts.Mark) (float64, bool) {
			ink, role := v.technical(&m.Paint)
			return ink.Amount * 100, role.Line()
		},
	})
	tint.Op, tint.Unit = atLeast, "%"
	return []Rule{
		contour,
		tint,
		marked("packaging.filled_line", report.Warning, marks{
			of: fill | glyph | picture | stencil | shading, group: byPaint, message: paintedMessage,
			pick: func(v *view, m *facts.Mark) (float64, bool) {
				_, role := v.technical(&m.Paint)
				return 0, role.Line()
			},
		}),
		// Images often hold white, varnish and foil beside the colours, as channels of their own.
		marked("packaging.ink_mixed", report.Warning, marks{
			of: anything, group: byPaint, message: paintedMessage,
			pick: func(v *view, m *facts.Mark) (float64, bool) {
				_, role := v.technical(&m.Paint)
				return 0, role != "" && m.Paint.Inks() > 1 && (role.Line() || m.Kind != facts.Picture)
			},
		}),
		row("packaging.carton_step", report.Error, "GWG 2022 R1001; ISO 19593-1", unfit("Folding")),
		row("packaging.crease_missing", report.Error, "GWG 2022 R1002; ISO 19593-1", missingStep("Creasing", "ReverseCreasing")),
		row("packaging.cut_missing", report.Error, "GWG 2022 R1001; ISO 19593-1", missingStep("Cutting")),
		row("packaging.flexible_step", report.Error, "GWG 2022 R1001; ISO 19593-1", unfit(slices.Concat(
			creases, []string{"PartialCutting", "ReversePartialCutting", "Drilling", "Embossing", "Debossing", "Stapling"})...)),
		row("packaging.label_step", report.Error, "GWG 2022 R1001; ISO 19593-1", unfit(slices.Concat(creases, []string{"Drilling", "Stapling"})...)),
		row("packaging.layer_mixed", report.Info, "ISO 19593-1; house rule", mixedLayers),
		row("packaging.step_process", report.Warning, "ISO 19593-1 6.3.3", printedSteps),
		row("packaging.step_unknown", report.Warning, "ISO 19593-1", everyLayer(func(l *facts.Layer) *message {
			fault := facts.StepFault(l.Group, l.Type)
			if l.Group == "" && l.Type == "" || fault == "" {
				return nil
			}
			return &message{variant: fault, values: values{"layer": l.Name, "group": l.Group, "type": l.Type}}
		})),
	}
}

// creases are the types of structural processing steps with a crease.
var creases = []string{
	"Creasing", "ReverseCreasing", "CuttingCreasing", "ReverseCuttingCreasing", "PartialCuttingCreasing", "ReversePartialCuttingCreasing",
} // constant

// missingStep finds files without a layer of any of some structural processing steps.
func missingStep(types ...string) judge {
	return once(func(in *input) *message {
		return when(!slices.ContainsFunc(in.doc.Layers, func(l *facts.Layer) bool { return structural(l, types) }), nil)
	})
}

// unfit finds layers of structural processing steps that a type of product does not have.
func unfit(types ...string) judge {
	return everyLayer(func(l *facts.Layer) *message {
		return when(structural(l, types), values{"layer": l.Name, "type": l.Type})
	})
}

func structural(l *facts.Layer, types []string) bool {
	return l.Group == "Structural" && slices.Contains(types, l.Type)
}

// technical returns the technical ink of a colour with its role, that of a line first, or "".
func (v *view) technical(p *facts.Paint) (ink facts.Tint, role report.Role) {
	for _, s := range p.Spots {
		if s.Amount <= facts.Trace || role.Line() {
			continue
		}
		if known := v.roles.Of(s.Name); known != "" {
			ink, role = s, known
		}
	}
	return ink, role
}

// packaging collects the lines that tools follow on each page, and the inks of each layer.
type packaging struct {
	roles *facts.Roles
	lines tracks
	// ends are the open ends of cutting lines.
	ends []openEnd
	// layers holds the uses of layers, nil for marks on none, and order the same in order of use.
	layers map[*facts.Layer]*layerUse
	order  []*layerUse
}

// layerUse holds the inks that one layer uses.
type layerUse struct {
	layer *facts.Layer
	// technical are the technical inks, with the place of the first one.
	technical []string
	place     observation
	// artwork are the inks and colour spaces of the artwork, with the place of the first one.
	artwork      []string
	artworkPlace observation
}

// maxLayerInks bounds the names that are kept of each layer.
const maxLayerInks = 20

// observe records the inks of a mark for its layer.
func (k *packaging) observe(page int, m *facts.Mark) {
	if m.Paint.White || registration(&m.Paint) {
		return
	}
	use := k.layers[m.Layer]
	if use == nil {
		use = &layerUse{layer: m.Layer}
		k.layers[m.Layer] = use
		k.order = append(k.order, use)
	}
	note := func(names *[]string, place *observation, name string) {
		if slices.Contains(*names, name) || len(*names) >= maxLayerInks {
			return
		}
		if len(*names) == 0 {
			box := m.Box
			*place = observation{page: page, box: &box}
		}
		*names = append(*names, name)
	}
	if !m.Paint.Known {
		note(&use.artwork, &use.artworkPlace, m.Paint.Space)
	}
	for i, amount := range m.Paint.CMYK {
		if amount > facts.Trace {
			note(&use.artwork, &use.artworkPlace, [...]string{"Cyan", "Magenta", "Yellow", "Black"}[i])
		}
	}
	for _, s := range m.Paint.Spots {
		switch {
		case s.Amount <= facts.Trace:
		case k.roles.Of(s.Name) == "":
			note(&use.artwork, &use.artworkPlace, s.Name)
		default:
			note(&use.technical, &use.place, s.Name)
		}
	}
}

// mixedLayers finds technical inks on layers with artwork, and on no layer of a file with layers.
func mixedLayers(in *input) []observation {
	var out []observation
	for _, use := range in.packaging.order {
		if len(use.technical) == 0 || len(in.doc.Layers) == 0 || use.layer != nil && len(use.artwork) == 0 {
			continue
		}
		o := use.place
		o.message = message{variant: "none", values: listed("inks", use.technical)}
		if use.layer != nil {
			o.message.variant, o.object = "mixed", use.layer.Object
			o.message.values["layer"] = use.layer.Name
		}
		out = append(out, o)
	}
	return out
}

// printedSteps finds layers of processing steps that hold inks of the artwork.
func printedSteps(in *input) []observation {
	var out []observation
	for _, use := range in.packaging.order {
		if use.layer == nil || use.layer.Group == "" || len(use.artwork) == 0 {
			continue
		}
		o := use.artworkPlace
		o.object = use.layer.Object
		o.message = message{values: listed("inks", use.artwork)}
		o.message.values["layer"], o.message.values["role"] = use.layer.Name, string(facts.RoleOfStep(use.layer.Group, use.layer.Type))
		out = append(out, o)
	}
	return out
}

// openEnd is an end of a cutting line, with the distance to the nearest other line in
// millimetres.
type openEnd struct {
	page     int
	box      geom.Rect
	distance float64
}

// openContours finds ends of cutting lines that meet no other line.
func openContours(in *input) []observation {
	var out []observation
	for _, end := range in.packaging.ends {
		if !in.breaksLimit(end.distance) {
			continue
		}
		value := geom.Round(end.distance, 2)
		if n := len(out); n > 0 && out[n-1].page == end.page {
			last := &out[n-1]
			last.count++
			if value > *last.value {
				*last.value, last.box = value, &end.box
			}
			continue
		}
		out = append(out, observation{page: end.page, box: &end.box, value: &value, count: 1})
	}
	for i := range out {
		out[i].message.values = values{"ends": float64(out[i].count)}
	}
	return out
}

// tool records the lines of a mark that a tool follows: those of inks and of processing steps for
// cutting, creasing and perforating.
func (k *packaging) tool(m *facts.Mark) {
	if m.Kind != facts.Path || !m.Stroked || m.Shape == nil || m.Paint.White || len(m.Paint.Spots) == 0 && m.Layer == nil {
		return
	}
	role := report.Role("")
	if m.Layer != nil {
		role = facts.RoleOfStep(m.Layer.Group, m.Layer.Type)
	}
	for _, s := range m.Paint.Spots {
		if known := k.roles.Of(s.Name); s.Amount > facts.Trace && known.Line() {
			role = known
		}
	}
	if role.Line() {
		k.lines.add(m.Shape, role == report.RoleCut)
	}
}

// endPage measures the open ends of the page.
func (k *packaging) endPage(page *facts.Page, v *view) {
	for _, at := range k.lines.ends {
		point := geom.Rect{at.X, at.Y, at.X, at.Y}
		if !touch(&point, &v.area) || len(k.ends) >= maxEnds {
			continue
		}
		distance, known := k.lines.nearest(at)
		if known && distance > 0 {
			reach := 1 / v.unit
			k.ends = append(k.ends, openEnd{page: page.Number, box: point.Grow(reach), distance: distance * v.unit})
		}
	}
	t := &k.lines
	t.lines, t.ends, t.segment, t.full = t.lines[:0], t.ends[:0], 0, false
}

// The bounds of the lines of a page, and of the comparisons of ends with lines in a document.
// Beyond them, ends are not judged.
const (
	maxTracks      = 20_000
	maxEnds        = 2_000
	maxComparisons = 100_000_000
	// curveSteps is the number of lines that stand for a curve.
	curveSteps = 16
)

// tracks holds the lines that tools follow on a page, in its default user space.
type tracks struct {
	lines []track
	ends  []trackEnd
	// segment numbers the segments of paths: a curve has several lines of one number.
	segment int
	full    bool
	work    int
}

type track struct {
	a, b    geom.Point
	segment int
}

// trackEnd is an end of an open cutting line. other is the other end.
type trackEnd struct {
	geom.Point
	segment int
	other   geom.Point
}

// add adds the lines of a path. The open ends of cutting lines are judged.
func (t *tracks) add(path *geom.Path, cut bool) {
	var start, at geom.Point
	first := 0
	line := func(to geom.Point) {
		if t.full = t.full || len(t.lines) >= maxTracks; !t.full && to != at {
			t.lines = append(t.lines, track{a: at, b: to, segment: t.segment})
		}
		at = to
	}
	end := func() {
		if cut && first > 0 && start != at && len(t.ends) < maxEnds {
			t.ends = append(t.ends, trackEnd{start, first, at}, trackEnd{at, t.segment, start})
		}
		first = 0
	}
	path.Each(func(v geom.Verb, to []geom.Point) {
		if v == geom.MoveTo {
			end()
			start, at = to[0], to[0]
			return
		}
		t.segment++
		if first == 0 {
			first = t.segment
		}
		switch v {
		case geom.LineTo:
			line(to[0])
		case geom.CurveTo:
			from := at
			for i := 1; i < curveSteps; i++ {
				line(onCurve(from, to, float64(i)/curveSteps))
			}
			line(to[2])
		default:
			line(start)
			first = 0
		}
	})
	end()
}

// onCurve returns the point of a cubic Bézier curve at t, from 0 to 1.
func onCurve(from geom.Point, to []geom.Point, t float64) geom.Point {
	s := 1 - t
	mix := func(a, b, c, d float64) float64 { return s*s*s*a + 3*s*s*t*b + 3*s*t*t*c + t*t*t*d }
	return geom.Point{X: mix(from.X, to[0].X, to[1].X, to[2].X), Y: mix(from.Y, to[0].Y, to[1].Y, to[2].Y)}
}

// nearest returns the distance of an end to the nearest other line or to its other end, or false
// if the page has too many lines.
func (t *tracks) nearest(end trackEnd) (float64, bool) {
	if t.work += len(t.lines); t.full || t.work > maxComparisons {
		return 0, false
	}
	least := math.Hypot(end.other.X-end.X, end.other.Y-end.Y)
	for i := range t.lines {
		if line := &t.lines[i]; line.segment != end.segment {
			least = min(least, line.distance(end.Point))
		}
	}
	return least, true
}

// distance returns the distance of a point to the line.
func (t *track) distance(p geom.Point) float64 {
	dx, dy := t.b.X-t.a.X, t.b.Y-t.a.Y
	share := ((p.X-t.a.X)*dx + (p.Y-t.a.Y)*dy) / (dx*dx + dy*dy)
	share = min(max(share, 0), 1)
	return math.Hypot(t.a.X+share*dx-p.X, t.a.Y+share*dy-p.Y)
}
