// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Explanation describes one name. One of its members after Reference is set.
type Explanation struct {
	Name string `json:"name"`
	// Kind is rule, element, attribute, process, list or profile.
	Kind      string                `json:"kind"`
	Reference string                `json:"reference,omitempty"`
	Rule      *validate.Rule        `json:"rule,omitempty"`
	Profile   *validate.Conformance `json:"profile,omitempty"`
	Element   *Element              `json:"element,omitempty"`
	Attribute *Attribute            `json:"attribute,omitempty"`
	Process   *Process              `json:"process,omitempty"`
	Values    []string              `json:"values,omitempty"`
}

// Element describes the place and the content of an element.
type Element struct {
	Parents    []string    `json:"parents"`
	Attributes []Attribute `json:"attributes"`
	Children   []Child     `json:"children"`
}

// Child holds how often an element contains another one.
type Child struct {
	Name string `json:"name"`
	Min  int    `json:"min"`
	// Max is 0 for any number.
	Max int `json:"max"`
}

// Attribute describes the values of an attribute.
type Attribute struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Unit     string `json:"unit,omitempty"`
	// Values are those of a list, which is closed or open.
	List       string   `json:"list,omitempty"`
	Closed     bool     `json:"closed,omitempty"`
	Values     []string `json:"values,omitempty"`
	Pattern    string   `json:"pattern,omitempty"`
	Bounds     string   `json:"bounds,omitempty"`
	Targets    []string `json:"targets,omitempty"`
	Deprecated string   `json:"deprecated,omitempty"`
}

// Process holds the resources of a process.
type Process struct {
	Inputs  []string `json:"inputs"`
	Options []string `json:"options"`
	Outputs []string `json:"outputs"`
}

// Names returns the names that can be explained, without attributes and lists.
func Names() []string {
	var names []string
	for _, r := range slices.Concat(validate.Rules(), printtalk.Rules()) {
		names = append(names, r.Code)
	}
	v := vocabulary.Load()
	for _, e := range v.Elements() {
		names = append(names, e.Name)
	}
	for _, p := range v.Processes() {
		names = append(names, p.Name)
	}
	for _, c := range profiles() {
		names = append(names, string(c.Profile))
	}
	return names
}

// profiles describes all profiles.
func profiles() []validate.Conformance {
	return append(
		validate.Conformances(), printtalk.Conformance(),
		validate.Conformance{
			Profile: validate.ProductIntent, Summary: "For descriptions of a product that is wanted. Missing items of the standard get defaults.",
			Checked: []string{"The rules with a severity in product-intent", "Version and a product, which are required"},
		},
		validate.Conformance{
			Profile: validate.Strict, Summary: "For documents that other systems read, too. Nothing gets a default.",
			Checked: []string{"The rules with a severity in strict", "All items that the standard requires"},
		},
	)
}

// Explain explains a rule, an element, Element/@Attribute, a process, a list or a profile. The error
// of an unknown name proposes a similar one.
func Explain(name string) (Explanation, error) {
	v := vocabulary.Load()
	if element, attribute, found := strings.Cut(name, "/@"); found {
		if e := v.Element(element); e != nil && e.Attribute(attribute) != nil {
			a := newAttribute(e.Attribute(attribute))
			return Explanation{Name: name, Kind: "attribute", Reference: "XJDF 2.2, " + e.Clause, Attribute: &a}, nil
		}
	}
	for _, r := range slices.Concat(validate.Rules(), printtalk.Rules()) {
		if r.Code == name {
			return Explanation{Name: name, Kind: "rule", Reference: r.Reference, Rule: &r}, nil
		}
	}
	for _, c := range profiles() {
		if string(c.Profile) == name {
			return Explanation{Name: name, Kind: "profile", Profile: &c}, nil
		}
	}
	if e := v.Element(name); e != nil {
		return Explanation{Name: name, Kind: "element", Reference: "XJDF 2.2, " + e.Clause, Element: newElement(v, e)}, nil
	}
	if p, known := v.Process(name); known {
		return Explanation{Name: name, Kind: "process", Reference: "XJDF 2.2, " + p.Clause, Process: &Process{
			Inputs: resources(p.Inputs), Options: resources(p.Options), Outputs: resources(p.Outputs),
		}}, nil
	}
	if l := v.List(name); l != nil {
		return Explanation{Name: name, Kind: "list", Reference: "XJDF 2.2, " + l.Clause, Values: l.Values}, nil
	}
	if nearest, ok := vocabulary.Nearest(name, Names()); ok {
		return Explanation{}, fmt.Errorf("unknown name %.80q; did you mean %s?", name, nearest)
	}
	return Explanation{}, fmt.Errorf("unknown name %.80q: give a rule, an element, Element/@Attribute, a process, a list or a profile", name)
}

