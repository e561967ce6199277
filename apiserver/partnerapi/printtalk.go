// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
)

// forms are the media types of records that PrintTalk has a word for.
func forms() []string { return append([]string{"application/json"}, printtalk.MediaTypes()...) }

// inPrintTalk serves the record as PrintTalk to whoever likes that best, and
// leaves all others to the next handler. The form belongs to the XJDF layer, so a
// caller that the layer is closed to does not get it. Whether it can be revalidated
// is up to the record: it is as with JSON.
func inPrintTalk(revalidated bool, document func(*gate.Call) (*xjdf.Node, error), next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		if !slices.Contains(printtalk.MediaTypes(), c.MediaType) {
			return next(c)
		}
		if decision := c.Decide(posture.XJDF, false); !decision.Allowed() {
			if c.Accepts("application/json") {
				return next(c) // as a browser does, which likes any XML better
			}
			return c.Refusal(decision)
		}
		root, err := document(c)
		if err != nil {
			return err
		}
		var body bytes.Buffer
		if err := xjdf.WriteXML(&body, root); err != nil {
			return fmt.Errorf("write PrintTalk: %w", err)
		}
		if revalidated {
			digest := sha256.Sum256(body.Bytes())
			if c.Revalidate(`"` + hex.EncodeToString(digest[:16]) + `"`) {
				c.Writer.WriteHeader(http.StatusNotModified)
				return nil
			}
		}
		respond.Bytes(c.Writer, http.StatusOK, c.MediaType, body.Bytes())
		return nil
	}
}

// requestForQuotation is the RFQ as PrintTalk.
func (s *surface) requestForQuotation(c *gate.Call) (*xjdf.Node, error) {
	record, err := s.rfqs.Get(c.Context(), c.Tenant(), chi.URLParam(c.Request, "rfqId"))
	if err != nil {
		return nil, problemOf(err)
	}
	return printtalk.RequestForQuotation(s.wordsOf(c, record)), nil
}

// quotation is the quotes that stand as PrintTalk.
func (s *surface) quotation(c *gate.Call) (*xjdf.Node, error) {
	ctx, id := c.Context(), chi.URLParam(c.Request, "rfqId")
	record, err := s.rfqs.Get(ctx, c.Tenant(), id)
	if err != nil {
		return nil, problemOf(err)
	}
	quotes, err := s.rfqs.Quotes(ctx, c.Tenant(), id)
	if err != nil {
		return nil, problemOf(err)
	}
	var standing []printtalk.Quote
	for i := range quotes {
		if q := &quotes[i]; q.Status == rfq.QuoteSubmitted || q.Status == rfq.QuoteAccepted {
			standing = append(standing, wordsOfQuote(q))
		}
	}
	root := printtalk.Quotation(s.wordsOf(c, record), standing)
	if root == nil {
		return nil, problem.New(problem.CodeNotFound, "No quote stands on this RFQ, so there is no quotation.")
	}
	return root, nil
}

// wordsOf is the record in the words of PrintTalk. The product's type is what the
// catalog says of it now; without a catalog the document has none.
func (s *surface) wordsOf(c *gate.Call, record rfq.RFQ) printtalk.RFQ {
	words := printtalk.RFQ{
		ID: record.ID, Organization: record.Tenant.Organization, TrackingCode: record.TrackingCode, Title: record.Title,
		ProductUID: record.CatalogProductUID, Category: record.Category, ProductName: record.Product.Name,
		Quantity: record.Quantity, DeliveryCity: record.DeliveryCity, CreatedAt: record.CreatedAt, ResponseDeadline: record.ResponseDeadline,
	}
	if catalog, err := s.catalog.Current(c.Now); err == nil {
		product, _ := catalog.Lookup(record.CatalogProductUID)
		words.ProductType = product.Type
	}
	return words
}

func wordsOfQuote(q *rfq.Quote) printtalk.Quote {
	o := &q.Offer
	words := printtalk.Quote{
		ID: q.ID, Supplier: o.Supplier.DisplayName, Currency: string(o.Total.Currency()), Total: o.Total.Amount(), UnitPrice: o.UnitPrice.Amount(),
		Quantity: o.Quantity, LeadTimeDays: o.LeadTimeDays, DeliveryCity: o.Delivery.City, Terms: o.Delivery.Terms,
		ValidUntil: o.ValidUntil, Submitted: q.SubmittedAt, Assumptions: o.Assumptions,
	}
	for _, b := range o.PriceBreaks {
		// A price beyond what money can be is none that anybody could take.
		if total, err := b.UnitPrice.Times(b.Quantity); err == nil {
			words.Breaks = append(words.Breaks, printtalk.Break{Quantity: b.Quantity, Total: total.Rounded().Amount()})
		}
	}
	return words
}
