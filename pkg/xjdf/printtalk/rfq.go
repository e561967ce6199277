// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// RFQ is a request for quotation.
type RFQ struct {
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

// RequestForQuotation returns the RFQ as a document from the buyer to the marketplace.
func RequestForQuotation(r RFQ) *xjdf.Node {
	root, business := envelope{
		from: Buyer(r.Organization), to: Marketplace(), id: r.ID, title: r.Title, at: r.CreatedAt,
	}.wrap("RFQ")
	business.Set("Estimate", "false").Set("Expires", instant(r.ResponseDeadline))
	job := core(business, "XJDF")
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
	return root
}

// isToken reports whether an identifier of the catalog is an NMTOKEN of these
// characters.
func isToken(uid string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:"
	return uid != "" && strings.Trim(uid, allowed) == ""
}
