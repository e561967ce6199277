// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// endSheetFold is the fold of a printed end sheet.
const endSheetFold = "F4-1"

// ribbon is a register ribbon, and its length in micrometres.
type ribbon struct {
	*authority.Service
	length int64
}

// hardCover finds the boards, the end sheets and the ribbons of a hard cover, and derives the case from the
// thickness of the leaves in micrometres.
func (r *reader) hardCover(j *job, leaves int64) {
	if r.policy.Case == (authority.Case{}) {
		r.stop(ProcessNotOffered, j.node, "", "the policy of the owner has no measures of cases")
		return
	}
	details := intentOf("BindingIntent", j.node).Child("HardCoverBinding")
	wanted := money.Decimal(0)
	if details != nil {
		wanted, _ = r.float(details, "Thickness")
	}
	board := r.priced(authority.Board, func(s *authority.Service) bool {
		off := fromMillimetres(s.Thickness) - fromPoints(wanted)
		return wanted == 0 || max(off, -off) <= tolerance
	})
	if board == nil {
		r.stop(NoDevice, details, "Thickness", "the owner offers no board with the requested thickness")
		return
	}
	if wanted == 0 {
		r.assume(AssumedBoard, fmt.Sprintf("the boards are %s, %s mm", board.ID, board.Thickness))
	}
	j.block = leaves
	if r.endSheets(j, details); r.stopped {
		return
	}
	r.ribbons(j, details)
	if isTrue(attr(details, "HeadBands")) {
		j.headBand = r.priced(authority.HeadBand, func(*authority.Service) bool { return true })
		if j.headBand == nil {
			r.left(details, "HeadBands", "the owner offers no head bands, which are not included in the figures")
		}
	}
	square, joint, turnIn := fromMillimetres(r.policy.Case.Square), fromMillimetres(r.policy.Case.Joint), fromMillimetres(r.policy.Case.TurnIn)
	spine := j.block + 2*fromMillimetres(board.Thickness)
	height := j.closed.y + 2*square
	j.boards = service{Service: board, area: times(2*(j.closed.x+square-joint)+spine, height)}
	j.sheet = rectangle{2*(j.closed.x+square) + spine + 2*turnIn, height + 2*turnIn}
	if i := slices.IndexFunc(j.parts, func(p *part) bool { return p.role == roleJacket }); i >= 0 {
		width := money.Decimal(0)
		if details != nil {
			width, _ = r.float(details, "JacketFoldingWidth")
		}
		if width <= 0 {
			r.stop(SizeMissing, details, "JacketFoldingWidth", "a jacket requires the width of its flaps")
			return
		}
		j.jacket = rectangle{2*(j.closed.x+square+fromPoints(width)) + spine, height}
	}
	r.assume(AssumedSpine, fmt.Sprintf("the spine board is %s mm, calculated from the block of %s mm and the boards", millimetres(spine), millimetres(j.block)))
}

// endSheets adds the end sheets to the block: those that are products, or two unprinted ones.
func (r *reader) endSheets(j *job, details *xjdf.Node) {
	wanted := attr(details, "EndSheets")
	printed := false
	for _, p := range j.parts {
		if p.role == roleEndSheet {
			printed = true
			j.block = plus(j.block, p.thickness())
		}
	}
	switch {
	case printed:
		if wanted != "" && !isTrue(wanted) {
			r.left(details, "EndSheets", "the figures include the end sheets that are products of their own")
		}
		return
	case wanted == "":
		r.assume(AssumedEndSheets, "the book has two end sheets")
	case !isTrue(wanted):
		return
	}
	j.endSheet = r.priced(authority.EndSheet, func(*authority.Service) bool { return true })
	if j.endSheet == nil {
		r.stop(NoDevice, details, "EndSheets", "the owner offers no end sheets")
		return
	}
	// Two end sheets have two leaves each.
	j.block = plus(j.block, 4*fromMillimetres(j.endSheet.Thickness))
}

// ribbons finds the register ribbons of a book.
func (r *reader) ribbons(j *job, details *xjdf.Node) {
	if details == nil {
		return
	}
	for one := range details.All("RegisterRibbon") {
		color := attr(one, "RibbonColor")
		length, _ := r.float(one, "LengthOverall")
		if length <= 0 || fromPoints(length) > largestSide {
			r.left(one, "LengthOverall", "a ribbon requires its length; it is not included in the figures")
			continue
		}
		offered := r.priced(authority.Ribbon, func(s *authority.Service) bool { return color == "" || s.RibbonColor == color })
		if offered == nil {
			r.left(one, "RibbonColor", fmt.Sprintf("the owner offers no ribbon with the colour %.40q; it is not included in the figures", color))
			continue
		}
		j.ribbons = append(j.ribbons, ribbon{offered, fromPoints(length)})
	}
}

// sewing finds the thread of a block that is to be sewn.
func (r *reader) sewing(j *job, binding *xjdf.Node) {
	var details *xjdf.Node
	switch j.bind {
	case authority.CoverApplication:
		details = binding.Child("SoftCoverBinding")
	case authority.CasingIn:
		details = binding.Child("HardCoverBinding")
	}
	if !isTrue(attr(details, "BlockThreadSewing")) {
		return
	}
	j.thread = r.priced(authority.Thread, func(*authority.Service) bool { return true })
	if !r.performed(authority.ThreadSewing, func(*authority.Device) bool { return true }) {
		j.thread = nil
	}
	if j.thread == nil {
		r.left(details, "BlockThreadSewing", "the owner has no device for ThreadSewing, or no thread, which are not included in the figures")
	}
}

// caseAgrees compares the open size and the thickness of a part of a hard cover with the case.
func (r *reader) caseAgrees(j *job, p *part) {
	thickness := j.block
	if p.role != roleBody {
		thickness += 2 * fromMillimetres(j.boards.Thickness)
		sheet, name := j.sheet, "cover sheet of the case"
		switch p.role {
		case roleJacket:
			sheet, name = j.jacket, "jacket"
		case roleEndSheet:
			sheet, name, thickness = rectangle{2 * p.page.x, p.page.y}, "end sheet", p.thickness()
		}
		if p.open != (rectangle{}) && !near(p.open, sheet) {
			r.conflict(p, "Dimensions", fmt.Sprintf("the %s is %s, which is calculated", name, sheet))
		}
	}
	r.thicknessAgrees(p, thickness)
}

// endSheetArea returns the area of the end sheets of a product before trimming: two sheets of two
// leaves.
func (j *job) endSheetArea() int64 {
	trim := int64(0)
	for _, p := range j.parts {
		if p.role == roleBody {
			trim = max(trim, p.trim)
		}
	}
	return times(4*(j.closed.x+trim), j.closed.y+2*trim)
}

// endSheetSort returns the sort of a printed end sheet, which is folded and then trimmed with the
// block.
func (p *part) endSheetSort() *sort {
	p.flat = rectangle{2 * p.page.x, p.page.y}
	s := p.flatSort()
	s.size = rectangle{2 * p.leaf().x, p.leaf().y}
	return s
}
