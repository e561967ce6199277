// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
)

// Bounds of what one page shows.
const (
	rfqsOnPage       = 50
	quotesOnPage     = 20
	assumptionsShown = 5
	breaksShown      = 5
	// textShown bounds free text of suppliers, in characters.
	textShown = 200
)

// statuses are those that a list may be narrowed to.
var statuses = [...]rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled}

// rfqsBody is one page of RFQs, the newest first.
type rfqsBody struct {
	// Status is the one that the list is narrowed to; empty: any.
	Status rfq.Status
	Rows   []rfqRow
	// First is the list from its beginning, set on later pages; Older is the next
	// page; empty on the last.
	First, Older string
}

type rfqRow struct {
	Title, Path, TrackingCode, City string
	Status                          rfq.Status
	Quantity                        int64
	Quotes                          int
	Created                         instant
}

// listRFQs serves the list.
func (b *board) listRFQs(v *visit) answer {
	if refused := v.may(posture.RFQList); refused != nil {
		return *refused
	}
	limit := rfqsOnPage
	parameters := gate.ListParameters{Limit: &limit}
	query := v.URL.Query()
	if status := query.Get("status"); status != "" {
		parameters.Status = []string{status}
	}
	cursor := query.Get("cursor")
	parameters.Cursor = &cursor
	page, err := gate.Page(parameters)
	if err != nil {
		return failed(err)
	}
	list, err := b.RFQs.List(v.Context(), v.caller.Tenant(), page)
	if errors.Is(err, rfq.ErrInvalidPage) {
		err = gate.BadPage(err)
	}
	if err != nil {
		return failed(err)
	}
	return answer{status: http.StatusOK, page: pageRFQs, title: "RFQs", content: rfqsPage(listOf(page, list))}
}

func listOf(page rfq.Page, list rfq.List) (body rfqsBody) {
	query := url.Values{}
	if len(page.Statuses) > 0 {
		body.Status = page.Statuses[0]
		query.Set("status", string(body.Status))
	}
	if page.Cursor != "" {
		body.First = "/rfqs?" + query.Encode()
	}
	if list.NextCursor != "" {
		query.Set("cursor", list.NextCursor)
		body.Older = "/rfqs?" + query.Encode()
	}
	for _, r := range list.Items {
		body.Rows = append(body.Rows, rfqRow{
			Title: r.Title, Path: "/rfqs/" + r.ID, TrackingCode: r.TrackingCode, City: r.DeliveryCity, Status: r.Status,
			Quantity: r.Quantity, Quotes: r.QuoteCount, Created: instant(r.CreatedAt),
		})
	}
	return body
}

// rfqBody is one RFQ with its quotes.
type rfqBody struct {
	ID, TrackingCode, Product, ProductUID, Category, City string
	Status                                                rfq.Status
	Quantity                                              int64
	Created, Updated, Deadline, Expires                   instant
	// Refused is why the quotes may not be read; empty if they may.
	Refused string
	Quotes  []quoteRow
	// Standing is how many quotes stand, of which Quotes are the newest.
	Standing int
}

type quoteRow struct {
	Supplier, Total, UnitPrice, City, Terms string
	Status                                  rfq.QuoteStatus
	Revision, LeadTimeDays                  int
	Quantity                                int64
	Breaks                                  []rfq.PriceBreak
	Assumptions                             []string
	// More is whether the supplier has said more than is shown.
	More       bool
	ValidUntil instant
}

// showRFQ serves one RFQ. Its quotes are a capability of their own.
func (b *board) showRFQ(v *visit) answer {
	if refused := v.may(posture.RFQRead); refused != nil {
		return *refused
	}
	record, err := b.RFQs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(err)
	}
	body := bodyOf(record)
	if decision := v.Decide(posture.QuoteRead, false); !decision.Allowed() {
		body.Refused = v.Refusal(decision).Detail
		return shown(record, body)
	}
	quotes, err := b.RFQs.Quotes(v.Context(), v.caller.Tenant(), record.ID)
	if err != nil {
		return failed(err)
	}
	body.Quotes, body.Standing = newest(quotes)
	return shown(record, body)
}

func shown(record rfq.RFQ, body rfqBody) answer {
	return answer{status: http.StatusOK, page: pageRFQ, title: record.Title, content: rfqPage(record.Title, body)}
}

func bodyOf(r rfq.RFQ) rfqBody {
	return rfqBody{
		ID: r.ID, TrackingCode: r.TrackingCode, Product: r.Product.Name, ProductUID: r.CatalogProductUID, Category: r.Category, City: r.DeliveryCity,
		Status: r.Status, Quantity: r.Quantity,
		Created: instant(r.CreatedAt), Updated: instant(r.UpdatedAt), Deadline: instant(r.ResponseDeadline), Expires: instant(r.ExpiresAt),
	}
}

// newest are the quotes that stand, the newest first and no more than a page takes.
// Quotes come oldest first.
func newest(quotes []rfq.Quote) (rows []quoteRow, standing int) {
	for _, q := range slices.Backward(quotes) {
		if q.Status == rfq.QuoteSuperseded || q.Status == rfq.QuoteWithdrawn {
			continue
		}
		if standing++; standing <= quotesOnPage {
			rows = append(rows, quoteRowOf(q))
		}
	}
	return rows, standing
}

func quoteRowOf(q rfq.Quote) quoteRow {
	row := quoteRow{
		Supplier: q.Offer.Supplier.DisplayName, Total: q.Offer.Total.String(), UnitPrice: q.Offer.UnitPrice.String(),
		City: q.Offer.Delivery.City, Status: q.Status, Revision: q.Revision, LeadTimeDays: q.Offer.LeadTimeDays, Quantity: q.Offer.Quantity,
		ValidUntil: instant(q.Offer.ValidUntil), Breaks: q.Offer.PriceBreaks[:min(breaksShown, len(q.Offer.PriceBreaks))],
		More: len(q.Offer.Assumptions) > assumptionsShown || len(q.Offer.PriceBreaks) > breaksShown,
	}
	var cut bool
	row.Terms, cut = shortened(q.Offer.Delivery.Terms)
	row.More = row.More || cut
	for _, text := range q.Offer.Assumptions[:min(assumptionsShown, len(q.Offer.Assumptions))] {
		short, cut := shortened(text)
		row.Assumptions, row.More = append(row.Assumptions, short), row.More || cut
	}
	return row
}

// shortened is a text, or as much of it as a page shows.
func shortened(text string) (string, bool) {
	if characters := []rune(text); len(characters) > textShown {
		return string(characters[:textShown]) + "…", true
	}
	return text, false
}
