// SPDX-License-Identifier: Apache-2.0

// Package vocabulary knows every name of XJDF 2.2 and XJMF 2.2: which elements
// there are, which attributes and children each may have, what a value has to
// look like, in which unit it is, which values a list holds, what a reference
// may point to, which resources a process needs.
//
// XJDF is the job ticket of the print trade: one document that says what a
// buyer wants ("5,000 leaflets, A5, 135 g/m2 gloss") or what a machine is to
// do. XJMF is how machines and those who command them talk about it. Both are
// written as XML and as JSON, with the same names.
//
// [Load] is where to begin. From an [Element] lead [Element.Attribute] and
// [Element.Child] to what may stand in it:
//
//	intent := vocabulary.Load().Element("MediaIntent")
//	weight := intent.Attribute("Weight") // a Float in GramsPerSquareMetre
//
// A [List] is closed, an enumeration where any other value is an error, or
// open, where the standard has preferences and others are allowed. Each list,
// element and process knows the clause of the standard that it comes from, for
// a message that a partner can look up.
//
// Looking up a name allocates nothing. Suggesting another one does.
//
// The tables are text files in the folder tables, written from the standard,
// whose README.md says how to read and to change them. Where the schema that
// is published beside the standard says something else, the standard is
// followed; a test that is given the schema file holds the list of these places.
package vocabulary
