// SPDX-License-Identifier: Apache-2.0

// Package printtalk writes business records as PrintTalk 2.2, the envelope in
// which print buyers and printers exchange XJDF.
//
// A document is a projection of a record: it says what the record says, in other
// words, and the same record makes the same document. Nothing is stored, and
// nothing is read: offers that are taken, and orders, are disabled everywhere.
//
// A request for quotation becomes [RequestForQuotation]: an RFQ from the buyer to
// the marketplace whose XJDF describes the product. The offers on it become
// [Quotation], which refers to that RFQ by its id.
package printtalk

// Namespace is that of PrintTalk 2.
const Namespace = "http://www.printtalk.org/schema_20"

// version is that of PrintTalk and of the XJDF within.
const version = "2.2"

// MediaTypes are what a document is called. CIP4 has registered none; the first is
// in the manner of its others, the second what its own tools say.
func MediaTypes() []string {
	return []string{"application/vnd.cip4-printtalk+xml", "application/vnd.cip4-ptk+xml", "application/xml"}
}
