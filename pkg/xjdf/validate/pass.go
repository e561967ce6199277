// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
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
	raised                              []raised
	summary                             Summary
	defaults                            []Default
	rejected                            []rejected

	// types are the processes of the document, typeCounts how often each is there.
	types      []string
	typeCounts map[string]int

	// What the walk collects for the rules about the whole document.
	ids        []identified
	references []reference
	products   []*xjdf.Node
	sets       []*xjdf.Node
	parts      []*xjdf.Node

	// intents are those of the product that was looked at last.
	intents intents

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
	rootSet   map[*xjdf.Node]bool
}

// raised is a finding before anybody asks where it is: places cost, and of
// thousands of findings a report lists few.
type raised struct {
	rule                *row
	severity            Severity
	node                *xjdf.Node
	attribute           string
	message, suggestion string
}

// rejected is an [Unsupported] before anybody asks where it is.
type rejected struct {
	kind, name, attribute string
	node                  *xjdf.Node
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
	p.add(p.rule, n, attribute, func() (string, string) { return message, suggestion })
}

// findf is find with a formatted message and the rule's own fix.
func (p *pass) findf(n *xjdf.Node, attribute, format string, args ...any) {
	p.add(p.rule, n, attribute, func() (string, string) { return fmt.Sprintf(format, args...), "" })
}

// findAs reports a finding of another rule, by its code. What it says is only
// asked for if somebody will read it.
func (p *pass) findAs(code string, n *xjdf.Node, attribute string, say func() (message, suggestion string)) {
	p.add(p.validator.row(code), n, attribute, say)
}

// kept is how many findings wait for the report: enough for the gravest to be
// among those that are listed.
const kept = 2 * MaxFindings

func (p *pass) add(r *row, n *xjdf.Node, attribute string, say func() (message, suggestion string)) {
	severity := p.severity(r)
	switch severity {
	case Error:
		p.summary.Errors++
		p.valid = false
		if r.Kind == Schema || r.Schema {
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
	if len(p.raised) >= kept && !p.displace(severity) {
		return
	}
	message, suggestion := say()
	if suggestion == "" {
		suggestion = r.Fix
	}
	p.raised = append(p.raised, raised{r, severity, n, attribute, message, suggestion})
}

// displace makes room for an error among trifles, and reports whether it did.
func (p *pass) displace(severity Severity) bool {
	if severity != Error || p.summary.Errors > kept {
		return false
	}
	i := slices.IndexFunc(p.raised, func(f raised) bool { return f.severity != Error })
	if i < 0 {
		return false
	}
	p.raised = slices.Delete(p.raised, i, i+1)
	return true
}

// assume notes what is taken for something that is left out.
func (p *pass) assume(name, value string) {
	if p.options.Profile == Strict {
		return // where nothing is taken for anything
	}
	p.defaults = append(p.defaults, Default{name, value})
}

// reject notes something that the marketplace does not take.
func (p *pass) reject(kind, name string, n *xjdf.Node, attribute string) {
	if len(p.rejected) < MaxFindings {
		p.rejected = append(p.rejected, rejected{kind: kind, name: name, attribute: attribute, node: n})
	}
}

// check runs rules on what they are about.
func (p *pass) check(rules []*row, n *xjdf.Node) {
	for _, r := range rules {
		p.rule = r
		r.check(p, n)
	}
}
