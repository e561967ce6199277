// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Inquiry is a buyer's request for quotes on one product.
type Inquiry struct {
	// ID is an NMTOKEN: BusinessID of the document and JobID of its XJDF.
	ID           string
	Organization string
	TrackingCode string
	Title        string
	// ProductUID and Category are the marketplace's identifiers of the product.
	ProductUID, Category string
	// ProductName is the name of the product in the catalog.
	ProductName string
	// ProductType is a product type of XJDF 2.2 (A.3.18), or empty.
	ProductType  string
	Quantity     int64
	DeliveryCity string
	CreatedAt    time.Time
	// ResponseDeadline is the last time for quotes of suppliers.
	ResponseDeadline time.Time
}

// Offer is a supplier's price for an [Inquiry].
type Offer struct {
	// ID is an NMTOKEN.
	ID string
	// Supplier is the name of the supplier.
	Supplier string
	// Currency is the currency of all prices (ISO 4217). Prices are decimal numbers.
	Currency         string
	Total, UnitPrice string
	Quantity         int64
	// Breaks are the totals of other quantities.
	Breaks       []Break
	LeadTimeDays int
	// Delivery is the place and the terms, such as "Utrecht DAP".
	Delivery              string
	ValidUntil, Submitted time.Time
	Assumptions           []string
}

// Break is the price of another quantity.
type Break struct {
	Quantity int64
	// Total is the price of the complete quantity, in the currency of the offer.
	Total string
}

// marketplace is the identity of the marketplace, through which suppliers quote.
const marketplace = "printmarket"

// envelope returns a document of these parties without its business object.
func envelope(from, to Credential, id string, at time.Time) *Document {
	return &Document{
		Version: "2.2", PayloadID: id, Timestamp: at, Request: Request{BusinessID: id},
		Header: Header{
			From: Sender{Credentials: []Credential{from}, UserAgent: marketplace},
			To:   Recipient{Credentials: []Credential{to}},
		},
	}
}

// NewRFQ returns an inquiry as a document from the buyer to the marketplace. Its XJDF
// describes the product.
func NewRFQ(i Inquiry) *Document {
	d := envelope(Credential{"CustomerID", i.Organization}, Credential{"SupplierID", marketplace}, i.ID, i.CreatedAt)
	d.Request.DescriptiveName = i.Title
	job := core("XJDF").Set("DescriptiveName", i.Title).Set("JobID", i.ID).Set("Types", "Product").Set("Version", "2.2")
	job.Add("AuditPool").Add("AuditCreated").Add("Header").
		Set("AgentName", marketplace).Set("DeviceID", marketplace).Set("Time", formatTime(i.CreatedAt))
	job.Add("GeneralID").Set("IDUsage", "TrackingCode").Set("IDValue", i.TrackingCode)
	product := job.Add("ProductList").Add("Product")
	product.Set("Amount", strconv.FormatInt(i.Quantity, 10)).Set("DescriptiveName", i.ProductName)
	if isToken(i.ProductUID) {
		product.Set("ExternalID", i.ProductUID)
	}
	product.Set("ID", "P1").Set("IsRoot", "true")
	if i.ProductType != "" {
		product.Set("ProductType", i.ProductType)
	}
	product.Set("ProductTypeDetails", i.Category)
	product.Add("GeneralID").Set("IDUsage", "CatalogProductUid").Set("IDValue", i.ProductUID)
	resource := job.Add("ResourceSet").Set("Name", "Contact").Set("Usage", "Input").Add("Resource")
	resource.Add("Part").Set("ContactType", "Delivery")
	resource.Add("Contact").Add("Address").Set("City", i.DeliveryCity)
	d.Request.Object = &RFQ{Estimate: new(bool), Expires: i.ResponseDeadline, Jobs: []*xjdf.Node{job}}
	return d
}

