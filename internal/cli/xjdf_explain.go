// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// explained is the JSON output of an explanation: one of its members is set.
type explained struct {
	Name string `json:"name"`
	// Kind is rule, element, attribute, process, list or profile.
	Kind      string                `json:"kind"`
	Reference string                `json:"reference,omitempty"`
	Rule      *validate.Rule        `json:"rule,omitempty"`
	Profile   *validate.Conformance `json:"profile,omitempty"`
	Element   *explainedElement     `json:"element,omitempty"`
	Attribute *explainedAttribute   `json:"attribute,omitempty"`
	Process   *explainedProcess     `json:"process,omitempty"`
	Values    []string              `json:"values,omitempty"`
}

type explainedElement struct {
	Parents    []string             `json:"parents"`
	Attributes []explainedAttribute `json:"attributes"`
	Children   []explainedChild     `json:"children"`
}

type explainedChild struct {
	Name string `json:"name"`
	Min  int    `json:"min"`
	// Max is 0 for any number.
	Max int `json:"max"`
}

type explainedAttribute struct {
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

type explainedProcess struct {
	Inputs  []string `json:"inputs"`
	Options []string `json:"options"`
	Outputs []string `json:"outputs"`
}

func xjdfExplainCommand() *cobra.Command {
	cmd := command[explained]{
		use: "explain NAME", short: "Explain a rule, an element, an attribute, a process, a list or a profile",
		example: `  printmarket xjdf explain DIMENSION_LOOKS_MM
  printmarket xjdf explain MediaIntent
  printmarket xjdf explain LayoutIntent/@Sides
  printmarket xjdf explain Folding`,
		args: cobra.ExactArgs(1), outputs: []string{"text"}, print: printExplained,
	}.local(func(_ *cobra.Command, args []string) (explained, error) { return explainXJDF(args[0]) })
	cmd.ValidArgsFunction = firstArgument(completion(func(context.Context, []string) ([]string, error) { return explainable(), nil }))
	return cmd
}

// explainable returns the names that can be explained, without attributes.
func explainable() []string {
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
	for _, c := range validate.Conformances() {
		names = append(names, string(c.Profile))
	}
	return names
}

func explainXJDF(name string) (explained, error) {
	v := vocabulary.Load()
	if element, attribute, found := strings.Cut(name, "/@"); found {
		if e := v.Element(element); e != nil && e.Attribute(attribute) != nil {
			a := explainAttribute(e.Attribute(attribute))
			return explained{Name: name, Kind: "attribute", Reference: "XJDF 2.2, " + e.Clause, Attribute: &a}, nil
		}
	}
	for _, r := range slices.Concat(validate.Rules(), printtalk.Rules()) {
		if r.Code == name {
			return explained{Name: name, Kind: "rule", Reference: r.Reference, Rule: &r}, nil
		}
	}
	for _, c := range validate.Conformances() {
		if string(c.Profile) == name {
			return explained{Name: name, Kind: "profile", Profile: &c}, nil
		}
	}
	if e := v.Element(name); e != nil {
		return explained{Name: name, Kind: "element", Reference: "XJDF 2.2, " + e.Clause, Element: explainElement(v, e)}, nil
	}
	if p, known := v.Process(name); known {
		return explained{Name: name, Kind: "process", Reference: "XJDF 2.2, " + p.Clause, Process: &explainedProcess{
			Inputs: requirements(p.Inputs), Options: requirements(p.Options), Outputs: requirements(p.Outputs),
		}}, nil
	}
	if l := v.List(name); l != nil {
		return explained{Name: name, Kind: "list", Reference: "XJDF 2.2, " + l.Clause, Values: l.Values}, nil
	}
	if nearest, ok := vocabulary.Nearest(name, explainable()); ok {
		return explained{}, fmt.Errorf("unknown name %.80q; did you mean %s?", name, nearest)
	}
	return explained{}, fmt.Errorf("unknown name %.80q: give a rule, an element, Element/@Attribute, a process, a list or a profile", name)
}

func explainElement(v *vocabulary.Vocabulary, e *vocabulary.Element) *explainedElement {
	made := &explainedElement{Parents: []string{}, Attributes: []explainedAttribute{}, Children: []explainedChild{}}
	for _, parent := range v.Elements() {
		if child, _ := parent.Child(e.Name); child != nil {
			made.Parents = append(made.Parents, parent.Name)
		}
	}
	slices.Sort(made.Parents)
	for i := range e.Attributes {
		made.Attributes = append(made.Attributes, explainAttribute(&e.Attributes[i]))
	}
	for _, c := range e.Children {
		made.Children = append(made.Children, explainedChild{c.Name, c.Min, c.Max})
	}
	return made
}

func explainAttribute(a *vocabulary.Attribute) explainedAttribute {
	made := explainedAttribute{Name: a.Name, Type: a.Type.String(), Required: a.Required, Unit: a.Unit.String(), Targets: a.Targets}
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

func requirements(needs []vocabulary.Requirement) []string {
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

func printExplained(w io.Writer, e explained) {
	line(w, fmt.Sprintf("%s: %s", e.Name, e.Kind))
	if e.Reference != "" {
		line(w, e.Reference)
	}
	list := func(title string, names []string) {
		if len(names) > 0 {
			line(w, title+": "+strings.Join(names, ", "))
		}
	}
	switch {
	case e.Rule != nil:
		line(w, e.Rule.Summary)
		line(w, "fix: "+e.Rule.Fix)
		for _, p := range validate.AllProfiles() {
			if s := e.Rule.In(p); s != "" {
				line(w, fmt.Sprintf("in %s: %s", p, s))
			}
		}
		if s, own := e.Rule.Profiles[printtalk.Profile]; own {
			line(w, fmt.Sprintf("in %s: %s", printtalk.Profile, s))
		}
	case e.Profile != nil:
		line(w, e.Profile.Summary)
		for _, text := range e.Profile.Checked {
			line(w, "checked: "+text)
		}
		for _, text := range e.Profile.Unchecked {
			line(w, "not checked: "+text)
		}
	case e.Attribute != nil:
		line(w, e.Attribute.text())
		list("values", e.Attribute.Values)
	case e.Element != nil:
		list("in", e.Element.Parents)
		for _, a := range e.Element.Attributes {
			line(w, "  @"+a.Name+": "+a.text())
		}
		for _, c := range e.Element.Children {
			line(w, fmt.Sprintf("  %s: %s", c.Name, c.text()))
		}
	case e.Process != nil:
		list("inputs", e.Process.Inputs)
		list("optional inputs", e.Process.Options)
		list("outputs", e.Process.Outputs)
	default:
		list("values", e.Values)
	}
}

// text returns what an attribute requires, in one line.
func (a *explainedAttribute) text() string {
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

func (c explainedChild) text() string {
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
