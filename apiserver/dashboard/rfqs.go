// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"
	"net/url"
	"slices"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
)

// Limits of one page.
const (
	rfqsOnPage       = 50
	quotesOnPage     = 20
	assumptionsShown = 4
	breaksShown      = 5
)

// statuses are the values of the filter by status.
var statuses = [...]rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled}

// rfqsBody is one page of RFQs, the newest first.
type rfqsBody struct {
	// Status selects RFQs; empty for all.
	Status rfq.Status
	RFQs   []rfq.RFQ
	// First is the path of the first page, set on later pages. Older is the path of the
	// next page; empty on the last.
	First, Older string
}

// listRFQs serves the list of RFQs.
func (s *server) listRFQs(v *visit) response {
	if refused := v.refused(posture.RFQList); refused != nil {
		return *refused
	}
	limit, query := rfqsOnPage, v.URL.Query()
	cursor := query.Get("cursor")
	parameters := gate.ListParameters{Limit: &limit, Cursor: &cursor}
	if status := query.Get("status"); status != "" {
		parameters.Status = []string{status}
	}
	page, err := gate.Page(parameters)
	if err != nil {
		return failed(err)
	}
	list, err := s.RFQs.List(v.Context(), v.caller.Tenant(), page)
	if errors.Is(err, rfq.ErrInvalidPage) {
		err = gate.BadPage(err)
	}
	if err != nil {
		return failed(err)
	}
	body := rfqsBody{RFQs: list.Items}
	own := url.Values{}
	if len(page.Statuses) > 0 {
		body.Status = page.Statuses[0]
		own.Set("status", string(body.Status))
	}
	if page.Cursor != "" {
		body.First = "/rfqs?" + own.Encode()
	}
	if list.NextCursor != "" {
		own.Set("cursor", list.NextCursor)
		body.Older = "/rfqs?" + own.Encode()
	}
	return show(pageRFQs, "RFQs", rfqsPage(body))
}

// rfqBody is one RFQ with its quotes.
type rfqBody struct {
	rfq.RFQ
	// Refused explains why the caller may not read the quotes; empty if the caller may.
	Refused string
	// Quotes are the newest of the Valid ones.
	Quotes []quoteRow
	Valid  int
}

// showRFQ serves one RFQ. Its quotes require a capability of their own.
func (s *server) showRFQ(v *visit) response {
	if refused := v.refused(posture.RFQRead); refused != nil {
		return *refused
	}
	record, err := s.RFQs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(err)
	}
	body := rfqBody{RFQ: record}
	if decision := v.Decide(posture.QuoteRead, false); !decision.Allowed() {
		body.Refused = v.Refusal(decision).Detail
		return show(pageRFQ, record.Title, rfqPage(body))
	}
	quotes, err := s.RFQs.Quotes(v.Context(), v.caller.Tenant(), record.ID)
	if err != nil {
		return failed(err)
	}
	for _, q := range slices.Backward(quotes) {
		if q.Status == rfq.QuoteSuperseded || q.Status == rfq.QuoteWithdrawn {
			continue
		}
		if body.Valid++; body.Valid <= quotesOnPage {
			body.Quotes = append(body.Quotes, quoteRowOf(q))
		}
	}
	return show(pageRFQ, record.Title, rfqPage(body))
}

// quoteRow is a quote with as much of the supplier's text as a page shows.
type quoteRow struct {
	rfq.Quote
	Terms       string
	Breaks      []rfq.PriceBreak
	Assumptions []string
	// More reports whether something was cut off.
	More bool
}

func quoteRowOf(q rfq.Quote) quoteRow {
	offer := &q.Offer
	row := quoteRow{
		Quote: q, Breaks: offer.PriceBreaks[:min(breaksShown, len(offer.PriceBreaks))],
		More: len(offer.Assumptions) > assumptionsShown || len(offer.PriceBreaks) > breaksShown,
	}
	var cut bool
	row.Terms, cut = shortened(offer.Delivery.Terms)
	row.More = row.More || cut
	for _, text := range offer.Assumptions[:min(assumptionsShown, len(offer.Assumptions))] {
		short, cut := shortened(text)
		row.Assumptions, row.More = append(row.Assumptions, short), row.More || cut
	}
	return row
}
