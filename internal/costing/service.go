// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The steps of services, which no device performs.
const (
	Proofing   authority.Process = "Proofing"
	BoxPacking authority.Process = "BoxPacking"
	Delivery   authority.Process = "Delivery"
)

// service is a service of a job.
type service struct {
	*authority.Service
	// proofs is the number of pages of a Proof.
	proofs int64
	// box is the number of products in a package, for Packing and for Freight by package.
	box int64
	// weight is the weight of a product in 1e-11 g, for Freight by weight.
	weight int64
	// area is the area of the boards of a case in square micrometres.
	area int64
}

// serve adds the lines of the services for a number of delivered products.
func (j *job) serve(t *tally, products int64) {
	for _, s := range j.services {
		r := row{family: authority.FamilyService, id: s.ID, unit: s.Price.Per, rate: s.Price.Amount}
		var text string
		switch {
		case s.Kind == authority.Proof:
			r.step, r.item, r.quantity = Proofing, ItemProofs, times(s.proofs, quantityOne)
			text = t.text("%d proofed page(s)", s.proofs)
		case s.Kind == authority.DataPreparation:
			r.step, r.item, r.quantity = authority.DigitalPrinting, ItemPreparation, quantityOne
			text = t.text("data of %d records", products)
		case s.Kind == authority.VariableRecord:
			r.step, r.item, r.quantity = authority.DigitalPrinting, ItemRecords, times(products, quantityOne)
			text = t.text("a record for each of %d products", products)
		case s.Kind == authority.Packing:
			r.step, r.item, r.quantity = BoxPacking, ItemPacking, times(money.CeilDiv(products, s.box), quantityOne)
			text = t.text("at most %d products in a package", s.box)
		case s.Price.Per == authority.PerKilogram:
			r.step, r.item, r.quantity = Delivery, ItemFreight, kilograms(products, s.weight)
			text = t.text("the weight of %d products", products)
		default:
			r.step, r.item, r.quantity = Delivery, ItemFreight, times(money.CeilDiv(products, s.box), quantityOne)
			text = t.text("packages of at most %d products", s.box)
		}
		t.add(r, text)
	}
}

// proof finds the service for a requested proof of a product or a part.
func (r *reader) proof(j *job, product, item *xjdf.Node) {
	kind, contract := attr(item, "ColorType"), isTrue(attr(item, "Contract"))
	offered := cheapest(r.snapshot.Content().Services,
		func(s *authority.Service) bool {
			return s.Kind == authority.Proof && s.ColorType == kind && (s.Contract || !contract)
		},
		func(s *authority.Service) int64 { return int64(s.Price.Amount) })
	if offered == nil {
		binding := ""
		if contract {
			binding = "contract "
		}
		r.left(item, "ColorType", fmt.Sprintf("the owner offers no %sproof with the ColorType %.40q", binding, kind))
		return
	}
	amount, present := r.count(item, "Amount")
	if !present {
		amount = 1
	}
	if amount < 1 || amount > maxPages {
		r.review(ValueUnreadable, item, "Amount", fmt.Sprintf("a number of proofs must be from 1 to %d", maxPages))
		return
	}
	pages := int64(0)
	for _, p := range j.parts {
		if p.node != product && product != j.node {
			continue
		}
		for _, printed := range p.prints {
			switch {
			case printed && p.role == roleBody:
				pages += p.pages / 2
			case printed:
				pages++
			}
		}
	}
	j.services = append(j.services, service{Service: offered, proofs: times(amount, pages)})
}

// dispatch finds the packing and the freight of a job, by the policy of the owner.
func (r *reader) dispatch(j *job) {
	if r.policy.Packing == "" && r.policy.Freight == "" {
		return
	}
	if j.deliveries > 1 {
		r.left(j.node, "", "packing and freight of several deliveries are not included in the figures")
		return
	}
	s := service{weight: j.weight()}
	if packing, found := r.snapshot.Service(r.policy.Packing); found {
		s.box = authority.MaxQuantity
		if packing.MaxPieces > 0 {
			s.box = packing.MaxPieces
		}
		if packing.MaxWeight > 0 {
			s.box = min(s.box, times(int64(packing.MaxWeight), 1e8)/max(s.weight, 1))
		}
		if s.box == 0 {
			r.stop(NoDevice, j.node, "", fmt.Sprintf("%s packs at most %s kg, and one product weighs more", packing.ID, packing.MaxWeight))
			return
		}
		s.Service = &packing
		j.services = append(j.services, s)
	}
	if freight, found := r.snapshot.Service(r.policy.Freight); found && !j.collected {
		s.Service = &freight
		j.services = append(j.services, s)
	}
}

// weight returns the weight of the media, boards and end sheets of a product in 1e-11 g.
func (j *job) weight() int64 {
	total := int64(0)
	for _, p := range j.parts {
		leaf, leaves := p.flat, int64(1)
		if p.role == roleBody {
			leaf, leaves = p.page, p.pages/2
		}
		if p.twice {
			leaves = 2
		}
		total = plus(total, times(leaves, grams(times(leaf.x, leaf.y), p.medium.Weight)))
	}
	if j.boards.Service != nil {
		total = plus(total, grams(j.boards.area, j.boards.Weight))
	}
	if j.endSheet != nil {
		total = plus(total, grams(times(4*j.closed.x, j.closed.y), j.endSheet.Weight))
	}
	return total
}
