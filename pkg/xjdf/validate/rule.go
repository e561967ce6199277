// SPDX-License-Identifier: Apache-2.0

package validate

import "github.com/printmarket/printmarket/pkg/xjdf"

// Rule is one row of the catalogue.
type Rule struct {
	// Code is what a finding has.
	Code string `json:"code"`
	Kind Kind   `json:"kind"`
	// Severity is that in the profile product-intent, Strict that in strict.
	Severity Severity `json:"severity"`
	Strict   Severity `json:"strict"`
	// Schema: the schema of the standard for XML refuses such a document as well,
	// whatever the kind of the rule.
	Schema bool `json:"schema"`
	// Reference is the clause of XJDF 2.2 that the rule comes from; empty where it
	// comes from this service.
	Reference string `json:"reference,omitempty"`
	// Summary says in a sentence what is demanded.
	Summary string `json:"summary"`
	// Fix says what to do about a finding; findings may know better.
	Fix string `json:"fix"`
}

// row is a rule with the elements that it is about and what checks it there. The
// rules of structure have no element: the walk reports them where it meets them.
type row struct {
	Rule

	on    []string
	check func(*pass, *xjdf.Node)
}

// Rules lists the catalogue: first what the walk over a document finds, then the
// rules of each element.
func Rules() []Rule {
	var all []Rule
	for _, r := range catalogue() {
		all = append(all, r.Rule)
	}
	return all
}

// catalogue is every row, in the order of the files.
func catalogue() []row {
	var all []row
	for _, part := range [][]row{
		structureRules(), valueRules(), documentRules(), productRules(), amountRules(), intentRules(), layoutRules(), bindingRules(),
		mediaRules(), resourceSetRules(), resourceRules(), partitionRules(), referenceRules(), processRules(), auditRules(), supportRules(),
	} {
		all = append(all, part...)
	}
	return all
}

// both is the same severity in both profiles.
func both(s Severity) [2]Severity { return [2]Severity{s, s} }

// lenient is a warning that the strict profile makes an error.
func lenient() [2]Severity { return [2]Severity{Warning, Error} }

func newRow(code string, kind Kind, severity [2]Severity, reference, summary, fix string) row {
	if reference != "" {
		reference = "XJDF 2.2, " + reference
	}
	return row{Rule: Rule{Schema: kind == Schema, Code: code, Kind: kind, Severity: severity[0], Strict: severity[1], Reference: reference, Summary: summary, Fix: fix}}
}

// of gives the row its element and its check.
func (r row) of(element string, check func(*pass, *xjdf.Node)) row {
	r.on, r.check = []string{element}, check
	return r
}

// also gives the row more elements.
func (r row) also(elements ...string) row {
	r.on = append(r.on, elements...)
	return r
}

// inSchema says that a schema finds it as well.
func (r row) inSchema() row {
	r.Schema = true
	return r
}
