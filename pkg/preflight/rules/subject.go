// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// subjects describe what rules of the document examine, by their category.
var subjects = map[report.Category]string{
	report.CategoryFile:         "the file from outside, and what is attached to it",
	report.CategoryStructure:    "how the file is built: its objects, its page tree, its compressed data, its operators",
	report.CategoryLimits:       "what reading the file takes, against what an inspection may take",
	report.CategorySecurity:     "encryption and permissions",
	report.CategoryDocument:     "what the document says of itself: version, standards, title, dates",
	report.CategoryOutputIntent: "the printing conditions that the document names",
	report.CategoryPage:         "the pages: how many there are, their sizes, their orientation",
	report.CategoryBox:          "the boxes of each page, and the artwork at its edges",
	report.CategorySafety:       "the edges of each page",
	report.CategoryFont:         "each font, and the text that is set in it",
	report.CategoryText:         "the text of each page",
	report.CategoryImage:        "each image, as it is placed on a page",
	report.CategoryColor:        "the colour spaces, and what is painted in them",
	report.CategoryInk:          "the inks of the document, and what each page needs of them",
	report.CategoryOverprint:    "what is set to overprint",
	report.CategoryLine:         "the lines of each page",
	report.CategoryTransparency: "blend modes, soft masks and opacity",
	report.CategoryLayer:        "the layers, and which of them print",
	report.CategoryAnnotation:   "the annotations of each page",
	report.CategoryForm:         "the fields of forms",
	report.CategoryAction:       "what a viewer does when somebody opens the file or clicks",
	report.CategoryFeature:      "what a PDF may hold that print has no use for",
	report.CategoryIntent:       "the document, against what was ordered",
} // constant

// markSubjects name the marks that rules of marks examine, in their order in a text.
var markSubjects = [...]struct {
	of   slots
	name string
}{
	{everyText, "text"},
	{stroke, "lines"},
	{fill, "filled areas"},
	{stencil, "one-bit images"},
	{picture, "images"},
	{shading, "gradients"},
}

// LooksAt returns in a few words what the rule examines.
func (r *Rule) LooksAt() string {
	switch {
	case r.mark == nil:
		return subjects[r.Category]
	case r.mark.of == anything:
		return "each act of painting"
	}
	var names []string
	for _, subject := range markSubjects {
		if r.mark.of&subject.of != 0 {
			names = append(names, subject.name)
		}
	}
	return "each act of painting " + listed(names)
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
