// SPDX-License-Identifier: Apache-2.0

// Package facts holds the facts of a PDF, without judging them.
//
// Package document and package content fill a [Collector]; package rules reads the
// facts. Facts contain no thresholds and rules do no parsing, so each side can be
// tested without the other.
//
// There are two kinds. A [Mark] is one act of painting; a long document has
// millions, so the collector passes marks on one by one and does not keep them.
// Everything else is in the [Document]: its properties, its pages, and the objects
// that pages use, with the first places of use.
//
// [Roles] finds technical inks by their names, and processing steps (ISO 19593-1) by their groups and types.
//
// Places are boxes in the default user space of their page. Lengths in points or
// millimetres are lengths on paper: UserUnit is applied.
package facts

import "github.com/printmarket/printmarket/pkg/preflight/internal/geom"

// Document holds the facts of a file.
type Document struct {
	// Opened is false when the file could not be read as a PDF; then only Incidents
	// are set.
	Opened bool
	// Complete is false when reading stopped early.
	Complete bool
	// PDFVersion is "1.7"; the catalog's entry wins over the header.
	PDFVersion string
	Title      string
	Producer   string
	Creator    string
	// Created and Modified are RFC 3339, or empty where the date is missing or not in
	// the form of ISO 32000-2, 7.9.4.
	Created, Modified string
	// Trapped is True, False, Unknown or empty (ISO 32000-2, 14.11.6).
	Trapped string
	// HasID reports whether the trailer has the two file identifiers.
	HasID     bool
	Encrypted bool
	// PrintDenied is true when the permissions forbid printing in full quality
	// (ISO 32000-2, table 22, bits 3 and 12).
	PrintDenied bool
	Linearized  bool
	Tagged      bool
	// Info holds the metadata of the information dictionary, and XMP that of the packet of
	// the catalog, nil for a missing or unreadable one.
	Info Metadata
	XMP  *Metadata
	// Compressed reports whether objects or the cross-reference table are in streams, which
	// PDF has since 1.5 (ISO 32000-2, 7.5.7 and 7.5.8).
	Compressed bool
	// Standards lists the standards that the file claims to conform to.
	Standards []Standard
	Intents   []OutputIntent
	Layers    []*Layer
	Actions   []Action
	// Attachments lists the names of files inside the file.
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
	// Codes are the bar codes and matrix codes that were found on the pages.
	Codes []Code
}

// Incident is a fault that reading found.
type Incident struct {
	// Rule is the id of the rule that reports it.
	Rule string
	// Page is 0 for the document.
	Page   int
	Object string
	// Variant selects the message of the rule, "" for its main one, and Parameters are
	// the values in it: strings and numbers (float64).
	Variant    string
	Parameters Values
}

// Values are the parameters of a message by name.
type Values = map[string]any

// Code is a bar code or a matrix code on a page. Lengths are in millimetres.
type Code struct {
	Page int
	// Symbology is EAN-13, EAN-8, UPC-A, Code 128, GS1-128, ITF-14, ITF, QR Code or Data Matrix.
	Symbology string
	// Text is the content, "" for a code that cannot be decoded.
	Text string
	Box  geom.Rect
	// Module is the width of the narrowest bar, Height the length of the bars.
	Module, Height float64
	// Quiet holds the widths of the quiet zones before and after the bars, in modules.
	Quiet [2]float64
	// Contrast is the difference of the reflectances of spaces and bars in red light, in percent.
	Contrast float64
	// Inks are the names of the inks of the bars.
	Inks []string
}

// Metadata holds the properties that the information dictionary and the XMP packet share,
// and those of the packet alone. Times are RFC 3339.
type Metadata struct {
	Title, Created, Modified, Trapped string
	// Recorded is xmp:MetadataDate; DocumentID, VersionID and Rendition are properties of
	// xmpMM (ISO 16684-1, 8.6).
	Recorded, DocumentID, VersionID, Rendition string
}

