// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ErrNoAuthority means that [Request.Authority] has no snapshot.
var ErrNoAuthority = errors.New("costing: no master data")

// ErrMode means that [Request.Mode] is unknown.
var ErrMode = errors.New("costing: unknown mode")

// ErrQuantities means that [Request.Quantities] are too many, or out of range.
var ErrQuantities = errors.New("costing: the quantities of a request are at most 23, from 1 to 10000000")

// Spot is a place in the document.
type Spot struct {
	// Node is the element, and Attribute the name of its attribute, or empty.
	Node      *xjdf.Node `json:"-"`
	Attribute string     `json:"-"`
	// Pointer and XPath are the place in a JSON body and in the notation of the standard,
	// as in [xjdf.Place].
	Pointer string `json:"pointer,omitempty"`
	XPath   string `json:"xpath,omitempty"`
}

// spot returns the place of an attribute, or of an element if attribute is empty; a nil
// element stands for the root.
func spot(d *xjdf.Document, n *xjdf.Node, attribute string) Spot {
	if n == nil {
		n = d.Root
	}
	var place xjdf.Place
	if attribute == "" {
		place = d.Place(n)
	} else {
		place = d.AttributePlace(n, attribute)
	}
	return Spot{Node: n, Attribute: attribute, Pointer: place.Pointer, XPath: place.XPath}
}

// MediaFault is a medium whose identifier is missing, or unknown to the snapshot.
type MediaFault struct {
	Spot
	Reason string `json:"reason"`
}

// MediaError means that the snapshot does not have every medium that the document names,
// so an authoritative calculation is impossible.
type MediaError struct {
	// Faults has from one to [MaxFaults] entries.
	Faults []MediaFault
}

// MaxFaults bounds the faults of a [MediaError] and the reasons of a
// [ReviewError].
const MaxFaults = 100

// Error returns the first fault.
func (e *MediaError) Error() string {
	if len(e.Faults) == 0 {
		return "costing: media without authority"
	}
	return fmt.Sprintf("costing: media without authority: %s: %s", e.Faults[0].XPath, e.Faults[0].Reason)
}

// Reason is a reason why a person has to review a result.
type Reason struct {
	Spot
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
}

// ReviewError means that a result is not safe to quote unattended.
type ReviewError struct {
	// Reasons has from one to [MaxFaults] entries.
	Reasons []Reason
	// Result holds the available figures, or nil if there are none. Not every caller may
	// see them.
	Result *Result
}

// Error returns the first reason.
func (e *ReviewError) Error() string {
	if len(e.Reasons) == 0 {
		return "costing: manual review"
	}
	return fmt.Sprintf("costing: manual review: %s: %s", e.Reasons[0].Code, e.Reasons[0].Detail)
}

// Code is the kind of a [Reason].
type Code string

// The codes. They never change their meaning.
const (
	Preview                 Code = "PREVIEW"
	MediaAuthority          Code = "MEDIA_AUTHORITY"
	MediaAmbiguous          Code = "MEDIA_AMBIGUOUS"
	MediaUnused             Code = "MEDIA_UNUSED"
	MediaConflict           Code = "MEDIA_CONFLICT"
	ProductAmbiguous        Code = "PRODUCT_AMBIGUOUS"
	ProductStructure        Code = "PRODUCT_STRUCTURE"
	QuantityMissing         Code = "QUANTITY_MISSING"
	QuantityAboveLimit      Code = "QUANTITY_ABOVE_LIMIT"
	TotalAboveLimit         Code = "TOTAL_ABOVE_LIMIT"
	SizeMissing             Code = "SIZE_MISSING"
	SizeConflict            Code = "SIZE_CONFLICT"
	PagesMissing            Code = "PAGES_MISSING"
	PagesUnbindable         Code = "PAGES_UNBINDABLE"
	SidesUnknown            Code = "SIDES_UNKNOWN"
	ColorsUnknown           Code = "COLORS_UNKNOWN"
	CoverageUnknown         Code = "COVERAGE_UNKNOWN"
	FoldUnknown             Code = "FOLD_UNKNOWN"
	DieUnknown              Code = "DIE_UNKNOWN"
	IntentNotCosted         Code = "INTENT_NOT_COSTED"
	ProcessNotOffered       Code = "PROCESS_NOT_OFFERED"
	NoDevice                Code = "NO_DEVICE"
	ValueUnreadable         Code = "VALUE_UNREADABLE"
	LengthNotInPoints       Code = "LENGTH_NOT_IN_POINTS"
	AuthorityEnds           Code = "AUTHORITY_ENDS"
	PlansTruncated          Code = "PLANS_TRUNCATED"
	FiguresBeyondCalculable Code = "FIGURES_BEYOND_CALCULABLE"
)

// CodeMeaning is a line of the table of codes.
type CodeMeaning struct {
	Code    Code
	Meaning string
	// Figures reports whether a result with this reason may have figures.
	Figures bool
}

// Codes returns the table of codes, in the order of the reference.
func Codes() []CodeMeaning {
	return []CodeMeaning{
		{Preview, "The request is for a preview, which is an estimate and never a quote.", true},
		{MediaAuthority, "In a preview: the master data does not contain the identifier of a medium.", false},
		{MediaAmbiguous, "The document names several media for one part; the calculation uses the first.", true},
		{MediaUnused, "A medium belongs to no calculated part and is not included in the figures.", true},
		{MediaConflict, "The document and the master data differ for a medium; the calculation uses the master data.", true},
		{ProductAmbiguous, "The document has a product that is neither the calculated product nor part of it, or that is marked as both.", true},
		{ProductStructure, "The parts of the product cannot be combined.", false},
		{QuantityMissing, "The product has no Amount of at least 1.", false},
		{QuantityAboveLimit, "A quantity exceeds the owner's limit for automatic quotes.", true},
		{TotalAboveLimit, "A total exceeds the owner's limit for automatic quotes.", true},
		{SizeMissing, "The size of a part is missing or not printable.", false},
		{SizeConflict, "Sizes in the document contradict each other. The calculation uses the flat size of flat parts and covers, and the page of each part.", true},
		{PagesMissing, "The number of pages of a bound part is missing or cannot be bound.", false},
		{PagesUnbindable, "The pages do not fill the last sheet; the calculation adds blank pages.", true},
		{SidesUnknown, "The document does not state the printed sides, or contradicts itself.", true},
		{ColorsUnknown, "A printed side has no colours, or a colour without a matching ink.", true},
		{CoverageUnknown, "Neither the document nor the policy states the ink coverage; ink is not included in the figures.", true},
		{FoldUnknown, "The flat size of a fold is unknown; add LayoutIntent/@Dimensions.", false},
		{DieUnknown, "The die of a box lacks its knives or its blanks, or there are several.", false},
		{IntentNotCosted, "The document requests something that is not included in the figures.", true},
		{ProcessNotOffered, "The owner has no device for a process.", false},
		{NoDevice, "None of the owner's devices can produce it; the detail contains the reason.", false},
		{ValueUnreadable, "A number in the document is invalid or out of range; the calculation ignores it.", true},
		{LengthNotInPoints, "A length looks like millimetres or inches; the calculation reads points.", true},
		{AuthorityEnds, "The master data ends within one day.", true},
		{PlansTruncated, "Not all ways of production were compared.", true},
		{FiguresBeyondCalculable, "A figure exceeds the largest possible amount.", false},
	}
}