// NewQuotation returns the offers for an inquiry as a document from the marketplace to the
// buyer. The document expires with the first of its offers. A PrintTalk quotation has at
// least one offer: without offers, and for a price that is not a decimal number, the error
// is an [*Error].
func NewQuotation(i Inquiry, offers []Offer) (*Document, error) {
	q := &Quotation{}
	var at time.Time
	for n := range offers {
		o := &offers[n]
		if at.Before(o.Submitted) {
			at = o.Submitted
		}
		if n == 0 || o.ValidUntil.Before(q.Expires) {
			q.Expires = o.ValidUntil
		}
		total, valid := readDecimal(o.Total)
		unit, validUnit := readDecimal(o.UnitPrice)
		line := "L" + strconv.Itoa(n+1)
		product := Price{
			DescriptiveName: fmt.Sprintf("%d copies by %s", o.Quantity, o.Supplier), Amount: decimal.NewNullDecimal(decimal.NewFromInt(o.Quantity)),
			LineID: line, Price: total, PriceType: "Product", TaxType: "Net", UnitPrice: decimal.NewNullDecimal(unit),
		}
		for _, other := range o.Breaks {
			price, validBreak := readDecimal(other.Total)
			valid = valid && validBreak
			product.Additional = append(product.Additional, Additional{BaseAmount: decimal.NewFromInt(other.Quantity), BasePrice: price})
		}
		if !valid || !validUnit {
			return nil, noRecord(ErrValue, "PrintTalk/Request/Quotation/Quote/Pricing", fmt.Sprintf("a price of the offer %.80q is not a decimal number", o.ID))
		}
		sum := Price{DescriptiveName: "Total", LineIDRefs: []string{line}, Price: total, PriceType: "Total", TaxType: "Net"}
		comment := core("Comment").Set("Type", "JobDescription")
		comment.Text = o.terms()
		q.Quotes = append(q.Quotes, Quote{
			QuoteID: o.ID, Pricing: Pricing{Currency: o.Currency, Prices: []Price{product, sum}}, Comments: []*xjdf.Node{comment},
		})
	}
	if len(offers) == 0 {
		return nil, noRecord(ErrMissing, "PrintTalk/Request/Quotation", "no offer is given")
	}
	d := envelope(Credential{"SupplierID", marketplace}, Credential{"CustomerID", i.Organization}, "quotation."+i.ID, at)
	d.Request.BusinessRefID, d.Request.DescriptiveName, d.Request.Object = i.ID, i.Title, q
	return d, nil
}

// core makes an element of XJDF for a PrintTalk document.
func core(local string) *xjdf.Node {
	return &xjdf.Node{Name: xjdf.Name{Space: xjdf.Namespace, Prefix: "xjdf", Local: local}}
}

// The labels of the terms that have no element in PrintTalk. [Offer.terms] writes them as
// lines of a comment, in this order.
const (
	labelSupplier   = "Supplier"
	labelLeadTime   = "Lead time"
	labelDelivery   = "Delivery"
	labelValidUntil = "Valid until"
	labelAssumption = "Assumption"
)

// terms returns the terms without an element in PrintTalk, as text.
func (o *Offer) terms() string {
	parts := []string{
		labelSupplier + ": " + o.Supplier,
		fmt.Sprintf("%s: %d days", labelLeadTime, o.LeadTimeDays),
		strings.TrimSpace(labelDelivery + ": " + o.Delivery),
		labelValidUntil + ": " + formatTime(o.ValidUntil),
	}
	for _, assumption := range o.Assumptions {
		parts = append(parts, labelAssumption+": "+assumption)
	}
	return strings.Join(parts, "\n")
}

// readTerms reads the lines of [Offer.terms]. A line without a label continues the line
// before. It reports false for a label that occurs twice, because a value with line breaks
// could otherwise replace a later one, and for a missing label.
func (o *Offer) readTerms(text string) bool {
	found := map[string]string{}
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		label, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		_, twice := found[label]
		switch label {
		case labelAssumption:
			o.Assumptions = append(o.Assumptions, value)
			last = label
		case labelSupplier, labelLeadTime, labelDelivery, labelValidUntil:
			if twice {
				return false
			}
			found[label], last = value, label
		default:
			switch last {
			case labelAssumption:
				o.Assumptions[len(o.Assumptions)-1] += "\n" + line
			case "":
				return false
			default:
				found[last] += "\n" + line
			}
		}
	}
	var err, err2 error
	o.Supplier, o.Delivery = found[labelSupplier], found[labelDelivery]
	o.LeadTimeDays, err = strconv.Atoi(strings.TrimSuffix(found[labelLeadTime], " days"))
	o.ValidUntil, err2 = time.Parse(time.RFC3339Nano, found[labelValidUntil])
	return err == nil && err2 == nil && o.LeadTimeDays >= 0 && len(found) == 4
}

// ErrRecord means that a valid document does not hold what a record needs.
var ErrRecord = errors.New("no record for this document")

func noRecord(reason error, xpath, detail string) *Error {
	return &Error{Place: xjdf.Place{XPath: xpath}, Reason: reason, Detail: detail}
}

