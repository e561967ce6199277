// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// RFQ is what a request for quotation says.
type RFQ struct {
	// ID is an NMTOKEN: BusinessID of the document and JobID of its XJDF.
	ID           string
	Organization string
	TrackingCode string
	Title        string
	// ProductUID and Category are the marketplace's identifiers of the product.
	ProductUID, Category string
	// ProductName is what the catalog calls the product.
	ProductName string
	// ProductType is that of XJDF 2.2 (A.3.18); empty if the catalog has none.
	ProductType  string
	Quantity     int64
	DeliveryCity string
	CreatedAt    time.Time
	// ResponseDeadline is until when suppliers may answer.
	ResponseDeadline time.Time
}

// RequestForQuotation is the RFQ as a document from the buyer to the marketplace.
func RequestForQuotation(r RFQ) *xjdf.Node {
	root, business := envelope{
		from: Buyer(r.Organization), to: Marketplace(), id: r.ID, title: r.Title, at: r.CreatedAt,
	}.wrap("RFQ")
	business.Set("Estimate", "false").Set("Expires", instant(r.ResponseDeadline))
	describe(core(business, "XJDF"), r)
	return root
}

// describe fills in the XJDF of a product that is asked for.
func describe(job *xjdf.Node, r RFQ) {
	job.Set("DescriptiveName", r.Title).Set("JobID", r.ID).Set("Types", "Product").Set("Version", version)
	header := job.Add("AuditPool").Add("AuditCreated").Add("Header")
	header.Set("AgentName", "printmarket").Set("DeviceID", "printmarket").Set("Time", instant(r.CreatedAt))
	job.Add("GeneralID").Set("IDUsage", "TrackingCode").Set("IDValue", r.TrackingCode)
	product := job.Add("ProductList").Add("Product")
	product.Set("Amount", strconv.FormatInt(r.Quantity, 10)).Set("DescriptiveName", r.ProductName)
	if isToken(r.ProductUID) {
		product.Set("ExternalID", r.ProductUID)
	}
	product.Set("ID", "P1").Set("IsRoot", "true")
	if r.ProductType != "" {
		product.Set("ProductType", r.ProductType)
	}
	product.Set("ProductTypeDetails", r.Category)
	product.Add("GeneralID").Set("IDUsage", "CatalogProductUid").Set("IDValue", r.ProductUID)
	set := job.Add("ResourceSet").Set("Name", "Contact").Set("Usage", "Input")
	resource := set.Add("Resource")
	resource.Add("Part").Set("ContactType", "Delivery")
	resource.Add("Contact").Add("Address").Set("City", r.DeliveryCity)
}

// isToken reports whether an identifier of the catalog can stand where XJDF has an
// NMTOKEN. Ours are of these characters; another marketplace's need not be.
func isToken(uid string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:"
	return uid != "" && strings.Trim(uid, allowed) == ""
}
