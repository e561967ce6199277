// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// Profile is the profile in the report of a PrintTalk document.
const Profile validate.Profile = "printtalk"

// MaxJobs bounds the XJDF documents that a validation covers.
const MaxJobs = 200

// Validation is the result of validating a PrintTalk document.
type Validation struct {
	// Report is about PrintTalk itself. Its rules are those of [Rules].
	Report validate.Report
	// Jobs are the reports of the XJDF documents in it.
	Jobs []Job
}

// Job is the report of an XJDF document, in the profile product-intent.
type Job struct {
	// Path is the place of the XJDF document in the notation of the standard.
	Path   string
	Report validate.Report
}

// Valid reports whether neither PrintTalk nor a job has an error.
func (v *Validation) Valid() bool {
	return v.Report.Valid && !slices.ContainsFunc(v.Jobs, func(j Job) bool { return !j.Report.Valid })
}

// Validate validates a document and each XJDF document in it. The options apply to the
// latter, except the profile. Validate never fails: all faults are in the reports.
func Validate(doc *xjdf.Document, options validate.Options) Validation {
	p := &pass{doc: doc}
	p.run()
	result := Validation{Report: p.report()}
	options.Profile = validate.ProductIntent
	for _, job := range p.jobs[:min(len(p.jobs), MaxJobs)] {
		result.Jobs = append(result.Jobs, Job{doc.Place(job).XPath, validate.New().Validate(doc.Within(job), options)})
	}
	return result
}

// row is a rule with its elements and its check. The structural rules have no element:
// the walk reports them.
type row struct {
	validate.Rule

	on    []string
	check func(*pass, *xjdf.Node)
}

func newRow(code string, kind validate.Kind, severity validate.Severity, element, summary, fix string) row {
	return row{Rule: validate.Rule{
		Code: code, Kind: kind, Schema: kind == validate.Schema, Profiles: map[validate.Profile]validate.Severity{Profile: severity},
		Reference: "PrintTalk 2.2, " + element, Summary: summary, Fix: fix,
	}}
}

// of returns the row with its check and its elements. A row contains a short check;
// longer ones follow the table.
func (r row) of(check func(*pass, *xjdf.Node), elements ...string) row {
	r.on, r.check = elements, check
	return r
}

// Conformance describes [Profile].
func Conformance() validate.Conformance {
	return validate.Conformance{
		Profile: Profile,
		Summary: "For documents of PrintTalk 2.2 in XML, and the XJDF documents within them.",
		Checked: []string{
			"Header, Request and the business objects " + strings.Join(slices.Sorted(maps.Keys(objects())), ", ") + ": elements, attributes, datatypes and order",
			"References between business objects, lines of prices, products and jobs",
			"Sums and unit prices, with decimal numbers",
			"Each XJDF document, in the profile product-intent",
		},
		Unchecked: []string{
			"The content of " + strings.Join(unsupported(), ", "),
			"Extensions in other namespaces",
			"Whether a business object fits the one that it answers, which is another document",
		},
	}
}

// Rules lists the rules about PrintTalk itself. They have a severity in [Profile] only.
func Rules() []validate.Rule {
	var all []validate.Rule
	for _, r := range catalogue() {
		all = append(all, r.Rule)
	}
	return all
}

// pass validates one document.
type pass struct {
	doc  *xjdf.Document
	rows []row
	// rule is the row that is being checked.
	rule   *row
	raised []raised
	counts map[validate.Severity]int
	schema bool
	terms  bool
	jobs   []*xjdf.Node
}

// raised is a finding without its place.
type raised struct {
	rule                           *row
	node                           *xjdf.Node
	attribute, message, suggestion string
}

func (p *pass) run() {
	p.rows, p.counts, p.schema, p.terms = catalogue(), map[validate.Severity]int{}, true, true
	root := p.doc.Root
	if root.Name.Local != "PrintTalk" || root.Name.Space != Namespace {
		message := fmt.Sprintf("The root is %q.", clip(root.Name.String()))
		switch {
		case p.doc.Encoding != xjdf.XML:
			message = "The document is JSON; only PrintTalk in XML is supported."
		case root.Name.Local == "PrintTalk":
			message = fmt.Sprintf("PrintTalk is in the namespace %q, not in that of PrintTalk 2.", clip(root.Name.Space))
		}
		p.findAs(ruleRoot, root, "", message, "")
		return
	}
	p.walk(root, shared().root)
	if len(p.jobs) > MaxJobs {
		p.findAs(ruleJobs, root, "", "The document has too many XJDF documents; the first 200 are validated.", "")
	}
}

// find reports a finding of the current rule, at an attribute or, if there is no such
// attribute, at the element.
func (p *pass) find(n *xjdf.Node, attribute, message string) {
	p.add(p.rule, n, attribute, message, "")
}

// findAs reports a finding of another rule.
func (p *pass) findAs(code string, n *xjdf.Node, attribute, message, suggestion string) {
	i := slices.IndexFunc(p.rows, func(r row) bool { return r.Code == code })
	p.add(&p.rows[i], n, attribute, message, suggestion)
}

func (p *pass) add(r *row, n *xjdf.Node, attribute, message, suggestion string) {
	severity := r.In(Profile)
	p.schema = p.schema && (r.Kind != validate.Schema || severity != validate.Error)
	p.terms = p.terms && (r.Kind != validate.Vocabulary || severity == validate.Info)
	if p.counts[severity]++; p.counts[severity] <= validate.MaxFindings {
		p.raised = append(p.raised, raised{r, n, attribute, message, cmp.Or(suggestion, r.Fix)})
	}
}

func (p *pass) report() validate.Report {
	rank := map[validate.Severity]int{validate.Error: 0, validate.Warning: 1, validate.Info: 2}
	slices.SortStableFunc(p.raised, func(a, b raised) int { return rank[a.rule.In(Profile)] - rank[b.rule.In(Profile)] })
	listed := p.raised[:min(len(p.raised), validate.MaxFindings)]
	version, _ := p.doc.Root.Attr("Version")
	r := validate.Report{
		Valid: p.counts[validate.Error] == 0, SchemaValid: p.schema, VocabularyValid: p.terms, Profile: Profile, Encoding: p.doc.Encoding.String(),
		Version: clip(version), Unsupported: []validate.Unsupported{}, Defaults: []validate.Default{}, Findings: []validate.Finding{},
		Summary: validate.Summary{Errors: p.counts[validate.Error], Warnings: p.counts[validate.Warning], Infos: p.counts[validate.Info]},
	}
	r.Summary.Omitted = r.Summary.Errors + r.Summary.Warnings + r.Summary.Infos - len(listed)
	for i := range listed {
		f := &listed[i]
		at := p.doc.Place(f.node)
		if f.node.Attribute(f.attribute) != nil {
			at = p.doc.AttributePlace(f.node, f.attribute)
		}
		r.Findings = append(r.Findings, validate.Finding{
			Code: f.rule.Code, Severity: f.rule.In(Profile), Kind: f.rule.Kind, Pointer: at.Pointer, Path: at.XPath, Line: at.Line, Column: at.Column,
			Message: f.message, Suggestion: f.suggestion, Reference: f.rule.Reference,
		})
	}
	return r
}

// clip bounds a text of the document for a message.
func clip(text string) string {
	const longest = 60
	if runes := []rune(text[:min(len(text), 4*longest)]); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return text
}
