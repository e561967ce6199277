// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// children holds those of an element against what it may and has to have.
func (p *pass) children(n *xjdf.Node, def *vocabulary.Element, plan *plan) {
	if len(n.Children) == 0 && len(plan.children) == 0 {
		return
	}
	p.counts = append(p.counts[:0], make([]int, len(def.Children))...)
	order := ordered{pass: p, def: def, last: -1, on: p.doc.Encoding == xjdf.XML && !def.Pool}
	foreign := 0
	for _, child := range n.Children {
		spec, place := def.Child(child.Name.Local)
		if spec == nil || !child.Name.Core() {
			if p.stranger(n, child) {
				foreign++
				order.extended = true
			}
			continue
		}
		p.counts[place]++
		late := place < order.last && !exchangeable(order.def, place, order.last)
		if order.on && (late || order.extended) {
			order.on = false
			order.pass.findAs(elementOrder, child, "", func() (string, string) {
				before := "an extension"
				if late {
					before = order.def.Children[order.last].Name
				}
				return fmt.Sprintf("%s comes after %s.", child.Name.Local, before), ""
			})
		}
		order.last = max(order.last, place)
		if spec.Max > 0 && p.counts[place] == spec.Max+1 {
			p.findAs(elementRepeated, child, "", func() (string, string) {
				count := 0
				for range n.All(spec.Name) {
					count++
				}
				return fmt.Sprintf("%s has %d of %s; at most %d may be there.", n.Name.Local, count, spec.Name, spec.Max), ""
			})
		}
		if spec.Deprecated.Since != "" && p.counts[place] == 1 {
			p.findAs(valueDeprecated, child, "", func() (string, string) {
				return fmt.Sprintf("%s is deprecated since %s.", child.Name.Local, spec.Deprecated.Since), instead(spec.Deprecated)
			})
		}
	}
	// Look for what is missing, and for what excludes each other.
	for _, i := range plan.children {
		if p.counts[i] == 0 {
			p.findAs(elementMissing, n, "", func() (string, string) {
				return fmt.Sprintf("%s has no %s.", n.Name.Local, def.Children[i].Name), fmt.Sprintf("Add %s.", def.Children[i].Name)
			})
		}
	}
	for i := range def.Choices {
		p.choice(n, def, i, foreign)
	}
}

// ordered watches the order of the children of an element of XML.
type ordered struct {
	pass *pass
	def  *vocabulary.Element
	last int
	on   bool
	// extended: an extension has been met, which comes last.
	extended bool
}

// exchangeable: the two are alternatives that may come in any order.
func exchangeable(def *vocabulary.Element, a, b int) bool {
	choice := def.Children[a].Choice
	return choice >= 0 && choice == def.Children[b].Choice && def.Choices[choice].Many
}

func (p *pass) choice(n *xjdf.Node, def *vocabulary.Element, choice, foreign int) {
	rule := &def.Choices[choice]
	if rule.Min == 0 && (rule.Many || len(n.Children) < 2) {
		return
	}
	first, other := p.chosen(n, def, choice)
	switch {
	case first == "" && rule.Min > 0 && foreign == 0: // an extension may take the place
		p.findAs(elementMissing, n, "", func() (string, string) {
			return fmt.Sprintf("%s has none of %s.", n.Name.Local, some(rule.Children)), ""
		})
	case other != nil && !rule.Many:
		p.findAs(elementChoice, other, "", func() (string, string) {
			return fmt.Sprintf("%s has %s and %s, of which one may be there.", n.Name.Local, first, other.Name.Local), ""
		})
	}
}

// chosen is the name of the first child that is one of a choice, and the first
// one of another name.
func (p *pass) chosen(n *xjdf.Node, def *vocabulary.Element, choice int) (first string, other *xjdf.Node) {
	for _, child := range n.Children {
		spec, _ := def.Child(child.Name.Local)
		switch {
		case spec == nil || spec.Choice != choice || !child.Name.Core():
		case first == "":
			first = spec.Name
		case first != spec.Name:
			return first, child
		}
	}
	return first, nil
}

// stranger is a child that the vocabulary does not have there. It reports whether
// it is an extension.
func (p *pass) stranger(parent, n *xjdf.Node) bool {
	name := n.Name.Local
	switch {
	case n.Name.Space == xjdf.LegacyNamespace:
		p.legacyElement(n)
	case n.Name.Space == "":
		p.findAs(namespace, n, "", func() (string, string) {
			return quoted(name) + " is in no namespace.", ""
		})
	case !n.Name.Core():
		p.extended(parent, n)
		return true
	case p.validator.vocabulary.Element(name) != nil:
		p.findAs(elementMisplaced, n, "", func() (string, string) {
			return fmt.Sprintf("%s has no element %s.", parent.Name.Local, name), ""
		})
	default:
		name := n.Name.Local
		p.findAs(elementUnknown, n, "", func() (string, string) {
			suggestion := ""
			if nearest, ok := parent.Definition.NearestChild(clip(name)); ok {
				suggestion = fmt.Sprintf("Did you mean %s?", nearest)
			}
			return fmt.Sprintf("The standard has no element %s.", quoted(name)), suggestion
		})
		p.reject(field, parent.Name.Local+"/"+clip(name), n, "")
	}
	return false
}

func (p *pass) legacyElement(n *xjdf.Node) {
	if p.legacy++; p.legacy > 1 {
		return // a mixed document has thousands
	}
	p.findAs(legacyJDF, n, "", func() (string, string) {
		return quoted(n.Name.Local) + " is in the namespace of JDF 1, as may be others.", ""
	})
}

func (p *pass) extended(parent, n *xjdf.Node) {
	if parent.Definition.Foreign {
		p.foreign(n, n.Name, false)
		return
	}
	p.findAs(extensionMisplaced, n, "", func() (string, string) {
		return fmt.Sprintf("%s has no place for the extension %s.", parent.Name.Local, quoted(n.Name.String())), ""
	})
}
