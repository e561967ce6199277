// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Rule is one row of the catalogue.
type Rule struct {
	// Code identifies the rule in findings.
	Code string `json:"code"`
	Kind Kind   `json:"kind"`
	// Severity applies in the profile product-intent, Strict in the profile strict. A
	// profile does not apply a rule without a severity.
	Severity Severity `json:"severity,omitempty"`
	Strict   Severity `json:"strict,omitempty"`
	// Profiles are the severities in the profiles for documents of processes, where they
	// differ from Strict.
	Profiles map[Profile]Severity `json:"profiles,omitempty"`
	// Schema reports whether the XML schema of the standard rejects such a document as
	// well.
	Schema bool `json:"schema"`
	// Reference is the clause of XJDF 2.2 behind the rule; empty for a rule of this
	// service.
	Reference string `json:"reference,omitempty"`
	// Summary states the requirement in a sentence.
	Summary string `json:"summary"`
	// Fix says how to fix a finding; a finding may have a more specific suggestion.
	Fix string `json:"fix"`
}

// row is a rule with its elements and its check. The rules of structure and of values
// have no element: the walk itself reports them.
type row struct {
	Rule

	on    []string
	check func(*pass, *xjdf.Node)
}

// Rules lists the catalogue: first the rules of the walk over a document, then the
// rules of each element.
func Rules() []Rule {
	var all []Rule
	for _, r := range catalogue() {
		all = append(all, r.Rule)
	}
	return all
}

// catalogue returns every row, in the order of the files.
func catalogue() []row {
	return slices.Concat(
		structureRules, valueRules, documentRules, productRules, amountRules, intentRules, layoutRules, bindingRules,
		mediaRules, resourceSetRules, resourceRules, partitionRules, referenceRules, processRules, chainRules, auditRules,
		conformanceRules, packageRules, supportRules,
	)
}

// both returns the same severity for both profiles.
func both(s Severity) [2]Severity { return [2]Severity{s, s} }

// lenient returns a warning, and an error for the profile strict.
func lenient() [2]Severity { return [2]Severity{Warning, Error} }

// nowhere returns no severity, for a rule of other profiles.
func nowhere() [2]Severity { return [2]Severity{} }

func newRow(code string, kind Kind, severity [2]Severity, reference, summary, fix string) row {
	if reference != "" {
		reference = "XJDF 2.2, " + reference
	}
	return row{Rule: Rule{Schema: kind == Schema, Code: code, Kind: kind, Severity: severity[0], Strict: severity[1], Reference: reference, Summary: summary, Fix: fix}}
}

// of returns the row with its element and its check. A row contains a short check; longer
// ones follow the table.
func (r row) of(element string, check func(*pass, *xjdf.Node)) row {
	r.on, r.check = []string{element}, check
	return r
}

// present returns a check that an element has an attribute.
func present(attribute string) func(*pass, *xjdf.Node) {
	return func(p *pass, n *xjdf.Node) {
		if n.Attribute(attribute) == nil {
			p.find(n, "", attribute+" is missing.", "")
		}
	}
}

// requires returns a check that an element with an attribute has another one.
func requires(attribute, other string) func(*pass, *xjdf.Node) {
	return func(p *pass, n *xjdf.Node) {
		if n.Attribute(attribute) != nil && n.Attribute(other) == nil {
			p.find(n, attribute, attribute+" is present, but "+other+" is missing.", "")
		}
	}
}

// ofRoots returns a check that the delivered products have an attribute.
func ofRoots(attribute string) func(*pass, *xjdf.Node) {
	return func(p *pass, _ *xjdf.Node) {
		for _, product := range p.roots() {
			if product.Attribute(attribute) == nil {
				p.find(product, "", "The product has no "+attribute+".", "")
			}
		}
	}
}

// also returns the row with more elements.
func (r row) also(elements ...string) row {
	r.on = append(r.on, elements...)
	return r
}

// in returns the row with its severities in the profiles for documents of processes.
func (r row) in(severities map[Profile]Severity) row {
	r.Profiles = severities
	return r
}

// In returns the severity in a profile, or "" if the profile does not apply the rule.
func (r *Rule) In(profile Profile) Severity {
	if s, differs := r.Profiles[profile]; differs {
		return s
	}
	if profile == ProductIntent {
		return r.Severity
	}
	return r.Strict
}

// inSchema returns the row marked as one that the XML schema checks as well.
func (r row) inSchema() row {
	r.Schema = true
	return r
}