// Standard is a claim of conformance.
type Standard struct {
	// Family is PDF/X, PDF/A, PDF/UA or PDF/VT.
	Family string
	// Version is the whole claim: "PDF/X-4", "PDF/X-1a:2001", "PDF/A-2b".
	Version string
	// Info reports whether the information dictionary contains the claim, and XMP whether the
	// packet contains it in the namespace of the standard.
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
	// Components is the number in the PDF (/N).
	Components int
	// Space and Class are the four-letter signatures, without trailing blanks:
	// CMYK, RGB, GRAY, Lab; prtr, mntr, scnr, spac.
	Space, Class string
	// Version is "4.3".
	Version     string
	Description string
	// SHA256 of the profile in lower-case hexadecimal.
	SHA256 string
	// Fault is a token for the fault of the profile, "" for a valid one. FaultValues
	// are the parameters of its text.
	Fault       string
	FaultValues Values
	// Uses lists the pages that paint through the profile; it is empty for an output intent.
	Uses Uses
}

// Layer is an optional content group (ISO 32000-2, 8.11.2).
type Layer struct {
	Name   string
	Object string
	// Printed reports whether the default configuration prints the layer.
	Printed bool
	// Group and Type are those of a processing step (ISO 19593-1), else empty.
	Group, Type string
	// Uses lists the pages that have content on the layer.
	Uses Uses
}

// Action is an action of a viewer (ISO 32000-2, 12.6).
type Action struct {
	// Type is JavaScript, Launch, URI, GoTo, SubmitForm, ...
	Type string
	// Page is 0 for the document.
	Page   int
	Object string
}

// Form counts interactive fields (ISO 32000-2, 12.7).
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
	// Printed reports whether the annotation is printed: the Print flag is set, the
	// Hidden flag is not.
	Printed bool
	// Hidden is the Hidden or the NoView flag.
	Hidden bool
	Box    geom.Rect
}

// Font is a font in the resources of a page.
type Font struct {
	Name string
	// Type is Type1, MMType1, TrueType, Type3, CIDFontType0 or CIDFontType2.
	Type     string
	Embedded bool
	Subset   bool
	Object   string
	// Resubset reports whether the name has the tags of two subsets: the subset was cut from
	// another one.
	Resubset bool
	// Damaged reports whether the embedded program cannot be read, and Restricted whether it
	// forbids embedding.
	Damaged, Restricted bool
	// Missing are the shown codes for which the program has no glyph; Width are those whose
	// width in the PDF differs from that of the program.
	Missing, Width GlyphFault
	// Uses lists the pages that show visible text in the font.
	Uses Uses
}

// GlyphFault is a fault of some glyphs that pages show.
type GlyphFault struct {
	// Count is the number of different codes, and Codes are the first of them, in hexadecimal.
	Count int
	Codes []string
	// Worst is the largest difference of widths, in thousandths of the font size.
	Worst float64
	// Page and Box are the place of the worst one, or of the first.
	Page int
	Box  geom.Rect
}

// maxCodes bounds the codes of a GlyphFault.
const maxCodes = 5

// Add counts a code at a place.
func (f *GlyphFault) Add(code string, worst float64, page int, box geom.Rect) {
	if f.Count == 0 || worst > f.Worst {
		f.Worst, f.Page, f.Box = worst, page, box
	}
	f.Count++
	if len(f.Codes) < maxCodes {
		f.Codes = append(f.Codes, code)
	}
}

// Color is a family of colour that pages paint with.
type Color struct {
	Space string
	Uses  Uses
	// First is one place for each page of Uses.Pages; nil where the place is unknown.
	First []*geom.Rect
}

// Ink is a named colorant that pages paint with: a spot colour, a process colour in a
// Separation or DeviceN space, or All.
type Ink struct {
	Name string
	Kind InkKind
	// Alternates lists the digests of the different definitions (alternate space and tint
	// transform) of this name, at most [MaxUses]. More than one digest makes the name ambiguous.
	Alternates []string
	// Space is the alternate space of the first definition.
	Space string
	// Full is the colour of the full tint in that space, by the first definition.
	Full []float64
	Uses Uses
}

