// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// pass validates one document.
type pass struct {
	validator *Validator
	doc       *xjdf.Document
	options   Options
	// message reports whether the document is an XJMF.
	message bool
	// rule is the row that is being checked.
	rule *row

	version string
	// newer reports whether the version is later than the newest one known, and
	// notUnderstood names what a later version may define.
	newer         bool
	notUnderstood []string

	valid, schemaValid, vocabularyValid bool
	raised                              []raised
	summary                             Summary
	defaults                            []Default
	rejected                            []rejected

	// types are the processes of the document, typeCounts their counts.
	types      []string
	typeCounts map[string]int

	// The walk collects these for the rules about the whole document.
	ids        []identified
	references []reference
	urls       []located
	products   []*xjdf.Node
	sets       []*xjdf.Node
	parts      []*xjdf.Node

	// intents are those of the product of the last call of intentsOf.
	intents intents

	// counts are the numbers of children of the current element, by their index in the
	// schema.
	counts []int
	// prefixes are those whose extensions were reported; legacy counts the elements of
	// JDF 1.
	prefixes []string
	legacy   int

	// The rules about the whole document compute these once.
	byID      map[string]*xjdf.Node
	assigned  []assigned
	partSet   map[*xjdf.Node]bool
	rootNodes []*xjdf.Node
	rootSet   map[*xjdf.Node]bool
}

// raised is a finding without its place: places are expensive, and a report lists only
// some of thousands of findings.
type raised struct {
	rule                *row
	severity            Severity
	node                *xjdf.Node
	attribute           string
	message, suggestion string
}

// rejected is an [Unsupported] without its place.
type rejected struct {
	kind, name, attribute string
	node                  *xjdf.Node
}

// identified is an element with an ID.
type identified struct {
	id   string
	node *xjdf.Node
}

// located is an attribute with the URL of a file.
type located struct {
	node      *xjdf.Node
	attribute string
	value     string
}

// reference is an attribute that names the IDs of other elements.
type reference struct {
	node      *xjdf.Node
	attribute *vocabulary.Attribute
	value     string
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

// findAs reports a finding of another rule, by its code. It calls text only for a
// finding that may be listed.
func (p *pass) findAs(code string, n *xjdf.Node, attribute string, text func() (message, suggestion string)) {
	p.add(p.validator.row(code), n, attribute, text)
}

// kept bounds the findings before the report selects the gravest.
const kept = 2 * MaxFindings

func (p *pass) add(r *row, n *xjdf.Node, attribute string, text func() (message, suggestion string)) {
	severity := r.In(p.options.Profile)
	if p.newer && r.Kind == Vocabulary && r.Code != versionUnknown {
		if severity == Error {
			severity = Warning
		}
		p.missed(n, attribute)
	}
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
	message, suggestion := text()
	if suggestion == "" {
		suggestion = r.Fix
	}
	p.raised = append(p.raised, raised{r, severity, n, attribute, message, suggestion})
}

// displace removes a lesser finding to make room for an error, and reports whether it
// did.
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

// assume records the default of a missing item. Only the profile product-intent has
// defaults.
func (p *pass) assume(name, value string) {
	if p.options.Profile == ProductIntent {
		p.defaults = append(p.defaults, Default{name, value})
	}
}

// reject records an item that the marketplace does not support.
func (p *pass) reject(kind, name string, n *xjdf.Node, attribute string) {
	if len(p.rejected) < MaxFindings {
		p.rejected = append(p.rejected, rejected{kind: kind, name: name, attribute: attribute, node: n})
	}
}

// check runs rules on an element.
func (p *pass) check(rules []*row, n *xjdf.Node) {
	for _, r := range rules {
		if p.rule = r; r.In(p.options.Profile) != "" {
			r.check(p, n)
		}
	}
}
