// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

// The rules that the walk itself reports.
const (
	elementUnknown   = "ELEMENT_UNKNOWN"
	elementMisplaced = "ELEMENT_MISPLACED"
	elementMissing   = "ELEMENT_MISSING"
	elementRepeated  = "ELEMENT_REPEATED"
	elementChoice    = "ELEMENT_CHOICE"
	elementOrder     = "ELEMENT_ORDER"
	attributeUnknown = "ATTRIBUTE_UNKNOWN"
	attributeMissing = "ATTRIBUTE_MISSING"
	textUnexpected   = "TEXT_UNEXPECTED"
	extension        = "EXTENSION"
)

func structureRules() []row {
	return []row{
		newRow(elementUnknown, Vocabulary, lenient(), "1.10.3", "An element of the XJDF namespace is one that the standard has.", "Remove it, or put it into a namespace of your own."),
		newRow(elementMisplaced, Schema, both(Error), "1.10.3", "An element stands where the standard has it.", "Move it to where the standard has it."),
		newRow(elementMissing, Schema, both(Error), "1.10.3", "An element that is required is there.", "Add it."),
		newRow(elementRepeated, Schema, both(Error), "1.10.3", "An element is there no more often than the standard allows.", "Keep one of them."),
		newRow(elementChoice, Schema, both(Error), "1.10.3", "Of elements that exclude each other one is there.", "Keep one of them."),
		newRow(elementOrder, Schema, lenient(), "1.10.3", "Elements of XML come in the order of the schema.", "Write them in the order of the schema; JSON has no such order."),
		newRow(attributeUnknown, Vocabulary, lenient(), "1.10.3", "An attribute without a prefix is one that the standard has there.", "Remove it, or put it into a namespace of your own."),
		newRow(attributeMissing, Schema, both(Error), "1.10.3", "An attribute that is required is there.", "Add it."),
		newRow(textUnexpected, Schema, both(Error), "1.10.3", "Only comments, address lines and organizational units hold text.", "Put it into an attribute or a Comment."),
		newRow(extension, Schema, both(Info), "1.10.4", "Elements and attributes of other namespaces are extensions, which are passed over.", "Nothing, if you do not count on them being read."),
	}
}

// walk holds an element and all below it against the vocabulary, and runs the
// rules of each. What is not known is not looked into.
func (p *pass) walk(n *xjdf.Node) {
	def := n.Definition
	p.attributes(n, def)
	p.children(n, def)
	if def.Text == vocabulary.NoText && n.Text != "" {
		p.findAs(textUnexpected, n, "", fmt.Sprintf("%s holds the text %s.", n.Name, quoted(n.Text)), "")
	}
	switch def.Name {
	case "Product":
		p.products = append(p.products, n)
	case "ResourceSet":
		if n.Parent == p.doc.Root { // audits have sets of their own
			p.sets = append(p.sets, n)
		}
	}
	p.check(def.Name, n)
	for _, child := range n.Children {
		if child.Definition == nil {
			continue
		}
		if spec, _ := def.Child(child.Name.Local); spec != nil && spec.Element == child.Definition {
			p.walk(child) // what is out of place is not looked into
		}
	}
}

// judgedElsewhere are attributes about which a rule of their own says more than
// the vocabulary could.
func judgedElsewhere(element, attribute string) bool {
	return element == rootName && (attribute == "Version" || attribute == "Types" || attribute == "JobID")
}

func (p *pass) attributes(n *xjdf.Node, def *vocabulary.Element) {
	for i := range n.Attributes {
		a := &n.Attributes[i]
		switch {
		case a.Definition != nil:
			p.attribute(n, a)
		case a.Name.Prefix != "" || a.Name.Space != "":
			p.foreign(n, a.Name, true)
		default:
			p.unknownAttribute(n, def, a.Name.Local)
		}
	}
	for i := range def.Attributes {
		a := &def.Attributes[i]
		if a.Required && n.Attribute(a.Name) == nil && !judgedElsewhere(def.Name, a.Name) && !p.stated(n, a.Name) {
			p.findAs(attributeMissing, n, "", fmt.Sprintf("%s has no %s.", n.Name, a.Name), "")
		}
	}
}

func (p *pass) attribute(n *xjdf.Node, a *xjdf.Attribute) {
	switch a.Definition.Type {
	case vocabulary.ID:
		p.ids = append(p.ids, identified{a.Value, n})
	case vocabulary.IDREF, vocabulary.IDREFS:
		p.references = append(p.references, reference{n, a.Definition, a.Value})
	}
	if !judgedElsewhere(n.Definition.Name, a.Name.Local) {
		p.value(n, a)
	}
}

