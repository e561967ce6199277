// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// children compares the children of an element with the allowed and required ones.
func (p *pass) children(n *xjdf.Node, def *vocabulary.Element, plan *plan) {
	if len(n.Children) == 0 && len(plan.children) == 0 {
		return
	}
	p.counts = append(p.counts[:0], make([]int, len(def.Children))...)
	// In XML the children come in the order of the schema, extensions last. Report the
	// first violation only.
	ordered := p.doc.Encoding == xjdf.XML && !def.Pool
	last, foreign := -1, 0
	for _, child := range n.Children {
		spec, place := def.Child(child.Name.Local)
		if spec == nil || !child.Name.Core() {
			if p.unexpected(n, child) {
				foreign++
			}
			continue
		}
		p.counts[place]++
		late := place < last && !exchangeable(def, place, last)
		if ordered && (late || foreign > 0) {
			ordered = false
			before := "an extension"
			if late {
				before = def.Children[last].Name
			}
			p.findAs(elementOrder, child, "", func() (string, string) {
				return fmt.Sprintf("%s comes after %s.", child.Name.Local, before), ""
			})
		}
		last = max(last, place)
		if p.counts[place] == 1 {
			p.elementForm(n, child, spec)
		}
		if spec.Max > 0 && p.counts[place] == spec.Max+1 {
			p.findAs(elementRepeated, child, "", func() (string, string) {
				count := 0
				for range n.All(spec.Name) {
					count++
				}
				return fmt.Sprintf("%s contains %d %s; the maximum is %d.", n.Name.Local, count, spec.Name, spec.Max), ""
			})
		}
		if spec.Deprecated.Since != "" && p.counts[place] == 1 {
			p.findAs(valueDeprecated, child, "", func() (string, string) {
				return fmt.Sprintf("%s is deprecated since %s.", child.Name.Local, spec.Deprecated.Since), instead(spec.Deprecated)
			})
		}
	}
	// Report missing children, and children that exclude each other.
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

// elementForm reports the first element of a name that is an object instead of an array,
// or an item of an array instead of an object.
func (p *pass) elementForm(parent, child *xjdf.Node, spec *vocabulary.Child) {
	if p.doc.Encoding != xjdf.CanonicalJSON || spec.Many == child.InArray() || spec.Element.Pool {
		return
	}
	for other := range parent.All(spec.Name) {
		if other != child && !spec.Many {
			return // ELEMENT_REPEATED
		}
	}
	p.findAs(elementForm, child, "", func() (string, string) {
		if spec.Many {
			return fmt.Sprintf("%s of %s is not in an array.", spec.Name, parent.Name.Local), fmt.Sprintf("Write an array, even for one %s.", spec.Name)
		}
		return fmt.Sprintf("%s of %s is in an array.", spec.Name, parent.Name.Local), "Write the element without the array."
	})
}

// exchangeable reports whether two children are alternatives in any order.
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
			return fmt.Sprintf("%s contains none of %s.", n.Name.Local, some(rule.Children)), ""
		})
	case other != nil && !rule.Many:
		p.findAs(elementChoice, other, "", func() (string, string) {
			return fmt.Sprintf("%s contains both %s and %s; only one is allowed.", n.Name.Local, first, other.Name.Local), ""
		})
	}
}

// chosen returns the name of the first child that belongs to a choice, and the first
// child of the choice with another name.
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

// unexpected reports a child that the vocabulary does not have there. It returns
// whether the child is an extension.
func (p *pass) unexpected(parent, n *xjdf.Node) bool {
	name := n.Name.Local
	switch {
	case n.Name.Space == xjdf.LegacyNamespace:
		// Report the first one: a mixed document has thousands.
		if p.legacy++; p.legacy == 1 {
			p.findAs(legacyJDF, n, "", func() (string, string) {
				return quoted(name) + " is in the namespace of JDF 1, as may be others.", ""
			})
		}
	case n.Name.Space == "":
		p.findAs(namespace, n, "", func() (string, string) {
			return quoted(name) + " is in no namespace.", ""
		})
	case !n.Name.Core() && parent.Definition.Foreign:
		p.foreign(n, n.Name, false)
		return true
	case !n.Name.Core():
		p.findAs(extensionMisplaced, n, "", func() (string, string) {
			return fmt.Sprintf("%s does not allow the extension %s.", parent.Name.Local, quoted(n.Name.String())), ""
		})
		return true
	case p.validator.vocabulary.Element(name) != nil:
		p.findAs(elementMisplaced, n, "", func() (string, string) {
			return fmt.Sprintf("%s does not allow the element %s.", parent.Name.Local, name), ""
		})
	default:
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
