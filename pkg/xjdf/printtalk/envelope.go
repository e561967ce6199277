// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Party is a side of the exchange.
type Party struct {
	// Domain is the kind of the identity: CustomerID or SupplierID.
	Domain, Identity string
}

// Marketplace returns the party of the marketplace, through which suppliers quote.
func Marketplace() Party { return Party{"SupplierID", "printmarket"} }

// Buyer returns the party of an organization.
func Buyer(organization string) Party { return Party{"CustomerID", organization} }

// envelope is a document without its business object.
type envelope struct {
	from, to Party
	// id identifies the business object; refers identifies the object that it responds to.
	id, refers string
	title      string
	at         time.Time
}

// wrap returns the document and its empty business object of that name.
func (e envelope) wrap(object string) (root, business *xjdf.Node) {
	root = &xjdf.Node{Name: xjdf.Name{Space: Namespace, Local: "PrintTalk"}}
	root.Set("Version", version).Set("payloadID", e.id).Set("timestamp", instant(e.at))
	header := root.Add("Header")
	party(header.Add("From"), e.from).Add("UserAgent").Text = "printmarket"
	party(header.Add("To"), e.to)
	request := root.Add("Request").Set("BusinessID", e.id)
	if e.refers != "" {
		request.Set("BusinessRefID", e.refers)
	}
	if e.title != "" {
		request.Set("DescriptiveName", e.title)
	}
	return root, request.Add(object)
}

func party(n *xjdf.Node, p Party) *xjdf.Node {
	n.Add("Credential").Set("domain", p.Domain).Add("Identity").Text = p.Identity
	return n
}

// core adds an element of XJDF to one of PrintTalk.
func core(n *xjdf.Node, local string) *xjdf.Node {
	return n.AddNamed(xjdf.Name{Space: xjdf.Namespace, Prefix: "xjdf", Local: local})
}

// instant formats a dateTime of XML Schema with milliseconds, in UTC.
func instant(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
