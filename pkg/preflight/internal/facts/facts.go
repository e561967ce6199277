// SPDX-License-Identifier: Apache-2.0

// Package facts is what reading a PDF finds out, before anybody judges it.
//
// Package document and package content fill a [Collector]; package rules reads
// what comes out. Facts hold no thresholds and rules do no parsing, so each side
// can be tested without the other.
//
// There are two kinds. A [Mark] is one act of painting; a long document has
// millions, so marks are handed on one by one and forgotten. Everything else is
// in the [Document]: what the file says about itself, its pages, and what they
// use, with the first places where they use it.
//
// Places are boxes in the default user space of their page, as the file has it.
// Lengths that are named as points or millimetres are lengths on paper: UserUnit
// is applied.
package facts

import "github.com/printmarket/printmarket/pkg/preflight/internal/geom"

// Document is everything that is known about a file.
type Document struct {
	// Opened is false when the file could not be read as a PDF; then only
	// Incidents say anything.
	Opened bool
	// Complete is false when something stopped the reading early.
	Complete bool
	// PDFVersion is "1.7"; the catalog's entry wins over the header.
	PDFVersion string
	Title      string
	Producer   string
	Creator    string
	// Created and Modified are RFC 3339, or empty where the file does not say or
	// does not say it in the form of ISO 32000-2, 7.9.4.
	Created, Modified string
	// Trapped is True, False, Unknown or empty (ISO 32000-2, 14.11.6).
	Trapped string
	// HasID tells whether the trailer has the two file identifiers.
	HasID     bool
	Encrypted bool
	// PrintDenied is true when the permissions forbid printing in full quality
	// (ISO 32000-2, table 22, bits 3 and 12).
	PrintDenied bool
	Linearized  bool
	Tagged      bool
	// Standards are what the file claims to conform to.
	Standards []Standard
	Intents   []OutputIntent
	Layers    []*Layer
	Actions   []Action
	// Attachments are the names of files inside the file.
	Attachments []string
	Form        Form
	Annotations []Annotation
	Pages       []Page
	Fonts       []*Font
	Images      []Image
	Colors      []*Color
	Inks        []*Ink
	Features    []*Feature
	Profiles    []*ICC
	Incidents   []Incident
}

// Incident is something that went wrong while reading.
type Incident struct {
	// Rule is the id of the rule that reports it.
	Rule string
	// Page is 0 for the document.
	Page   int
	Object string
	// Detail is a sentence for the reader of the report.
	Detail string
}

// Standard is a claim of conformance.
type Standard struct {
	// Family is PDF/X, PDF/A, PDF/UA or PDF/VT.
	Family string
	// Version is the whole claim: "PDF/X-4", "PDF/X-1a:2001", "PDF/A-2b".
	Version string
	// Info and XMP tell where the claim stands; a sound file agrees with itself.
	Info, XMP bool
}

// OutputIntent is the printing condition that the file was made for
// (ISO 32000-2, 14.11.5).
type OutputIntent struct {
	// Subtype is GTS_PDFX, GTS_PDFA1 or another.
	Subtype string
	// Condition is the OutputConditionIdentifier, for example FOGRA51.
	Condition string
	// Registry is where Condition is registered.
	Registry string
	Info     string
	// Profile is the embedded profile, nil when there is none.
	Profile *ICC
	// Referenced is true when the profile is outside of the file (PDF/X-4p).
	Referenced bool
	Object     string
}

// ICC is the header of an ICC profile (ICC.1:2022, 7.2).
type ICC struct {
	Object string
	// Components is what the PDF says (/N).
	Components int
	// Space and Class are the four-letter signatures, without trailing blanks:
	// CMYK, RGB, GRAY, Lab; prtr, mntr, scnr, spac.
	Space, Class string
	// Version is "4.3".
	Version     string
	Description string
	// SHA256 of the profile in lower-case hexadecimal.
	SHA256 string
	// Fault says in a sentence what is wrong with the profile, "" if nothing is.
	Fault string
	// Uses are the pages that paint through it; none for an output intent.
	Uses Uses
}

// Layer is an optional content group (ISO 32000-2, 8.11.2).
type Layer struct {
	Name   string
	Object string
	// Printed tells whether the default configuration shows it on paper.
	Printed bool
	// Group and Type are those of its processing step (ISO 19593-1), if it is one.
	Group, Type string
	// Uses are the pages that have content on it.
	Uses Uses
}

