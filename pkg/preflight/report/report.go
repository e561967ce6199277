// SPDX-License-Identifier: Apache-2.0

// Package report defines the result of a preflight inspection of a PDF.
//
// The engine (package preflight) makes a [Report]. The inspector process sends it as
// JSON to the worker, which stores it; the customer gets the same bytes. A report
// depends only on the bytes of the file, on the profile and on the job ticket: two
// inspections give the same JSON, byte for byte. So it contains no time and no
// duration; the job has those.
//
// Places (bbox, text) are in points of 1/72 inch on the page as a viewer shows it:
// rotated, UserUnit applied, with the origin at the lower left corner of the
// MediaBox. The boxes of a page are as the file has them, in its default user
// space. Members whose name ends in _mm or _pt are in those units; resolutions
// are in pixels per inch, amounts of ink in percent.
package report

import "github.com/printmarket/printmarket/pkg/preflight/jobticket"

// Version is the version of the JSON document. The first number changes when a
// reader written for the old form could misread the new one; readers accept any second
// number. 1.1 added the language, and ids and parameters of messages.
const Version = "1.1"

// Report is the whole document.
type Report struct {
	// Version is the package's [Version].
	Version string `json:"reportVersion"`
	// Language is the language of the messages and hints: one of [Languages]. It is
	// absent from reports of version 1.0, which are English.
	Language string  `json:"language,omitempty"`
	Engine   Engine  `json:"engine"`
	Profile  Profile `json:"profile"`
	// Ticket is the order that the file was compared with, absent without one.
	Ticket *jobticket.Ticket `json:"ticket,omitempty"`
	// Product is the ordered product, which Ticket does not contain; absent without one.
	Product *jobticket.Product `json:"product,omitempty"`
	// Verdict is fail with a finding of severity error, else warn with a finding of
	// severity warning, else pass.
	Verdict Verdict `json:"verdict"`
	// Complete is false when a limit ended the inspection early or the file
	// could not be read to its end: then more findings are possible.
	Complete bool    `json:"complete"`
	File     File    `json:"file"`
	Summary  Summary `json:"summary"`
	// Document is null when the file could not be opened.
	Document *Document `json:"document"`
	Pages    []Page    `json:"pages"`
	Fonts    []Font    `json:"fonts"`
	Images   []Image   `json:"images"`
	Colors   []Color   `json:"colors"`
	Inks     []Ink     `json:"inks"`
	// Codes are the bar codes and matrix codes that were found, at most 24. They are searched if the
	// profile has rules about them.
	Codes []Code `json:"codes,omitempty"`
	// Omitted counts the items that the lists leave out, so that a report stays small.
	// Rules have judged the whole document nevertheless.
	Omitted  Omitted   `json:"omitted"`
	Findings []Finding `json:"findings"`
}

// Engine names the program that made the report.
type Engine struct {
	Name string `json:"name"`
	// Version changes when the same file may give another report.
	Version string `json:"version"`
	// Parser is the PDF library and its version.
	Parser string `json:"parser"`
}

// Profile names the profile that the file was judged by.
type Profile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Digest is the SHA-256 of the profile's text, in lower-case hexadecimal.
	Digest string `json:"digest"`
}

// File describes the bytes that were inspected.
type File struct {
	// SHA256 is in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Summary counts the findings.
type Summary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	// ByCategory counts findings for each category that has one.
	ByCategory map[Category]int `json:"byCategory"`
	// RulesRun and RulesSkipped add up to all rules that the engine knows. A
	// rule is skipped when the profile does not select it or when the file
	// could not be opened.
	RulesRun     int `json:"rulesRun"`
	RulesSkipped int `json:"rulesSkipped"`
}

// Count counts findings. The caller sets RulesRun and RulesSkipped.
func Count(findings []Finding) Summary {
	s := Summary{ByCategory: map[Category]int{}}
	for i := range findings {
		s.ByCategory[findings[i].Category]++
		switch findings[i].Severity {
		case Error:
			s.Errors++
		case Warning:
			s.Warnings++
		case Info:
			s.Infos++
		}
	}
	return s
}