// InkKind is the kind of a colorant.
type InkKind string

// The kinds of ink.
const (
	Process      InkKind = "process"
	Spot         InkKind = "spot"
	Registration InkKind = "registration"
)

// Feature is a feature of the imaging model that pages use and that a printer may
// reject.
type Feature struct {
	Kind FeatureKind
	// Detail is the variant: the blend mode, the remapped space.
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
	// TransferFunction: TR or TR2 other than Identity and Default, or TransferFunction of a halftone
	// for a process ink.
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
	// AlternateForPrint: an alternate image is the one to print (DefaultForPrinting).
	AlternateForPrint FeatureKind = "alternate image for print"
	// InvisibleText: text in rendering mode 3.
	InvisibleText FeatureKind = "invisible text"
	// UnknownOperator: an unknown operator outside BX and EX.
	UnknownOperator FeatureKind = "unknown operator"
	// BracketedOperator: an unknown operator between BX and EX; Detail is the operator.
	BracketedOperator FeatureKind = "bracketed operator"
	// HalftoneKind: a halftone that PDF/X does not allow; Detail is type 6, name or phase.
	HalftoneKind FeatureKind = "halftone kind"
	// RenderingIntent: one that ISO 32000-2, table 69 does not have; Detail is its name.
	RenderingIntent FeatureKind = "rendering intent"
	// ICCOverprint: a mark in an ICC-based CMYK space overprints in mode 1.
	ICCOverprint FeatureKind = "icc overprint"
	// GroupSpace: a transparency group with a colour space; Detail is its family.
	GroupSpace FeatureKind = "group space"
	// FormGroup: a form that is a transparency group, whether or not its content is transparent.
	FormGroup FeatureKind = "form group"
	// AlternateSpace: a DeviceN space; Detail is the family of its alternate space.
	AlternateSpace FeatureKind = "alternate space"
	// Filter: a stream with this filter was read; Detail is its name.
	Filter FeatureKind = "filter"
	// ExternalData: a stream whose data is in another file.
	ExternalData FeatureKind = "external data"
	// Separated: a page holds one separation only (ISO 32000-2, 14.11.4).
	Separated FeatureKind = "separated page"
	// Presentation: Detail is PresSteps of a page, or AlternatePresentations of the document.
	Presentation FeatureKind = "presentation"
	// LayerConfiguration: Detail is AS, for layers that switch by themselves, or Name, for a
	// configuration without one.
	LayerConfiguration FeatureKind = "layer configuration"
	// LayerConfigurations: the document has configurations of layers beside the default one.
	LayerConfigurations FeatureKind = "layer configurations"
	// ViewerArea: a viewer preference that selects a box other than MediaBox and BleedBox;
	// Detail is its name.
	ViewerArea FeatureKind = "viewer area"
)

// Uses holds the pages that use an object.
type Uses struct {
	// Pages lists the first pages, at most [MaxUses].
	Pages []int
	// Count is the number of all pages.
	Count int
	last  int
}

// MaxUses bounds the pages that [Uses] lists.
const MaxUses = 10

// Used returns the uses of these pages, which must ascend: for tests and simulations.
func Used(pages ...int) Uses {
	var u Uses
	for _, page := range pages {
		u.add(page)
	}
	return u
}

// add records a page, and reports whether it was added to the list. Pages must come in
// ascending order.
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

// The symbologies of codes.
const (
	EAN13      = "EAN-13"
	EAN8       = "EAN-8"
	UPCA       = "UPC-A"
	C128       = "Code 128"
	GS1128     = "GS1-128"
	ITF14      = "ITF-14"
	ITF        = "ITF"
	QRCode     = "QR Code"
	DataMatrix = "Data Matrix"
)
