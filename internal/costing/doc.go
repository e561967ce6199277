// SPDX-License-Identifier: Apache-2.0

// Package costing calculates what a product costs to make.
//
// [Calculate] reads a product from an XJDF document, lays it out on the sheets of
// the medium that the document names, on each press of the approved master data,
// with each way of finishing it, and takes the cheapest. Each line of the result
// is a quantity times a rate of one resource of one snapshot; nothing else makes a
// price. Calculate is a pure function: it uses no clock, no input or output and no
// floating point, and equal requests give the same bytes.
//
// Lengths are whole micrometres, quantities ten-thousandths of their unit, rates
// millionths of the currency, amounts its smallest unit. Where the document and the
// policy of the owner leave something open, the package does not guess: it adds a
// [Reason], and a person reviews the result.
package costing