// Document holds the facts that belong to no page.
type Document struct {
	// PDFVersion is "1.7"; the catalog's entry wins over the header.
	PDFVersion string `json:"pdfVersion"`
	// Pages is counted by walking the page tree; the file's own /Count is not
	// trusted.
	Pages    int    `json:"pages"`
	Title    string `json:"title,omitempty"`
	Producer string `json:"producer,omitempty"`
	Creator  string `json:"creator,omitempty"`
	// Created and Modified are RFC 3339.
	Created  string `json:"created,omitempty"`
	Modified string `json:"modified,omitempty"`
	// Trapped is True, False, Unknown or absent.
	Trapped   string `json:"trapped,omitempty"`
	Encrypted bool   `json:"encrypted"`
	// PrintDenied means that the file forbids printing in full quality.
	PrintDenied bool `json:"printDenied"`
	Linearized  bool `json:"linearized"`
	Tagged      bool `json:"tagged"`
	// Standards are the standards that the file claims: "PDF/X-4", "PDF/A-2b".
	Standards []string `json:"standards"`
	// Conformance holds the result for each version of PDF/X that the file claims or that the
	// profile requires. It is absent from reports of engines before 4.0.
	Conformance   []Conformance  `json:"conformance,omitempty"`
	OutputIntents []OutputIntent `json:"outputIntents"`
	Layers        []Layer        `json:"layers"`
	// Annotations counts them by subtype.
	Annotations map[string]int `json:"annotations"`
	FormFields  int            `json:"formFields"`
	Signatures  int            `json:"signatures"`
	// Actions counts them by type: JavaScript, URI, ...
	Actions     map[string]int `json:"actions"`
	Attachments []string       `json:"attachments"`
}

// Conformance is the result of the verification of a standard, clause by clause.
type Conformance struct {
	// Standard is the version of PDF/X: "PDF/X-4".
	Standard string `json:"standard"`
	// Claimed reports whether the file claims the standard; if not, the profile requires it.
	Claimed bool   `json:"claimed"`
	Result  Result `json:"result"`
	// Violations are the ids of the rules that the file breaks.
	Violations []string `json:"violations"`
}

// Result is the result of a verification.
type Result string

// The results. Unverified standards are those without rules, and those that a limit kept from
// being verified to the end.
const (
	Conforms   Result = "conforms"
	Violated   Result = "violated"
	Unverified Result = "unverified"
)

// OutputIntent is the printing condition that the file was made for.
type OutputIntent struct {
	Subtype   string `json:"subtype"`
	Condition string `json:"condition,omitempty"`
	Registry  string `json:"registry,omitempty"`
	// Profile is the embedded ICC profile.
	Profile *ICC `json:"profile,omitempty"`
}

// ICC is an ICC profile.
type ICC struct {
	Description string `json:"description,omitempty"`
	// Space and Class are signatures of ICC.1: CMYK, prtr.
	Space      string `json:"space"`
	Class      string `json:"class"`
	Version    string `json:"version"`
	Components int    `json:"components"`
	SHA256     string `json:"sha256"`
}

// Layer is an optional content group.
type Layer struct {
	Name string `json:"name"`
	// Printed reports whether the layer is printed by the configuration of the file.
	Printed bool `json:"printed"`
	// ProcessingStep is its group and type of ISO 19593-1: "Structural Cutting".
	ProcessingStep string `json:"processingStep,omitempty"`
	// Role is that of the processing step.
	Role Role `json:"role,omitempty"`
	// Pages are the first pages with content on it, at most ten.
	Pages []int `json:"pages"`
}

// Page is one page, in reading order.
type Page struct {
	// Number counts from 1.
	Number int `json:"number"`
	// Size is width and height of the finished page in millimetres: of the
	// TrimBox where there is one, else of the CropBox; UserUnit and rotation
	// are applied.
	Size [2]float64 `json:"size_mm"`
	// Rotate is 0, 90, 180 or 270.
	Rotate int `json:"rotate"`
	// UserUnit is the size of a unit in 1/72 inch; 1 nearly always.
	UserUnit float64 `json:"userUnit"`
	Boxes    Boxes   `json:"boxes"`
	// Bleed is the width of the BleedBox, within the MediaBox, around the TrimBox;
	// absent without a TrimBox.
	Bleed *Edges `json:"bleed_mm,omitempty"`
	// Blank means that nothing on it leaves ink.
	Blank bool `json:"blank"`
	// MaxInk is the highest total of inks in percent: that of Ink, or, when the page was
	// not rendered, the highest of one object.
	MaxInk float64 `json:"maxInk"`
	// Ink is the ink that the page puts on paper; absent when it was not measured.
	Ink *PageInk `json:"ink,omitempty"`
	// MinLine and MinText are the thinnest line and the smallest text; absent on a page
	// without lines or text.
	MinLine *float64 `json:"minLine_pt,omitempty"`
	MinText *float64 `json:"minText_pt,omitempty"`
	// Transparent reports whether anything on the page is transparent.
	Transparent bool `json:"transparent"`
	// Text are the boxes of text, neighbours joined, for a map of the page.
	Text []Rect `json:"text"`
}

