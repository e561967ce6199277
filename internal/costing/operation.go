// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// mostOperations bounds the operations of a part.
const mostOperations = 8

// operation is a run of the pieces of a part through one device.
type operation struct {
	process authority.Process
	// embossing is the EmbossingType, and tool is made once. They are empty for other processes.
	embossing string
	tool      *authority.Service
	// material is a foil, the boards of a case or the thread of a sheet, or nil. need is the
	// quantity for each piece, in 1e-12 units of its price.
	material *authority.Service
	item     Item
	need     int64
	// glued is set if the device glues the piece along need micrometres of the spine.
	glued bool
}

// flatPieces reports whether the part is a single piece: a flat product, a cover, or a leaf of
// LooseBinding.
func (p *part) flatPieces() bool { return p.role != roleBody || p.loose && p.pages == 2 }

// operations finds the perforations and the embossings of a part of flat pieces.
func (r *reader) operations(p *part) {
	if !p.flatPieces() {
		return
	}
	if embossing := intentOf("EmbossingIntent", p.node); embossing != nil {
		items := slices.Collect(embossing.All("EmbossingItem"))
		if len(items) > mostOperations {
			r.stop(IntentNotCosted, embossing, "", fmt.Sprintf("%s has %d embossings; the limit is %d", described(p.node), len(items), mostOperations))
			return
		}
		for _, item := range items {
			r.emboss(p, item)
		}
	}
	if folding := intentOf("FoldingIntent", p.node); folding != nil {
		r.perforate(p, folding)
	}
	if len(p.operations) > mostOperations {
		r.stop(IntentNotCosted, p.node, "", fmt.Sprintf("%s needs %d runs to emboss and perforate it; the limit is %d", described(p.node), len(p.operations), mostOperations))
	}
}

// perforate adds a run for each direction of the perforations.
func (r *reader) perforate(p *part, folding *xjdf.Node) {
	lines := slices.Collect(folding.All("Perforate"))
	if len(lines) == 0 {
		return
	}
	if !r.performed(authority.Perforating, func(*authority.Device) bool { return true }) {
		r.left(lines[0], "", "the owner has no device for Perforating, which is not included in the figures")
		return
	}
	for range r.runs(lines, "perforations") {
		p.operations = append(p.operations, operation{process: authority.Perforating})
	}
}

// creases counts the runs for the creases of a part. A heavy sheet with a fold outside of the
// table needs a review, unless the document states its creases.
func (r *reader) creases(p *part) {
	folding := intentOf("FoldingIntent", p.node)
	if p.role == roleFlat && p.fold != "" && p.medium.Weight > creaseAbove {
		known, listed := panelsOf(p.fold)
		switch {
		case listed && known.rows == 1:
			p.creases = 1
		case listed: // its folds cross
			p.creases = 2
		case folding.Child("Crease") == nil:
			p.creases = 2
			r.left(folding, "FoldCatalog", fmt.Sprintf("the directions of the folds of %.20q are unknown; the figures include two runs of creases", p.fold))
		}
	}
	if folding != nil {
		p.creases = max(p.creases, r.runs(slices.Collect(folding.All("Crease")), "creases"))
	}
}

// runs returns the number of directions of lines: a run makes all lines of one direction.
func (r *reader) runs(lines []*xjdf.Node, what string) int {
	directions := map[bool]bool{}
	for _, line := range lines {
		path, _ := numbers(attr(line, "WorkingPath"))
		straight := len(path) == 2 && (path[0] == 0) != (path[1] == 0)
		if !straight && len(lines) > 1 {
			r.left(line, "WorkingPath", fmt.Sprintf("one of several %s must run along an edge; it is not included in the figures", what))
			continue
		}
		directions[straight && path[0] == 0] = true
	}
	return len(directions)
}

// emboss adds a run for an EmbossingItem, with its tool and its foil.
func (r *reader) emboss(p *part, item *xjdf.Node) {
	kind := attr(item, "EmbossingType")
	if !r.performed(authority.Embossing, func(d *authority.Device) bool { return slices.Contains(d.EmbossingTypes, kind) }) {
		r.left(item, "EmbossingType", fmt.Sprintf("the owner has no device for %.40q, which is not included in the figures", kind))
		return
	}
	op := operation{process: authority.Embossing, embossing: kind, tool: r.priced(authority.EmbossingTool, func(s *authority.Service) bool { return s.EmbossingType == kind })}
	if op.tool == nil {
		r.left(item, "EmbossingType", fmt.Sprintf("the owner offers no tool for %.40q, which is not included in the figures", kind))
		return
	}
	r.unlessOneOf(item, "Direction", "a tool for both directions is not included in the figures", "Raised", "Depressed", "Flat")
	if kind == "FoilStamping" || kind == "FoilEmbossing" {
		color := attr(item, "FoilColor")
		op.item = ItemFoil
		op.material = r.priced(authority.Foil, func(s *authority.Service) bool { return s.FoilColor == color })
		image, present := r.size(item, "ImageSize")
		switch {
		case op.material == nil:
			r.left(item, "FoilColor", fmt.Sprintf("the owner offers no foil with the colour %.40q; the item is not included in the figures", color))
			return
		case !present || image.x <= 0 || image.y <= 0:
			r.left(item, "ImageSize", "the size of a foil is required; the item is not included in the figures")
			return
		}
		op.need = times(image.x, image.y)
	} else if attr(item, "FoilColor") != "" {
		r.left(item, "FoilColor", kind+" uses no foil, so that its colour is ignored")
	}
	p.operations = append(p.operations, op)
}

