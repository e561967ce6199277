// SPDX-License-Identifier: Apache-2.0

// Package validate validates XJDF documents against the standard, and against the
// capabilities of a marketplace.
//
// One walk judges a document. The walk compares each element and attribute with the
// vocabulary: the name, the place, the datatype and the list of values. For each
// element the walk runs the rules about that element: one row of the catalogue, one
// function ([Rules]). After the walk, the rules about the whole document run: about
// products that are parts of others, about references and about identities.
//
// The severity of a finding follows the standard. A violation of a closed list or of a
// "shall" is an error. A value outside an open list and a violation of a "should" are
// warnings. A missing item that the standard requires and partners commonly omit is a
// warning with the assumed default, and an error in the profile [Strict]. A document
// without errors is valid.
package validate