// PageInk is the ink on a page with its bleed, measured on rendered planes of ink: after
// overprinting, transparency, clipping and covering.
type PageInk struct {
	// Resolution of the planes in pixels per inch.
	Resolution float64 `json:"resolution"`
	// Complete is false when a part of the page could not be rendered.
	Complete bool `json:"complete"`
	// Estimated is true when the document has no usable output profile, so that the inks
	// of RGB and Lab are an estimate.
	Estimated bool `json:"estimated"`
	// Planes are the process inks and the spot colours of the page.
	Planes []InkPlane `json:"planes"`
	// HeatMap shows where the page has most ink; absent on a page with at most 200 %, and
	// after the first 20 pages with more.
	HeatMap *HeatMap `json:"heatMap,omitempty"`
}

// HeatMap is a grid of equal cells over a page as the viewer sees it.
type HeatMap struct {
	// Box is the grid in points of the viewed page, with its origin at the lower left, as
	// the boxes of findings. Cells at its edges may extend beyond the page.
	Box Rect `json:"box"`
	// Cells holds the highest total of inks in each cell in percent, row by row from the top.
	Cells [][]int `json:"cells"`
}

// InkPlane is one ink of a page.
type InkPlane struct {
	Name string `json:"name"`
	// Coverage is the mean amount over the page in percent, the measure of ink
	// consumption; Highest is the highest amount.
	Coverage float64 `json:"coverage"`
	Highest  float64 `json:"highest"`
}

// Boxes are the page's boxes, inheritance applied. A box that the file does not
// declare is absent, except for MediaBox, which every page has.
type Boxes struct {
	Media Rect  `json:"media"`
	Crop  *Rect `json:"crop,omitempty"`
	Bleed *Rect `json:"bleed,omitempty"`
	Trim  *Rect `json:"trim,omitempty"`
	Art   *Rect `json:"art,omitempty"`
}

// Rect is left, bottom, right, top.
type Rect [4]float64

// Edges are distances at the four edges of a page.
type Edges struct {
	Top    float64 `json:"t"`
	Right  float64 `json:"r"`
	Bottom float64 `json:"b"`
	Left   float64 `json:"l"`
}

// Font is a font that some page can reach.
type Font struct {
	// Name is the PostScript name, or the name of the resource for a font that
	// has none (Type 3).
	Name string `json:"name"`
	// Type is Type1, MMType1, TrueType, Type3, CIDFontType0 or CIDFontType2.
	Type     string `json:"type"`
	Embedded bool   `json:"embedded"`
	Subset   bool   `json:"subset"`
	// Used means that text is shown with it; a font that is merely declared
	// cannot harm the print.
	Used bool `json:"used"`
	// Pages are the first pages that use it, at most ten.
	Pages  []int  `json:"pages"`
	Object string `json:"object,omitempty"`
}

// Image is one placement of an image on a page.
type Image struct {
	Page int `json:"page"`
	// Object is the object number of the image ("12 0 R"), or "inline".
	Object string `json:"object"`
	// Pixels is width and height in samples.
	Pixels           [2]int `json:"px"`
	BitsPerComponent int    `json:"bpc"`
	ColorSpace       string `json:"colorSpace,omitempty"`
	Filter           string `json:"filter,omitempty"`
	// PPI is the effective resolution of this placement in both directions.
	PPI [2]float64 `json:"ppi"`
	// BBox is the box on the page.
	BBox Rect `json:"bbox"`
	// Mask is true for a stencil mask, which is painted with the current
	// colour.
	Mask bool `json:"mask"`
	// Soft is true for the soft mask of another image.
	Soft bool `json:"soft"`
	// Hidden is true where the image is invisible on paper.
	Hidden bool `json:"hidden"`
	// Quality of a JPEG is estimated from its quantization tables, 1 to 100.
	Quality int `json:"quality,omitempty"`
}

