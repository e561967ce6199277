// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// subjects describes, by category, the parts that rules of the document examine.
var subjects = map[report.Category]string{
	report.CategoryFile:         "the file as a whole, and its attachments",
	report.CategoryStructure:    "the structure of the file: objects, page tree, compressed data, operators",
	report.CategoryLimits:       "the work that the inspection takes, compared with its limits",
	report.CategorySecurity:     "encryption and permissions",
	report.CategoryDocument:     "the properties of the document: version, claimed standards, title, dates",
	report.CategoryOutputIntent: "the output intents of the document",
	report.CategoryPage:         "the pages: their number, sizes and orientation",
	report.CategoryBox:          "the boxes of each page, and the artwork at its edges",
	report.CategorySafety:       "the edges of each page",
	report.CategoryFont:         "each font, and the text that is set in it",
	report.CategoryText:         "the text of each page",
	report.CategoryImage:        "each image, as it is placed on a page",
	report.CategoryColor:        "the colour spaces, and the objects painted in them",
	report.CategoryInk:          "the inks of the document, and the ink coverage of each page",
	report.CategoryOverprint:    "objects that overprint or knock out",
	report.CategoryLine:         "the lines of each page",
	report.CategoryTransparency: "blend modes, soft masks and opacity",
	report.CategoryLayer:        "the layers, and whether they print",
	report.CategoryAnnotation:   "the annotations of each page",
	report.CategoryForm:         "form fields",
	report.CategoryAction:       "actions that a viewer runs when the file is opened or clicked",
	report.CategoryFeature:      "PDF features that print does not use",
	report.CategoryPDFX:         "the file, compared with the version of PDF/X that it claims or the profile requires",
	report.CategoryBarcode:      "the bar codes and QR codes of each page, as they are painted",
	report.CategoryPackaging:    "the lines of tools, the technical inks, and the layers of processing steps",
	report.CategoryIntent:       "the document, compared with the order",
} // constant

// markSubjects name the marks that rules of marks examine, in their order in a text.
var markSubjects = [...]struct {
	of   slots
	name string
}{
	{everyText, "text"},
	{stroke, "lines"},
	{fill, "filled areas"},
	{stencil, "1-bit images"},
	{picture, "images"},
	{shading, "gradients"},
}

// LooksAt describes in a few words the part of the file that the rule examines.
func (r *Rule) LooksAt() string {
	switch {
	case r.mark == nil:
		return subjects[r.Category]
	case r.mark.of == anything:
		return "each painted object"
	}
	var names []string
	for _, subject := range markSubjects {
		if r.mark.of&subject.of != 0 {
			names = append(names, subject.name)
		}
	}
	return "each painted object of these kinds: " + texts.In(texts.English).List(names, 0)
}

// In returns the severity and the limit of the rule in a profile, and whether the
// profile applies the rule. Every profile applies the rules that are Always.
func (r *Rule) In(p profile.Profile) (severity report.Severity, limit string, applied bool) {
	setting, selected := p.Rules[r.ID]
	if !selected {
		return r.Severity, "", r.Always
	}
	return setting.Severity, r.Bounds(setting), true
}

// Bounds returns the limit, the tolerance and the area of a setting, such as
// ">= 3 mm ± 0.1", or "" for a setting without them.
func (r *Rule) Bounds(s profile.Setting) string {
	var parts []string
	decimal := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if s.Limit != nil {
		parts = append(parts, fmt.Sprintf("%s %s %s", r.Op, decimal(*s.Limit), r.Unit))
	}
	switch {
	case s.Tolerance > 0 && r.Tolerance == r.Unit:
		parts = append(parts, "± "+decimal(s.Tolerance))
	case s.Tolerance > 0:
		parts = append(parts, fmt.Sprintf("± %s %s", decimal(s.Tolerance), r.Tolerance))
	}
	if s.Area > 0 {
		parts = append(parts, fmt.Sprintf("on %s mm2", decimal(s.Area)))
	}
	return strings.Join(parts, " ")
}
