// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// oneRFQ is a store of the RFQ that the service works on. Other methods are not called.
type oneRFQ struct {
	rfq.Store
	record rfq.RFQ
	quotes []rfq.Quote
	events []transaction.Event
	audit  []transaction.AuditEntry
}

// CreateRFQ implements [rfq.Store].
func (o *oneRFQ) CreateRFQ(_ context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) (rfq.RFQ, transaction.Outcome, error) {
	*o = oneRFQ{record: record, quotes: quotes, events: terms.Events}
	return record, transaction.Created, nil
}

// AmendRFQ implements [rfq.Store].
func (o *oneRFQ) AmendRFQ(_ context.Context, _ tenant.ID, _ string, decide func(rfq.RFQ, []rfq.Quote) (rfq.Amendment, error)) error {
	amendment, err := decide(o.record, slices.Clone(o.quotes))
	if err != nil {
		return err
	}
	o.record, o.events = amendment.RFQ, append(o.events, amendment.Events...)
	for _, quote := range amendment.Quotes {
		if at := slices.IndexFunc(o.quotes, func(q rfq.Quote) bool { return q.ID == quote.ID }); at >= 0 {
			o.quotes[at] = quote
		} else {
			o.quotes = append(o.quotes, quote)
		}
	}
	if amendment.AuditEntry != nil {
		o.audit = append(o.audit, *amendment.AuditEntry)
	}
	return nil
}

// DueRFQs implements [rfq.Store].
func (o *oneRFQ) DueRFQs(context.Context, time.Time, time.Time, int) ([]rfq.Due, error) {
	return []rfq.Due{{Owner: o.record.Tenant, ID: o.record.ID}}, nil
}

// supplier is a supplier with its price level and its usual lead time in days.
type supplier struct {
	rfq.Supplier
	level    float64
	leadTime int
}

var suppliers = []supplier{
	{rfq.Supplier{ID: "sup_rijnmond", DisplayName: "Rijnmond Print"}, 1, 5},
	{rfq.Supplier{ID: "sup_elbe", DisplayName: "Druckhaus Elbe"}, 1.08, 4},
	{rfq.Supplier{ID: "sup_lumen", DisplayName: "Atelier Lumen"}, 1.22, 7},
	{rfq.Supplier{ID: "sup_nordlys", DisplayName: "Nordlys Trykkeri"}, 0.94, 9},
	{rfq.Supplier{ID: "sup_ponte", DisplayName: "Tipografia Ponte"}, 0.88, 11},
	{rfq.Supplier{ID: "sup_vistula", DisplayName: "Drukarnia Wisła"}, 0.82, 12},
}

// The texts of RFQs.
var (
	occasions = []string{"Spring campaign", "Trade fair", "Shop opening", "Annual report", "Product launch", "Autumn sale", "Season programme", "Reorder", "Open day", "Jubilee"}
	cities    = []string{"Utrecht", "Antwerpen", "Hamburg", "Lyon", "Milano", "Wien", "Kraków", "Göteborg", "Porto", "Rotterdam", "Leipzig", "Gent"}
	runs      = []int64{100, 250, 500, 1000, 2500, 5000, 10_000, 25_000}
	// prices are the prices in cents of one copy of a run of 1000, by the group of the product.
	prices = map[string]float64{"commercial-print": 6, "stationery": 9, "large-format": 310, "books-and-booklets": 185, "labels-and-packaging": 14}
	// simulated are the products with which a test key selects a state.
	simulated = []string{"sim:rfq:awarded", "sim:rfq:expired", "sim:rfq:cancelled", "sim:rfq:quote-expired"}
	operator  = transaction.Actor{Organization: "org_market", Key: "operations", RequestID: "demo"}
)

// makeRFQs generates the RFQs. They begin five days before the other records, so that some have
// expired.
func (g *generator) makeRFQs(ctx context.Context) error {
	for i, at := range g.moments(g.RFQs) {
		if i%12 == 0 && g.Days > 20 {
			at = at.Add(-5 * 24 * time.Hour)
		}
		p := g.anyPartner(func(p *partner) bool {
			day := useKey{owner: p.owner(tenant.Live), day: at.Truncate(24 * time.Hour)}
			return p.perDay == 0 || g.perDay[day] < p.perDay
		})
		owner := p.owner(g.mode(p))
		g.perDay[useKey{owner: p.owner(tenant.Live), day: at.Truncate(24 * time.Hour)}]++
		if err := g.makeRFQ(ctx, owner, at); err != nil {
			return err
		}
		g.records.RFQs, g.records.Quotes = append(g.records.RFQs, g.rfq.record), append(g.records.Quotes, g.rfq.quotes...)
		g.audit = append(g.audit, g.rfq.audit...)
		g.filled.RFQs, g.filled.Quotes = g.filled.RFQs+1, g.filled.Quotes+len(g.rfq.quotes)
		g.use(owner, transaction.CreateRFQ, at)
		if err := g.logRFQ(owner, at); err != nil {
			return err
		}
		if err := g.keep(ctx, owner, g.rfq.events); err != nil {
			return err
		}
	}
	return nil
}

