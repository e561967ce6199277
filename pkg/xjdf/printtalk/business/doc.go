// SPDX-License-Identifier: Apache-2.0

// Package business reads, validates and writes the business objects of PrintTalk 2.2: the
// documents with which print buyers and printers request, offer, order and invoice.
//
// [Parse] returns a [Document] with typed values, and [Document.Write] writes it.
// Elements of XJDF in a document stay trees of package xjdf. [Validate] reports all faults
// of a document with their places, and validates the XJDF documents in it.
//
// The struct tags of the types are the schema: names, datatypes, and required items, in
// the order of PrintTalk. Extensions in other namespaces are not part of the types; reading
// ignores them.
//
// The package only reads and writes documents. The marketplace accepts no orders.
package business
