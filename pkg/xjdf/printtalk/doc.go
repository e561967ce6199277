// SPDX-License-Identifier: Apache-2.0

// Package printtalk reads, validates and writes PrintTalk 2.2: the documents with which
// print buyers and printers request, offer, order and invoice.
//
// [Parse] returns a [Document] with typed values, and [Document.Write] writes it. A document
// names its two parties and holds one [Object]: an [RFQ], a [Quotation], an [Invoice] and so
// on. Elements of XJDF in a document stay trees of package xjdf. [Validate] reports all
// faults of a document with their places, and validates the XJDF documents in it.
//
// The struct tags of the types are the schema: names, datatypes, and required items, in
// the order of PrintTalk. Extensions in other namespaces are not part of the types; reading
// ignores them.
//
// Most programs hold records of their own: an [Inquiry] for a product, and [Offer] values
// of suppliers. [NewRFQ] and [NewQuotation] convert them to documents, and [ReadInquiry] and
// [ReadOffers] convert documents back. The same record gives the same document.
//
// The package only reads and writes documents. The marketplace accepts no orders.
package printtalk

// Namespace is that of PrintTalk 2.
const Namespace = "http://www.printtalk.org/schema_20"

// MediaTypes returns the media types of a document. CIP4 has registered none; the first
// follows the pattern of its others, and its own tools use the second.
func MediaTypes() []string {
	return []string{"application/vnd.cip4-printtalk+xml", "application/vnd.cip4-ptk+xml", "application/xml"}
}
