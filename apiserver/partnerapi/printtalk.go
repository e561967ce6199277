// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
)

// forms lists the media types of records that have a PrintTalk form.
func forms() []string { return append([]string{"application/json"}, printtalk.MediaTypes()...) }

// inPrintTalk serves the record as PrintTalk if the client prefers it, and otherwise
// calls the next handler. The form belongs to the XJDF layer and requires its
// capability. Revalidation works as for JSON.
func inPrintTalk(revalidated bool, document func(*gate.Call) (*printtalk.Document, error), next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		if !slices.Contains(printtalk.MediaTypes(), c.MediaType) {
			return next(c)
		}
		if decision := c.Decide(posture.XJDF, false); !decision.Allowed() {
			if c.Accepts("application/json") {
				return next(c) // browsers prefer any XML
			}
			return c.Refusal(decision)
		}
		made, err := document(c)
		if err != nil {
			return err
		}
		var body bytes.Buffer
		if err := made.Write(&body); err != nil {
			return err
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

// inquiryLimits bound a body in PrintTalk as the limits of JSON bound the others.
var inquiryLimits = xjdf.Limits{Bytes: bodyLimit, Depth: 32, Nodes: 2000}

// readInquiry decodes a body in PrintTalk into the body in JSON that creates the same RFQ.
// Like the records in PrintTalk, it requires the capability of the XJDF layer.
func readInquiry(c *gate.Call) (any, *problem.Problem) {
	if decision := c.Decide(posture.XJDF, true); !decision.Allowed() {
		return nil, c.Refusal(decision)
	}
	var unreadable *xjdf.Error
	var refused *printtalk.Error
	talk, err := printtalk.Parse(c.Body, inquiryLimits)
	if errors.As(err, &unreadable) {
		return nil, problem.New(problem.CodeInvalidRequest, "The body is not acceptable XML: %v (line %d, column %d).", unreadable.Reason, unreadable.Line, unreadable.Column)
	}
	var inquiry printtalk.Inquiry
	if err == nil {
		inquiry, err = printtalk.ReadInquiry(talk)
	}
	if errors.As(err, &refused) {
		return nil, invalid(problem.Violation{Pointer: "#", Detail: refused.Error() + "."})
	}
	body := rfqOf(inquiry)
	document := map[string]any{"quantity": json.Number(strconv.Itoa(body.Quantity))}
	for _, source := range sources(body) {
		if source.value != "" {
			document[source.member] = source.value
		}
	}
	return document, nil
}

// RFQOf returns the body that creates the RFQ of a document in PrintTalk. It fails if the RFQ would
// lose something of the document, or lacks a required member.
func RFQOf(document *xjdf.Document) (RFQCreate, error) {
	talk, err := printtalk.Decode(document)
	if err != nil {
		return RFQCreate{}, err
	}
	inquiry, err := printtalk.ReadInquiry(talk)
	if err != nil {
		return RFQCreate{}, err
	}
	body := rfqOf(inquiry)
	for _, source := range sources(body) {
		if source.required && source.value == "" {
			return RFQCreate{}, errors.New("an RFQ needs " + source.item)
		}
	}
	return body, nil
}

// rfqOf returns the RFQ of an inquiry. A member is empty if the inquiry has no value for it.
func rfqOf(i printtalk.Inquiry) RFQCreate {
	return RFQCreate{
		CatalogProductUID: i.ProductUID, Title: cmp.Or(i.Title, i.ProductName), Category: i.Category, Quantity: int(i.Quantity),
		DeliveryCity: i.DeliveryCity, ClientReference: i.ID,
	}
}

// source is a text member of an RFQ, and the item of PrintTalk from which it comes.
type source struct {
	member, item, value string
	required            bool
}

// sources returns the text members of an RFQ.
func sources(body RFQCreate) []source {
	return []source{
		{"catalogProductUid", "a GeneralID CatalogProductUid or an ExternalID of the product", body.CatalogProductUID, true},
		{"title", "a DescriptiveName", body.Title, true},
		{"category", "the ProductTypeDetails, which are the category", body.Category, true},
		{"deliveryCity", "the city of a Contact with the ContactType Delivery", body.DeliveryCity, true},
		{"clientReference", "the BusinessID", body.ClientReference, false},
	}
}

// inquired adds the items of PrintTalk to the violations of an RFQ that was sent as PrintTalk.
func inquired(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		err := next(c)
		var refused *problem.Problem
		if c.ContentType == "application/json" || !errors.As(err, &refused) {
			return err
		}
		for i := range refused.Errors {
			v := &refused.Errors[i]
			for _, source := range sources(RFQCreate{}) {
				if v.Pointer == "#/"+source.member {
					v.Detail += " (in PrintTalk: " + source.item + ")"
				}
			}
		}
		return err
	}
}

// requestForQuotation returns the RFQ as PrintTalk.
func (s *surface) requestForQuotation(c *gate.Call) (*printtalk.Document, error) {
	record, err := s.rfqs.Get(c.Context(), c.Tenant(), chi.URLParam(c.Request, "rfqId"))
	if err != nil {
		return nil, problemOf(err)
	}
	return printtalk.NewRFQ(s.inquiryOf(c, record)), nil
}

// quotation returns the current quotes as PrintTalk.
func (s *surface) quotation(c *gate.Call) (*printtalk.Document, error) {
	ctx, id := c.Context(), chi.URLParam(c.Request, "rfqId")
	record, err := s.rfqs.Get(ctx, c.Tenant(), id)
	if err != nil {
		return nil, problemOf(err)
	}
	quotes, err := s.rfqs.Quotes(ctx, c.Tenant(), id)
	if err != nil {
		return nil, problemOf(err)
	}
	var standing []printtalk.Offer
	for i := range quotes {
		if q := &quotes[i]; q.Status == rfq.QuoteSubmitted || q.Status == rfq.QuoteAccepted {
			standing = append(standing, offerOf(q))
		}
	}
	if len(standing) == 0 {
		return nil, problem.New(problem.CodeNotFound, "The RFQ has no current quote, so no quotation exists.")
	}
	return printtalk.NewQuotation(s.inquiryOf(c, record), standing)
}

// inquiryOf returns the record in the terms of PrintTalk. The product type is that of the
// current catalog; without a catalog the document has no product type.
func (s *surface) inquiryOf(c *gate.Call, record rfq.RFQ) printtalk.Inquiry {
	inquiry := printtalk.Inquiry{
		ID: record.ID, Organization: record.Tenant.Organization, TrackingCode: record.TrackingCode, Title: record.Title,
		ProductUID: record.CatalogProductUID, Category: record.Category, ProductName: record.Product.Name,
		Quantity: record.Quantity, DeliveryCity: record.DeliveryCity, CreatedAt: record.CreatedAt, ResponseDeadline: record.ResponseDeadline,
	}
	if catalog, err := s.catalog.Current(c.Now); err == nil {
		product, _ := catalog.Lookup(record.CatalogProductUID)
		inquiry.ProductType = product.Type
	}
	return inquiry
}

func offerOf(q *rfq.Quote) printtalk.Offer {
	o := &q.Offer
	offer := printtalk.Offer{
		ID: q.ID, Supplier: o.Supplier.DisplayName, Currency: string(o.Total.Currency()), Total: o.Total.Amount(), UnitPrice: o.UnitPrice.Amount(),
		Quantity: o.Quantity, LeadTimeDays: o.LeadTimeDays, Delivery: o.Delivery.City + " " + o.Delivery.Terms,
		ValidUntil: o.ValidUntil, Submitted: q.SubmittedAt, Assumptions: o.Assumptions,
	}
	for _, b := range o.PriceBreaks {
		// A price that exceeds the largest amount of money is omitted.
		if total, err := b.UnitPrice.Times(b.Quantity); err == nil {
			offer.Breaks = append(offer.Breaks, printtalk.Break{Quantity: b.Quantity, Total: total.Rounded().Amount()})
		}
	}
	return offer
}
