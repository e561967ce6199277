// SPDX-License-Identifier: Apache-2.0

// Package vocabulary contains every name of XJDF 2.2 and XJMF 2.2: elements, attributes,
// children, datatypes, units, values of lists, targets of references, and the resources
// that processes need.
//
// XJDF is the job ticket of the print trade: one document that describes a product
// ("5,000 leaflets, A5, 135 g/m2 gloss") or the work of a machine. XJMF are the messages
// between machines and their controllers. Both are written as XML and as JSON, with the
// same names.
//
// Start with [Load]. [Element.Attribute] and [Element.Child] return the definitions
// within an element:
//
//	intent := vocabulary.Load().Element("MediaIntent")
//	weight := intent.Attribute("Weight") // a Float in GramsPerSquareMetre
//
// A [List] is closed or open. Another value than those of a closed list is an error; an
// open list holds the values that the standard prefers. Each list, element and process
// has the clause of the standard, for messages to partners.
//
// Looking up a name allocates nothing. Suggesting another one does.
//
// The tables are text files in the folder tables, written from the standard; README.md
// there says how to read and change them. Where the published schema differs, the
// tables follow the standard; a test that gets the schema file lists these places.
package vocabulary