// element finds the wire or the coil for a block of a thickness in micrometres.
func (r *reader) element(j *job, thickness int64) {
	if j.loose == "" {
		return
	}
	j.wire = r.priced(authority.BindingElement, func(s *authority.Service) bool {
		return s.BindingType == j.loose && fromMillimetres(s.MaxThickness) >= thickness && fromMillimetres(s.MaxLength) >= j.closed.y
	})
	if j.wire == nil {
		r.stop(NoDevice, j.node, "", fmt.Sprintf("the owner offers no element for %s that binds %s mm on a spine of %s mm", j.loose, millimetres(thickness), millimetres(j.closed.y)))
	}
}

// performed reports whether the owner has a device of a process that fits.
func (r *reader) performed(process authority.Process, fits func(*authority.Device) bool) bool {
	devices := r.snapshot.Content().Devices
	for i := range devices {
		if devices[i].Process == process && fits(&devices[i]) {
			return true
		}
	}
	return false
}

// priced returns the cheapest service of a kind that fits, or nil.
func (r *reader) priced(kind authority.ServiceKind, fits func(*authority.Service) bool) *authority.Service {
	return cheapest(r.snapshot.Content().Services,
		func(s *authority.Service) bool { return s.Kind == kind && fits(s) },
		func(s *authority.Service) int64 { return int64(s.Price.Amount) })
}

// flatAlone reports a request of a product that has no flat pieces of its own.
func (r *reader) flatAlone(j *job, product, n *xjdf.Node, what string) {
	if !slices.ContainsFunc(j.parts, func(p *part) bool { return p.node == product && p.flatPieces() }) {
		r.left(n, "", what+" is included in the figures for flat products, covers and single leaves alone")
	}
}

// operators returns the combinations of devices for the operations of a part, each with one
// device for each operation. Their number is bounded.
func (s *search) operators(on *sort) [][]*machine {
	all := [][]*machine{nil}
	for _, op := range on.part.operations {
		able := s.usable(op.process, true, func(m *machine) string {
			if op.process == authority.Embossing && !slices.Contains(m.EmbossingTypes, op.embossing) {
				return "it does not support " + op.embossing
			}
			if op.glued && m.Adhesive == "" {
				return "it has no adhesive"
			}
			size := on.size
			if op.process == authority.ThreadSewing {
				if reason := m.takesPages(on.pages); reason != "" {
					return reason
				}
				size = on.part.leaf()
			}
			return m.takes(size, on.part.medium.Weight)
		})
		var longer [][]*machine
		for _, before := range all {
			for _, m := range able {
				if len(longer) == mostFinishes {
					s.truncated = true
					break
				}
				longer = append(longer, append(slices.Clone(before), m))
			}
		}
		all = longer
	}
	return all
}

// operate adds the lines of the operations, the last first, and returns the number of pieces
// to cut for a number of good ones.
func (w *way) operate(t *tally, pieces int64) int64 {
	for i := len(w.operators) - 1; i >= 0; i-- {
		m, op := w.operators[i], &w.sort.part.operations[i]
		pieces = m.spoiled(pieces, 1)
		t.run(m, "pieces", 1, pieces)
		if op.material != nil {
			need := money.MulDiv(pieces, op.need, 1e8)
			t.add(row{op.process, op.item, authority.FamilyService, op.material.ID, need, op.material.Price.Per, op.material.Price.Amount}, t.text(string(op.item)+" on %d pieces", pieces))
		}
		if op.glued {
			t.add(m.glue(pieces, op.need), t.text("on the spines of %d pieces", pieces))
		}
		if op.tool != nil {
			t.add(row{op.process, ItemTools, authority.FamilyService, op.tool.ID, quantityOne, op.tool.Price.Per, op.tool.Price.Amount}, t.text("%d tool", 1))
		}
	}
	return pieces
}