// Action is something that would happen in a viewer (ISO 32000-2, 12.6).
type Action struct {
	// Type is JavaScript, Launch, URI, GoTo, SubmitForm, ...
	Type string
	// Page is 0 for the document.
	Page   int
	Object string
}

// Form tells of interactive fields (ISO 32000-2, 12.7).
type Form struct {
	Fields     int
	Signatures int
	XFA        bool
}

// Annotation is one annotation of a page (ISO 32000-2, 12.5).
type Annotation struct {
	Page    int
	Subtype string
	Object  string
	// Printed tells whether it comes out on paper: the Print flag is set, the
	// Hidden one is not.
	Printed bool
	// Hidden is the Hidden or the NoView flag.
	Hidden bool
	Box    geom.Rect
}

// Font is a font that some page can reach.
type Font struct {
	Name string
	// Type is Type1, MMType1, TrueType, Type3, CIDFontType0 or CIDFontType2.
	Type     string
	Embedded bool
	Subset   bool
	Object   string
	// Uses are the pages that show visible text with it.
	Uses Uses
}

// Color is a family of colour that is painted with.
type Color struct {
	Space string
	Uses  Uses
	// First is one place where it is painted, for each page of Uses.Pages; nil
	// where the place is not known.
	First []*geom.Rect
}

// Ink is a colorant with a name of its own that is painted with: a spot colour,
// a process colour that is named in a Separation or DeviceN space, or All.
type Ink struct {
	Name string
	// Kind says which of them.
	Kind InkKind
	// Alternates are the digests of the different definitions (alternate space
	// and tint transform) that the file gives for this one name; more than one
	// makes it ambiguous. At most [MaxUses].
	Alternates []string
	// Space is the alternate space of the first definition.
	Space string
	// Full is the colour of the full tint in that space, as the first definition
	// has it.
	Full []float64
	Uses Uses
}

// InkKind tells colorants apart.
type InkKind string

// The kinds of ink.
const (
	Process      InkKind = "process"
	Spot         InkKind = "spot"
	Registration InkKind = "registration"
)

// Feature is something of the imaging model that pages make use of and that a
// printer may object to.
type Feature struct {
	Kind FeatureKind
	// Detail tells variants apart: the blend mode, the remapped space.
	Detail string
	Object string
	Uses   Uses
	First  []*geom.Rect
}

// FeatureKind is one of the constants below.
type FeatureKind string

// The features.
const (
	// Transparency: Detail is Alpha, SoftMask, BlendMode Multiply, Group, ...
	Transparency FeatureKind = "transparency"
	// DefaultSpace: a Device space is remapped; Detail is DefaultRGB, ...
	DefaultSpace FeatureKind = "default space"
	// TransferFunction: TR or TR2 other than Identity and Default.
	TransferFunction FeatureKind = "transfer function"
	// Halftone: HT other than Default.
	Halftone FeatureKind = "halftone"
	// PostScript: a PostScript XObject or operator.
	PostScript FeatureKind = "postscript"
	// OPI: a placeholder for an image that is elsewhere.
	OPI FeatureKind = "opi"
	// ReferenceXObject: a form whose content is in another file.
	ReferenceXObject FeatureKind = "reference xobject"
	// BlackGeneration: BG, BG2, UCR or UCR2.
	BlackGeneration FeatureKind = "black generation"
	// PrivateData: a PieceInfo dictionary.
	PrivateData FeatureKind = "private data"
	// Alternate: an image has alternate images.
	Alternate FeatureKind = "alternate image"
	// InvisibleText: text in rendering mode 3.
	InvisibleText FeatureKind = "invisible text"
	// UnknownOperator: an operator outside BX and EX that no PDF has.
	UnknownOperator FeatureKind = "unknown operator"
)

// Uses remembers on which pages something happens.
type Uses struct {
	// Pages are the first pages, at most [MaxUses].
	Pages []int
	// Count is how many pages there are.
	Count int
	last  int
}

// MaxUses is how many pages a [Uses] lists.
const MaxUses = 10

// Used are the uses of these pages, which must ascend: for tests and simulations.
func Used(pages ...int) Uses {
	var u Uses
	for _, page := range pages {
		u.add(page)
	}
	return u
}

// add notes a page. Pages come in ascending order. It reports whether the page
// was listed anew.
func (u *Uses) add(page int) bool {
	if u.Count > 0 && u.last == page {
		return false
	}
	u.last = page
	u.Count++
	if len(u.Pages) < MaxUses {
		u.Pages = append(u.Pages, page)
		return true
	}
	return false
}
