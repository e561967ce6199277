// SPDX-License-Identifier: Apache-2.0

// Package costing calculates what a product costs to make.
//
// [Calculate] reads a product from an XJDF document, lays it out on the sheets of
// the medium that the document names, on each press of the approved master data,
// with each way of finishing it, and takes the cheapest. Each line of the result
// is a quantity times a rate of one resource of one snapshot; nothing else makes a
// price. The whole is a function of its input: no clock, no input or output, no
// floating point, and the same bytes for the same question.
//
// Lengths are whole micrometres, quantities ten-thousandths of their unit, rates
// millionths of the currency, amounts its smallest unit. What cannot be told from
// the document and the policy of the owner is not guessed: it is a [Reason], and
// the result is one that a person looks at.
package costing