// Color is a family of colour that is used, not merely declared.
type Color struct {
	// Space is DeviceRGB, CalRGB, ICCBased-RGB, DeviceCMYK, Separation, ...
	Space string `json:"space"`
	// Pages are the first pages that use it, at most ten.
	Pages []int `json:"pages"`
}

// Ink is a colorant with a name of its own that is used.
type Ink struct {
	Name string `json:"name"`
	// Kind is process, spot or registration.
	Kind string `json:"kind"`
	// Space and Full are the alternate colour space and the colour of the full
	// tint in it.
	Space string    `json:"space,omitempty"`
	Full  []float64 `json:"full,omitempty"`
	// Definitions is the number of different definitions of this name.
	Definitions int `json:"definitions"`
	// Role is the role of a technical ink, by its name and the profile; absent for an ink of the
	// artwork.
	Role  Role  `json:"role,omitempty"`
	Pages []int `json:"pages"`
}

// Code is a bar code or matrix code on a page, as it is painted.
type Code struct {
	Page int `json:"page"`
	// Symbology is EAN-13, EAN-8, UPC-A, Code 128, GS1-128, ITF-14, ITF, QR Code or Data Matrix.
	Symbology string `json:"symbology"`
	// Text is the content, of which long ones are cut; absent if the code cannot be decoded.
	Text string `json:"text,omitempty"`
	// BBox is the box on the page, without quiet zones.
	BBox Rect `json:"bbox"`
	// Module is the width of the narrowest bar, Magnification of EAN and UPC the size in percent of
	// the nominal one, and Height the length of the bars.
	Module        float64 `json:"module_mm"`
	Magnification float64 `json:"magnification,omitempty"`
	Height        float64 `json:"height_mm"`
	// QuietZone holds the free widths before and after the bars in modules, as far as they were
	// measured.
	QuietZone [2]float64 `json:"quietZone"`
	// Contrast is the difference of the reflectances of spaces and bars in the red light of
	// scanners, in percent; the paper counts as white.
	Contrast float64 `json:"contrast"`
	// Inks are the inks of the bars.
	Inks []string `json:"inks"`
}

// Omitted counts the items that are not listed.
type Omitted struct {
	Pages    int `json:"pages"`
	Fonts    int `json:"fonts"`
	Images   int `json:"images"`
	Inks     int `json:"inks"`
	Layers   int `json:"layers"`
	Findings int `json:"findings"`
}

// Finding is the result of one rule. Findings are sorted by page, rule and object;
// page 0 is the document as a whole.
type Finding struct {
	// Rule is the rule's stable id, for example font.not_embedded.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Category Category `json:"category"`
	// MessageID is the rule's id, followed by a variant where the rule has several
	// messages; absent from reports of version 1.0.
	MessageID string `json:"messageId,omitempty"`
	// Parameters are the values in the message.
	Parameters Parameters `json:"parameters,omitempty"`
	// Page is the first page of the finding; absent for the document.
	Page int `json:"page,omitempty"`
	// Pages are all pages of the finding, at most the first ten; absent for a single
	// page.
	Pages []int `json:"pages,omitempty"`
	// BBox is the place on Page as a viewer shows it.
	BBox   *Rect  `json:"bbox,omitempty"`
	Object string `json:"object,omitempty"`
	// Message is a sentence for a designer, in the report's language.
	Message   string     `json:"message"`
	Measured  *Measure   `json:"measured,omitempty"`
	Threshold *Threshold `json:"threshold,omitempty"`
	// Count is the number of occurrences, at least 1.
	Count int `json:"count"`
	// FixHint states how to fix the file, in the report's language.
	FixHint string `json:"fixHint,omitempty"`
	// Ref is the clause of the standard behind the rule.
	Ref string `json:"ref,omitempty"`
}

// Measure is a value with its unit.
type Measure struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Threshold is the limit of a value: the value should be Op Value.
type Threshold struct {
	Op    string  `json:"op"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Tolerance is the amount by which a value may miss the limit, in the same unit;
	// absent for none.
	Tolerance float64 `json:"tolerance,omitempty"`
}