// ReadInquiry returns the inquiry of an RFQ. The RFQ must describe one job with one product and
// its amount; other items may be missing. An inquiry names a product of the catalog and no
// production of its own. ReadInquiry therefore rejects what it would lose: intents, a range of
// amounts, and resources other than contacts. An error is an [*Error] with [ErrRecord].
func ReadInquiry(d *Document) (Inquiry, error) {
	fail := func(detail string) (Inquiry, error) {
		return Inquiry{}, noRecord(ErrRecord, "PrintTalk/Request/RFQ", detail)
	}
	object, ok := d.Request.Object.(*RFQ)
	if !ok {
		return Inquiry{}, noRecord(ErrRecord, "PrintTalk/Request", "the business object is not an RFQ")
	}
	if len(object.Jobs) != 1 {
		return fail(fmt.Sprintf("an inquiry has one XJDF, not %d", len(object.Jobs)))
	}
	job := object.Jobs[0]
	products, err := job.Find("ProductList/Product")
	if err != nil || len(products) != 1 {
		return fail(fmt.Sprintf("an inquiry has one product, not %d", len(products)))
	}
	product := products[0]
	for _, lost := range []string{"ResourceSet", "ProductList/Product/Intent", "ProductList/Product/@MinAmount", "ProductList/Product/@MaxAmount"} {
		found, _ := job.Find(lost)
		for _, n := range found {
			name, named := n.Attr("Name")
			if name != "Contact" {
				detail := "an inquiry names a product of the catalog; it has no counterpart for " + lost
				if named {
					detail += " " + name
				}
				return fail(detail)
			}
		}
	}
	i := Inquiry{
		ID: d.Request.BusinessID, Title: d.Request.DescriptiveName, CreatedAt: d.Timestamp, ResponseDeadline: object.Expires,
		Organization: identity(d.Header.From.Credentials, "CustomerID"),
		TrackingCode: first(job, "GeneralID[@IDUsage='TrackingCode']/@IDValue"), ProductUID: first(product, "GeneralID[@IDUsage='CatalogProductUid']/@IDValue"),
		ProductName: first(product, "@DescriptiveName"), ProductType: first(product, "@ProductType"), Category: first(product, "@ProductTypeDetails"),
	}
	contacts, _ := job.Find("ResourceSet[@Name='Contact']/Resource")
	for _, contact := range contacts {
		if first(contact, "Part/@ContactType") != "Delivery" {
			continue
		}
		city := first(contact, "Contact/Address/@City")
		if i.DeliveryCity != "" && i.DeliveryCity != city {
			return fail("an inquiry has one delivery, not one to each of several cities")
		}
		i.DeliveryCity = city
	}
	if i.Quantity, err = product.Integer("Amount"); err != nil || i.Quantity < 1 {
		return fail("the product has no positive Amount")
	}
	if i.ProductUID == "" {
		i.ProductUID = first(product, "@ExternalID")
	}
	return i, nil
}

// identity returns the identity in a domain, or the first one if the domain is missing.
func identity(credentials []Credential, domain string) string {
	for _, c := range credentials {
		if c.Domain == domain {
			return c.Identity
		}
	}
	if len(credentials) == 0 {
		return ""
	}
	return credentials[0].Identity
}

// first returns the first value that a path selects, or "".
func first(n *xjdf.Node, path string) string {
	p, err := xjdf.ParsePath(path)
	if err != nil {
		return ""
	}
	for _, value := range p.Values(n) {
		return value
	}
	return ""
}

// ReadOffers returns the id of the inquiry that a quotation answers, and its offers. Each
// quote must have one price of the type Product with its amount, and the comment that
// [NewQuotation] writes: a quotation of another system states supplier, lead time and
// delivery in its own words. An error is an [*Error] with [ErrRecord].
func ReadOffers(d *Document) (inquiry string, offers []Offer, err error) {
	object, ok := d.Request.Object.(*Quotation)
	if !ok {
		return "", nil, noRecord(ErrRecord, "PrintTalk/Request", "the business object is not a Quotation")
	}
	for n := range object.Quotes {
		quote := &object.Quotes[n]
		fail := func(detail string) (string, []Offer, error) {
			return "", nil, noRecord(ErrRecord, fmt.Sprintf("PrintTalk/Request/Quotation/Quote[%d]", n+1), detail)
		}
		o := Offer{ID: quote.QuoteID, Currency: quote.Pricing.Currency, Submitted: d.Timestamp}
		products := slices.DeleteFunc(slices.Clone(quote.Pricing.Prices), func(p Price) bool { return p.PriceType != "Product" })
		if len(products) != 1 || !products[0].Amount.Valid || !products[0].UnitPrice.Valid {
			return fail("an offer has one price of the type Product, with its Amount and UnitPrice")
		}
		price := &products[0]
		if o.Quantity, ok = whole(price.Amount.Decimal); !ok {
			return fail("the Amount is not a positive whole number")
		}
		o.Total, o.UnitPrice = formatDecimal(price.Price), formatDecimal(price.UnitPrice.Decimal)
		for _, a := range price.Additional {
			quantity, ok := whole(a.BaseAmount)
			if !ok {
				return fail("a BaseAmount is not a positive whole number")
			}
			o.Breaks = append(o.Breaks, Break{Quantity: quantity, Total: formatDecimal(a.BasePrice)})
		}
		if len(quote.Comments) != 1 || !o.readTerms(quote.Comments[0].Text) {
			return fail("the comment does not state supplier, lead time, delivery and validity")
		}
		offers = append(offers, o)
	}
	return d.Request.BusinessRefID, offers, nil
}

// whole returns a positive whole number.
func whole(d decimal.Decimal) (int64, bool) {
	ok := d.IsInteger() && d.IsPositive() && d.LessThan(decimal.New(1, 18))
	if !ok {
		return 0, false
	}
	return d.IntPart(), true
}