// stated reports whether an attribute that is left out has a default, and states
// it: the header of an audit need not name a device where partners write it.
func (p *pass) stated(n *xjdf.Node, attribute string) bool {
	return p.options.Profile == ProductIntent && n.Definition.Name == "Header" && attribute == "DeviceID"
}

func (p *pass) unknownAttribute(n *xjdf.Node, def *vocabulary.Element, name string) {
	suggestion := ""
	if nearest, ok := def.NearestAttribute(name); ok {
		suggestion = fmt.Sprintf("Did you mean %s?", nearest)
	}
	p.findAs(attributeUnknown, n, name, fmt.Sprintf("%s has no attribute %s.", n.Name, quoted(name)), suggestion)
	p.reject(field, n.Name.String()+"/@"+clip(name), n, name)
}

// foreign notes the first thing of each prefix.
func (p *pass) foreign(n *xjdf.Node, name xjdf.Name, attribute bool) {
	if slices.Contains(p.prefixes, name.Prefix) || len(p.prefixes) > maxPrefixes {
		return
	}
	p.prefixes = append(p.prefixes, name.Prefix)
	at := ""
	if attribute {
		at = name.String()
	}
	p.findAs(extension, n, at, quoted(name.String())+" is an extension; what has its prefix is passed over.", "")
}

// maxPrefixes is how many prefixes are told apart.
const maxPrefixes = 20

func (p *pass) children(n *xjdf.Node, def *vocabulary.Element) {
	p.counts = append(p.counts[:0], make([]int, len(def.Children))...)
	last := -1
	ordered := p.doc.Encoding == xjdf.XML && !def.Pool
	for _, child := range n.Children {
		spec, place := def.Child(child.Name.Local)
		if spec == nil || !child.Name.Core() {
			p.stranger(n, child)
			continue
		}
		p.counts[place]++
		if ordered && place < last && !exchangeable(def, place, last) {
			p.findAs(elementOrder, child, "", fmt.Sprintf("%s comes after %s.", child.Name, def.Children[last].Name), "")
			ordered = false
		}
		last = max(last, place)
	}
	p.cardinality(n, def)
}

// exchangeable: the two are alternatives that may come in any order.
func exchangeable(def *vocabulary.Element, a, b int) bool {
	choice := def.Children[a].Choice
	return choice >= 0 && choice == def.Children[b].Choice && def.Choices[choice].Many
}

func (p *pass) cardinality(n *xjdf.Node, def *vocabulary.Element) {
	for i := range def.Children {
		spec := &def.Children[i]
		switch {
		case p.counts[i] < spec.Min:
			p.findAs(elementMissing, n, "", fmt.Sprintf("%s has no %s.", n.Name, spec.Name), "")
		case spec.Max > 0 && p.counts[i] > spec.Max:
			p.findAs(elementRepeated, n, "", fmt.Sprintf("%s has %d of %s; %d may be there.", n.Name, p.counts[i], spec.Name, spec.Max), "")
		}
	}
	for i := range def.Choices {
		p.choice(n, def, i)
	}
}

func (p *pass) choice(n *xjdf.Node, def *vocabulary.Element, choice int) {
	chosen := 0
	for i := range def.Children {
		if def.Children[i].Choice == choice && p.counts[i] > 0 {
			chosen++
		}
	}
	rule := &def.Choices[choice]
	switch {
	case chosen < rule.Min:
		p.findAs(elementMissing, n, "", fmt.Sprintf("%s has none of %s.", n.Name, some(rule.Children)), "")
	case chosen > 1 && !rule.Many:
		p.findAs(elementChoice, n, "", fmt.Sprintf("%s has %d elements that exclude each other.", n.Name, chosen), "")
	}
}

// stranger is a child that the vocabulary does not have there.
func (p *pass) stranger(parent, n *xjdf.Node) {
	name := n.Name.Local
	switch {
	case n.Name.Space == xjdf.LegacyNamespace:
		p.legacy++
		if p.legacy == 1 {
			p.findAs(legacyJDF, n, "", fmt.Sprintf("%s is in the namespace of JDF 1, as may be others.", n.Name), "")
		}
	case !n.Name.Core():
		p.foreign(n, n.Name, false)
	case p.validator.vocabulary.Element(name) != nil:
		p.findAs(elementMisplaced, n, "", fmt.Sprintf("%s has no element %s.", parent.Name, name), "")
	default:
		suggestion := ""
		if nearest, ok := parent.Definition.NearestChild(name); ok {
			suggestion = fmt.Sprintf("Did you mean %s?", nearest)
		}
		p.findAs(elementUnknown, n, "", fmt.Sprintf("The standard has no element %s.", quoted(name)), suggestion)
		p.reject(field, parent.Name.String()+"/"+clip(name), n, "")
	}
}