// makeRFQ lets an RFQ live until now.
func (g *generator) makeRFQ(ctx context.Context, owner tenant.ID, at time.Time) error {
	product := one(g, g.products)
	draft := rfq.Draft{
		CatalogProductUID: product.UID, Category: product.Group, Quantity: one(g, runs), DeliveryCity: one(g, cities),
		Title: one(g, occasions) + ": " + product.Name,
	}
	if g.chance(0.6) {
		draft.ClientReference = fmt.Sprintf("PO-%d", 40_000+g.draw.IntN(50_000))
	}
	if owner.Mode == tenant.Test && g.chance(0.3) {
		draft.CatalogProductUID = one(g, simulated)
	}
	g.clock = at
	made, err := g.rfqs.Create(ctx, owner, draft, rfq.Terms{Quota: transaction.Quota{Limit: MaxRecords, Window: 24 * time.Hour}})
	if err != nil {
		return err
	}
	if owner.Mode == tenant.Live {
		if err := g.negotiate(ctx, owner, made.RFQ.ID, product); err != nil {
			return err
		}
	} else {
		g.clock = at.Add(rfq.SimulatedAfter)
		if _, err := g.rfqs.Sweep(ctx, 1); err != nil {
			return err
		}
	}
	g.clock = g.Now
	_, err = g.rfqs.Sweep(ctx, 1)
	return err
}

// negotiate lets suppliers quote, and the marketplace or the owner end the RFQ. All of it
// happens before the response deadline.
func (g *generator) negotiate(ctx context.Context, owner tenant.ID, id string, product catalog.Product) error {
	wait := func(low, high time.Duration) bool {
		g.clock = g.clock.Add(g.between(low, high))
		return g.clock.Before(g.Now)
	}
	offered := g.draw.Perm(len(suppliers))[:max(0, min(g.draw.IntN(6)-1, 4))]
	if len(offered) > 0 && g.chance(0.1) {
		offered = append(offered, offered[0]) // a second, better offer
	}
	for i, n := range offered {
		low, high := 10*time.Minute, 4*time.Hour
		if i > 0 {
			low, high = time.Hour, 40*time.Hour
		}
		if !wait(low, high) {
			return nil
		}
		offer, err := g.offer(suppliers[n], product, i > 0 && n == offered[0])
		if err != nil {
			return err
		}
		quoted, err := g.rfqs.SubmitQuote(ctx, owner, id, offer, rfq.Instruction{Actor: operator})
		if err != nil {
			return err
		}
		if g.chance(0.03) && wait(time.Hour, 3*time.Hour) {
			if _, err := g.rfqs.WithdrawQuote(ctx, owner, id, quoted.Quote.ID, rfq.Instruction{Actor: operator, Reason: "The supplier has no capacity."}); err != nil {
				return err
			}
		}
	}
	if g.chance(0.8) || !wait(2*time.Hour, 60*time.Hour) {
		return nil
	}
	var err error
	if g.chance(0.3) {
		_, err = g.rfqs.CancelOwn(ctx, owner, id)
	} else {
		_, err = g.rfqs.Close(ctx, owner, id, rfq.Instruction{Actor: operator, Reason: "The buyer has decided."})
	}
	return err
}

// offer returns the offer of a supplier: a longer run has a lower price for each copy.
func (g *generator) offer(by supplier, product catalog.Product, better bool) (rfq.Offer, error) {
	draft := g.rfq.record.Draft
	level := by.level * (0.92 + 0.16*g.draw.Float64())
	if better {
		level *= 0.94
	}
	unit := func(quantity int64) (money.Money, error) {
		return money.Parse(fmt.Sprintf("%.4f", level*prices[product.Group]/100*(0.55+0.45*1000/float64(max(quantity, 100)))), "EUR")
	}
	price, err := unit(draft.Quantity)
	if err != nil {
		return rfq.Offer{}, err
	}
	total, err := price.Times(draft.Quantity)
	if err != nil {
		return rfq.Offer{}, err
	}
	offer := rfq.Offer{
		Supplier: by.Supplier, Total: total.Rounded(), UnitPrice: price, Quantity: draft.Quantity, LeadTimeDays: by.leadTime + g.draw.IntN(3),
		Delivery: rfq.Delivery{City: draft.DeliveryCity, Terms: "DAP"}, ValidUntil: g.clock.Add(time.Duration(7+g.draw.IntN(21)) * 24 * time.Hour),
	}
	for _, times := range []int64{2, 5} {
		lower, err := unit(draft.Quantity * times)
		if err != nil {
			return rfq.Offer{}, err
		}
		offer.PriceBreaks = append(offer.PriceBreaks, rfq.PriceBreak{Quantity: draft.Quantity * times, UnitPrice: lower})
	}
	if g.chance(0.3) {
		offer.Assumptions = []string{"Files arrive print ready, with 3 mm of bleed."}
	}
	return offer, nil
}
