// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// report returns the findings and the summary of the pass.
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
	cache := places{doc: p.doc, known: make(map[spot]xjdf.Place, len(p.rejected)+len(listed))}
	for _, u := range p.rejected {
		at := cache.of(u.node, u.attribute)
		r.Unsupported = append(r.Unsupported, Unsupported{Kind: u.kind, Name: u.name, Pointer: at.Pointer, Path: at.XPath})
	}
	for i := range listed {
		f := &listed[i]
		at := cache.of(f.node, f.attribute)
		r.Findings = append(r.Findings, Finding{
			Code: f.rule.Code, Severity: f.severity, Kind: f.rule.Kind, Path: at.XPath, Line: at.Line, Column: at.Column,
			Pointer: at.Pointer, Message: f.message, Suggestion: f.suggestion, Reference: f.rule.Reference,
		})
	}
	return r
}

// listed returns the findings that fit into the report: sorted by severity, the
// gravest first, by their place in the document, and in the order of discovery.
func (p *pass) listed() []raised {
	if len(p.raised) == 0 {
		return nil
	}
	// Number the elements with findings in the order of the document.
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
	slices.SortStableFunc(p.raised, func(a, b raised) int {
		return cmp.Or(cmp.Compare(a.severity.rank(), b.severity.rank()), cmp.Compare(order[a.node], order[b.node]))
	})
	return p.raised[:min(len(p.raised), MaxFindings)]
}

// places caches places: counting lines and siblings is expensive, and one element may
// have several findings.
type places struct {
	doc   *xjdf.Document
	known map[spot]xjdf.Place
}

type spot struct {
	node      *xjdf.Node
	attribute string
}

// of returns the place of an attribute, or of the element for a missing attribute.
func (p *places) of(n *xjdf.Node, attribute string) xjdf.Place {
	is := func(a xjdf.Attribute) bool { return a.Name.String() == attribute }
	if attribute != "" && !slices.ContainsFunc(n.Attributes, is) {
		attribute = ""
	}
	at, known := p.known[spot{n, attribute}]
	switch {
	case known:
		return at
	case attribute != "":
		at = p.doc.AttributePlace(n, attribute)
	default:
		at = p.doc.Place(n)
	}
	p.known[spot{n, attribute}] = at
	return at
}

// rank returns the order of a severity, the gravest first.
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
