// SPDX-License-Identifier: Apache-2.0

// Package validate holds XJDF documents against the standard, and against what a
// marketplace takes.
//
// A document is judged in one walk. The walk holds each element and attribute
// against the vocabulary: is it known, is it in its place, is its value of the
// datatype, is the value one of the list. Whoever meets an element on the way
// runs the rules that are about it: one row of the catalogue, one function
// ([Rules]). When the walk is over the rules about the whole document run: of
// products that are parts of others, of references and of identities.
//
// How grave a finding is follows the standard. Whatever violates a closed list or
// a "shall" is an error; a value outside an open list, and a "should", a warning.
// What the standard demands and partners commonly leave out is a warning with the
// default that is taken, and an error in the profile [Strict]. A document with no
// error is valid.
package validate
