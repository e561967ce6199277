// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

// pass is one document on its way through the rules.
type pass struct {
	validator *Validator
	doc       *xjdf.Document
	options   Options
	// rule is the row that is being checked.
	rule *row

	version                             string
	valid, schemaValid, vocabularyValid bool
	findings                            []Finding
	summary                             Summary
	defaults                            []Default
	unsupported                         []Unsupported

	// What the walk collects for the rules about the whole document.
	ids        []identified
	references []reference
	products   []*xjdf.Node
	sets       []*xjdf.Node

	// counts are of the children of the element that the walk is at, by their
	// place in the schema.
	counts []int
	// prefixes are those whose extensions have been noted, legacy the elements of
	// JDF 1 that have been met.
	prefixes []string
	legacy   int

	// What the rules about the whole document find out once.
	byID      map[string]*xjdf.Node
	partSet   map[*xjdf.Node]bool
	rootNodes []*xjdf.Node
}

// identified is an element with an ID.
type identified struct {
	id   string
	node *xjdf.Node
}

// reference is an attribute that names the IDs of other elements.
type reference struct {
	node      *xjdf.Node
	attribute *vocabulary.Attribute
	value     string
}

// severity is that of a rule in the document's profile.
func (p *pass) severity(r *row) Severity {
	if p.options.Profile == Strict {
		return r.Strict
	}
	return r.Severity
}

// find reports a finding of the rule that is being checked, at an attribute of
// the node or, if there is no such attribute, at the node.
func (p *pass) find(n *xjdf.Node, attribute, message, suggestion string) {
	p.add(p.rule, n, attribute, message, suggestion)
}

// findf is find with a formatted message and the rule's own fix.
func (p *pass) findf(n *xjdf.Node, attribute, format string, args ...any) {
	p.add(p.rule, n, attribute, fmt.Sprintf(format, args...), "")
}

// findAs reports a finding of another rule, by its code.
func (p *pass) findAs(code string, n *xjdf.Node, attribute, message, suggestion string) {
	p.add(&p.validator.rows[p.validator.byCode[code]], n, attribute, message, suggestion)
}

func (p *pass) add(r *row, n *xjdf.Node, attribute, message, suggestion string) {
	severity := p.severity(r)
	p.count(r, severity)
	if len(p.findings) >= 2*MaxFindings {
		// Enough are kept for the gravest to be among those that are listed, unless
		// a document has hundreds of trifles before its first error.
		if severity != Error {
			return
		}
		i := slices.IndexFunc(p.findings, func(f Finding) bool { return f.Severity != Error })
		if i < 0 {
			return
		}
		p.findings = slices.Delete(p.findings, i, i+1)
	}
	if suggestion == "" {
		suggestion = r.Fix
	}
	f := Finding{Code: r.Code, Severity: severity, Kind: r.Kind, Message: message, Suggestion: suggestion, Reference: r.Reference}
	f.place(p.doc.Encoding, p.place(n, attribute))
	p.findings = append(p.findings, f)
}

func (p *pass) place(n *xjdf.Node, attribute string) xjdf.Place {
	if attribute != "" {
		if _, found := n.Attr(attribute); found {
			return p.doc.AttributePlace(n, attribute)
		}
	}
	return p.doc.Place(n)
}

func (p *pass) count(r *row, severity Severity) {
	switch severity {
	case Error:
		p.summary.Errors++
		p.valid = false
		if r.Kind == Schema {
			p.schemaValid = false
		}
	case Warning:
		p.summary.Warnings++
	case Info:
		p.summary.Infos++
	}
	if r.Kind == Vocabulary && severity != Info {
		p.vocabularyValid = false
	}
}

// assume notes what is taken for something that is left out.
func (p *pass) assume(name, value string) {
	p.defaults = append(p.defaults, Default{name, value})
}

// reject notes something that the marketplace does not take.
func (p *pass) reject(kind, name string, n *xjdf.Node, attribute string) {
	if len(p.unsupported) >= MaxFindings {
		return
	}
	at := p.place(n, attribute)
	p.unsupported = append(p.unsupported, Unsupported{Kind: kind, Name: name, Pointer: at.Pointer, Path: at.XPath})
}

// check runs the rules that are about an element.
func (p *pass) check(element string, n *xjdf.Node) {
	for _, i := range p.validator.byElement[element] {
		p.rule = &p.validator.rows[i]
		p.rule.check(p, n)
	}
}

// whole runs the rules about the whole document.
func (p *pass) whole() { p.check(document, p.doc.Root) }

func (p *pass) report() Report {
	findings := sorted(p.findings)
	p.summary.Omitted = p.summary.Errors + p.summary.Warnings + p.summary.Infos - min(len(findings), MaxFindings)
	if len(findings) > MaxFindings {
		findings = findings[:MaxFindings]
	}
	return Report{
		Valid: p.valid, SchemaValid: p.schemaValid, VocabularyValid: p.vocabularyValid,
		Profile: p.options.Profile, Encoding: p.doc.Encoding.String(), Version: p.version,
		Unsupported: listed(p.unsupported), Defaults: listed(p.defaults), Findings: listed(findings), Summary: p.summary,
	}
}

// listed is never null in JSON.
func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
