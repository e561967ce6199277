// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// widestDrill is the diameter of the largest drilled hole in micrometres.
const widestDrill = 14_000

// geometry reports lines, images, holes and cuts that lie outside of the product, and holes and cuts
// that the devices of the figures do not make.
func (r *reader) geometry(j *job) {
	for _, p := range j.parts {
		surface := p.flat
		if surface == (rectangle{}) {
			surface = p.page
		}
		if p.spineTop {
			surface = surface.turned()
		}
		if folding := intentOf("FoldingIntent", p.node); folding != nil {
			for _, name := range [...]string{"Crease", "Perforate"} {
				for line := range folding.All(name) {
					r.fits(line, "StartPosition", "WorkingPath", surface, p.bleed)
				}
			}
		}
		if embossing := intentOf("EmbossingIntent", p.node); embossing != nil {
			for item := range embossing.All("EmbossingItem") {
				r.fits(item, "Position", "ImageSize", surface, p.bleed)
			}
		}
	}
	if intent := intentOf("HoleMakingIntent", j.node); intent != nil {
		for pattern := range intent.All("HolePattern") {
			r.drilled(j, pattern)
		}
	}
	if intent := intentOf("ShapeCuttingIntent", j.node); intent != nil {
		for cut := range intent.All("ShapeCut") {
			r.contour(j, cut)
		}
	}
}

// fits reports an element whose extent from its position leaves the surface with its bleed. Without a
// position, only the extent is compared.
func (r *reader) fits(n *xjdf.Node, position, extent string, surface rectangle, bleed int64) {
	size, _ := r.size(n, extent)
	from, placed := r.size(n, position)
	if !placed {
		from = rectangle{max(-size.x, 0), max(-size.y, 0)}
	}
	inside := func(from, size, edge int64) bool {
		return min(from, from+size) >= -bleed-tolerance && max(from, from+size) <= edge+bleed+tolerance
	}
	if !inside(from.x, size.x, surface.x) || !inside(from.y, size.y, surface.y) {
		r.left(n, extent, fmt.Sprintf("the %s extends beyond the surface of %s", n.Name.Local, surface))
	}
}

// drilled reports a pattern of holes that a drill does not make.
func (r *reader) drilled(j *job, pattern *xjdf.Node) {
	r.unlessOneOf(pattern, "Shape", "holes other than round ones are not included in the figures", "Round")
	if name := attr(pattern, "Pattern"); name != "" && !strings.HasPrefix(name, "R") && !strings.HasPrefix(name, "S") {
		r.left(pattern, "Pattern", fmt.Sprintf("the pattern %.40q is punched, which is not included in the figures", name))
	}
	if hole, present := r.size(pattern, "Extent"); present && (!near(hole, hole.turned()) || min(hole.x, hole.y) <= 0 || max(hole.x, hole.y) > widestDrill) {
		r.left(pattern, "Extent", fmt.Sprintf("a hole of %s is not included in the figures; drills are at most %s mm wide", hole, millimetres(widestDrill)))
	}
	edge := max(j.closed.x, j.closed.y)
	for _, attribute := range [...]string{"Center", "Pitch"} {
		if at, _ := r.size(pattern, attribute); max(at.x, -at.x, at.y, -at.y) > edge {
			r.left(pattern, attribute, fmt.Sprintf("%s leaves the product of %s", attribute, j.closed))
		}
	}
}

// contour reports a cut other than the contour of the whole product.
func (r *reader) contour(j *job, cut *xjdf.Node) {
	r.unlessOneOf(cut, "CutOut", "a window is not included in the figures", "false", "0")
	if attr(cut, "CutPath") != "" && j.parts[0].die == nil {
		r.left(cut, "CutPath", "the tool for a path is not included in the figures")
	}
	text, present := cut.Attr("CutBox")
	if !present {
		return
	}
	var box rectangle
	if all, ok := numbers(text); ok && len(all) == 4 {
		box = rectangle{fromPoints(all[2] - all[0]), fromPoints(all[3] - all[1])}
	}
	closed := j.closed
	if j.parts[0].spineTop {
		closed = closed.turned()
	}
	if !near(box, closed) && !near(box, j.parts[0].flat) {
		r.left(cut, "CutBox", fmt.Sprintf("a cut of %s within %s is not included in the figures", box, closed))
	}
}
