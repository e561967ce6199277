// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"
	"slices"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func (p *pass) report() Report {
	listed := p.listed()
	p.summary.Omitted = p.summary.Errors + p.summary.Warnings + p.summary.Infos - len(listed)
	r := Report{
		Valid: p.valid, SchemaValid: p.schemaValid, VocabularyValid: p.vocabularyValid,
		Profile: p.options.Profile, Encoding: p.doc.Encoding.String(), Version: clip(p.version),
		// Lists are never null in JSON.
		Unsupported: make([]Unsupported, 0, len(p.rejected)),
		Defaults:    append([]Default{}, p.defaults...),
		Findings:    make([]Finding, 0, len(listed)),
		Summary:     p.summary,
	}
	for _, u := range p.rejected {
		at := p.place(u.node, u.attribute)
		r.Unsupported = append(r.Unsupported, Unsupported{Kind: u.kind, Name: u.name, Pointer: at.Pointer, Path: at.XPath})
	}
	for i := range listed {
		r.Findings = append(r.Findings, p.finding(&listed[i]))
	}
	return r
}

// listed are the findings that the report has room for: the gravest first, those
// of one severity in the order of the document, and those of one place in the
// order in which they were found.
func (p *pass) listed() []raised {
	if len(p.raised) == 0 {
		return nil
	}
	order := p.order()
	slices.SortStableFunc(p.raised, func(a, b raised) int {
		return cmp.Or(cmp.Compare(a.severity.rank(), b.severity.rank()), cmp.Compare(order[a.node], order[b.node]))
	})
	return p.raised[:min(len(p.raised), MaxFindings)]
}

// order numbers the elements that have findings as they come in the document.
func (p *pass) order() map[*xjdf.Node]int {
	order := make(map[*xjdf.Node]int, len(p.raised))
	for i := range p.raised {
		order[p.raised[i].node] = 0
	}
	place := 0
	for n := range p.doc.Root.Descendants() {
		place++
		if _, has := order[n]; has {
			order[n] = place
		}
	}
	return order
}

func (p *pass) finding(f *raised) Finding {
	at := p.place(f.node, f.attribute)
	one := Finding{
		Code: f.rule.Code, Severity: f.severity, Kind: f.rule.Kind, Path: at.XPath, Line: at.Line, Column: at.Column,
		Message: f.message, Suggestion: f.suggestion, Reference: f.rule.Reference,
	}
	if p.doc.Encoding != xjdf.XML {
		one.Pointer = &at.Pointer
	}
	return one
}

// place is that of an attribute, or that of its element if it is not there.
func (p *pass) place(n *xjdf.Node, attribute string) xjdf.Place {
	if attribute != "" {
		for i := range n.Attributes {
			if n.Attributes[i].Name.String() == attribute {
				return p.doc.AttributePlace(n, attribute)
			}
		}
	}
	return p.doc.Place(n)
}

// rank orders severities, the gravest first.
func (s Severity) rank() int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	case Info:
		return 2
	default:
		return 3
	}
}
