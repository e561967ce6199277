// SPDX-License-Identifier: Apache-2.0

// Package printtalk writes business records as PrintTalk 2.2, the envelope in which print
// buyers and printers exchange XJDF.
//
// A document is a projection of a record: the same record gives the same document. The
// package stores and reads nothing: accepting offers and ordering are disabled
// everywhere.
//
// A request for quotation becomes [RequestForQuotation]: an RFQ from the buyer to
// the marketplace whose XJDF describes the product. The offers on it become
// [Quotation], which refers to that RFQ by its id.
package printtalk

// Namespace is that of PrintTalk 2.
const Namespace = "http://www.printtalk.org/schema_20"

// version is that of PrintTalk and of the XJDF within.
const version = "2.2"

// MediaTypes returns the media types of a document. CIP4 has registered none; the first
// follows the pattern of its others, and its own tools use the second.
func MediaTypes() []string {
	return []string{"application/vnd.cip4-printtalk+xml", "application/vnd.cip4-ptk+xml", "application/xml"}
}