func newElement(v *vocabulary.Vocabulary, e *vocabulary.Element) *Element {
	made := &Element{Parents: []string{}, Attributes: []Attribute{}, Children: []Child{}}
	for _, parent := range v.Elements() {
		if child, _ := parent.Child(e.Name); child != nil {
			made.Parents = append(made.Parents, parent.Name)
		}
	}
	slices.Sort(made.Parents)
	for i := range e.Attributes {
		made.Attributes = append(made.Attributes, newAttribute(&e.Attributes[i]))
	}
	for _, c := range e.Children {
		made.Children = append(made.Children, Child{c.Name, c.Min, c.Max})
	}
	return made
}

func newAttribute(a *vocabulary.Attribute) Attribute {
	made := Attribute{Name: a.Name, Type: a.Type.String(), Required: a.Required, Unit: a.Unit.String(), Targets: a.Targets}
	if l := a.Values; l != nil {
		made.List, made.Closed, made.Values, made.Pattern = l.Name, l.Closed, l.Values, l.Pattern()
	}
	if b := a.Bounds; b != nil {
		made.Bounds = fmt.Sprintf("%g to %g", b.Min, b.Max)
	}
	if a.Deprecated.Since != "" {
		made.Deprecated = strings.TrimSpace(a.Deprecated.Since + " " + a.Deprecated.Use)
	}
	return made
}

func resources(needs []vocabulary.Requirement) []string {
	names := []string{}
	for _, need := range needs {
		if need.Usage != "" {
			names = append(names, need.Resource+" ("+need.Usage+")")
		} else {
			names = append(names, need.Resource)
		}
	}
	return names
}

// Lines returns the explanation as text.
func (e *Explanation) Lines() []string {
	lines := []string{fmt.Sprintf("%s: %s", e.Name, e.Kind)}
	if e.Reference != "" {
		lines = append(lines, e.Reference)
	}
	list := func(title string, names []string) {
		if len(names) > 0 {
			lines = append(lines, title+": "+strings.Join(names, ", "))
		}
	}
	switch {
	case e.Rule != nil:
		lines = append(lines, e.Rule.Summary, "fix: "+e.Rule.Fix)
		for _, p := range validate.Profiles() {
			if s := e.Rule.In(p); s != "" {
				lines = append(lines, fmt.Sprintf("in %s: %s", p, s))
			}
		}
		if s, own := e.Rule.Profiles[printtalk.Profile]; own {
			lines = append(lines, fmt.Sprintf("in %s: %s", printtalk.Profile, s))
		}
	case e.Profile != nil:
		lines = append(lines, e.Profile.Summary)
		for _, text := range e.Profile.Checked {
			lines = append(lines, "checked: "+text)
		}
		for _, text := range e.Profile.Unchecked {
			lines = append(lines, "not checked: "+text)
		}
	case e.Attribute != nil:
		lines = append(lines, e.Attribute.text())
		list("values", e.Attribute.Values)
	case e.Element != nil:
		list("in", e.Element.Parents)
		for _, a := range e.Element.Attributes {
			lines = append(lines, "  @"+a.Name+": "+a.text())
		}
		for _, c := range e.Element.Children {
			lines = append(lines, fmt.Sprintf("  %s: %s", c.Name, c.text()))
		}
	case e.Process != nil:
		list("inputs", e.Process.Inputs)
		list("optional inputs", e.Process.Options)
		list("outputs", e.Process.Outputs)
	default:
		list("values", e.Values)
	}
	return lines
}

// text returns what an attribute requires, in one line.
func (a *Attribute) text() string {
	text := a.Type
	if a.Required {
		text += ", required"
	}
	if a.Unit != "" {
		text += ", in " + a.Unit
	}
	if a.Bounds != "" {
		text += ", " + a.Bounds
	}
	switch {
	case a.List != "" && a.Closed:
		text += ", one of " + a.List
	case a.List != "":
		text += ", preferably of " + a.List
	}
	if a.Pattern != "" {
		text += ", pattern " + a.Pattern
	}
	if len(a.Targets) > 0 {
		text += ", refers to " + strings.Join(a.Targets, " or ")
	}
	if a.Deprecated != "" {
		text += ", deprecated since " + a.Deprecated
	}
	return text
}

func (c Child) text() string {
	switch {
	case c.Max == 0 && c.Min == 0:
		return "any number"
	case c.Max == 0:
		return fmt.Sprintf("%d or more", c.Min)
	case c.Min == c.Max:
		return fmt.Sprintf("exactly %d", c.Min)
	default:
		return fmt.Sprintf("%d to %d", c.Min, c.Max)
	}
}
