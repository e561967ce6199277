// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
)

// ComparisonVersion is the version of the JSON of a [Comparison].
const ComparisonVersion = "1.0"

// Comparison lists what differs between two files, the one before and the one after a change.
type Comparison struct {
	Version string `json:"comparisonVersion"`
	Engine  Engine `json:"engine"`
	Before  File   `json:"before"`
	After   File   `json:"after"`
	// Same is true if nothing differs that is compared: pages, boxes, inks, fonts, colours,
	// layers, output intents and properties of the document.
	Same bool `json:"same"`
	// Complete is false if a part of a file could not be read or painted, so that more may differ.
	Complete bool `json:"complete"`
	// Failure is the code of the failure that ended the comparison before it found anything;
	// empty for none. Same and Complete are false with it.
	Failure string `json:"failure,omitempty"`
	// Pages are the numbers of pages before and after.
	Pages [2]int `json:"pages"`
	// Document lists the properties that differ: "title", "pdfVersion", "outputIntent", ...
	Document []Change `json:"document"`
	// Fonts, Colors, Inks and Layers are those that only one of the files has.
	Fonts  Names `json:"fonts"`
	Colors Names `json:"colors"`
	Inks   Names `json:"inks"`
	Layers Names `json:"layers"`
	// Changed are the pages that differ, at most 1,000, by their number.
	Changed []PageChange `json:"changed"`
	// Omitted counts the pages that differ and are not in Changed.
	Omitted int `json:"omitted"`
}

// Change is a property with both values; "" stands for a missing one.
type Change struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Names are the names that only the file before, or only the file after, has.
type Names struct {
	Removed []string `json:"removed"`
	Added   []string `json:"added"`
}

// PageChange is a page that differs.
type PageChange struct {
	Page int `json:"page"`
	// Only is "before" or "after" for a page that only one of the files has.
	Only string `json:"only,omitempty"`
	// Boxes lists the boxes that differ by more than 0.01 pt, and "Rotate" and "UserUnit".
	Boxes []Change `json:"boxes"`
	// Inks lists the inks that differ.
	Inks []InkChange `json:"inks"`
	// Regions are the places of the differences, the largest first, at most 20.
	Regions []Region `json:"regions"`
}

// InkChange is the difference of one ink of a page.
type InkChange struct {
	Name string `json:"name"`
	// Area is the area on which the amounts differ, in square millimetres.
	Area float64 `json:"area_mm2"`
	// Most is the largest difference, in percent.
	Most float64 `json:"most"`
	// Before and After are the mean amounts over the page with its bleed, in percent.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Region is a place where pages differ.
type Region struct {
	// BBox is in points of the page after the change, as a viewer shows it.
	BBox Rect `json:"bbox"`
	// Area is the area that differs, in square millimetres.
	Area float64 `json:"area_mm2"`
}

// EncodeComparison writes the canonical JSON.
func EncodeComparison(c Comparison) ([]byte, error) { return encode(c) }

// DecodeComparison reads the output of [EncodeComparison]. It returns [ErrInvalid] for anything
// else.
func DecodeComparison(data []byte) (Comparison, error) {
	var c Comparison
	if err := decode(data, &c); err != nil {
		return Comparison{}, err
	}
	if c.Version != ComparisonVersion {
		return Comparison{}, fmt.Errorf("%w: version %q, want %s", ErrInvalid, c.Version, ComparisonVersion)
	}
	return c, nil
}
