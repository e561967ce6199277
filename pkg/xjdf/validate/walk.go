// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The rules that the walk itself reports.
const (
	elementUnknown     = "ELEMENT_UNKNOWN"
	elementMisplaced   = "ELEMENT_MISPLACED"
	elementMissing     = "ELEMENT_MISSING"
	elementRepeated    = "ELEMENT_REPEATED"
	elementChoice      = "ELEMENT_CHOICE"
	elementOrder       = "ELEMENT_ORDER"
	elementForm        = "ELEMENT_FORM"
	attributeUnknown   = "ATTRIBUTE_UNKNOWN"
	attributeMissing   = "ATTRIBUTE_MISSING"
	textUnexpected     = "TEXT_UNEXPECTED"
	extension          = "EXTENSION"
	extensionMisplaced = "EXTENSION_MISPLACED"
)

var structureRules = []row{
	newRow(elementUnknown, Vocabulary, lenient(), "3.5", "An element of the XJDF namespace must be defined by the standard.", "Remove the element, or move it to your own namespace.").inSchema(),
	newRow(elementMisplaced, Schema, both(Error), "1.6.6", "An element must be in a place that the standard allows.", "Move the element to a place that the standard allows."),
	newRow(elementMissing, Schema, both(Error), "1.6.5", "Required elements must be present.", "Add the element."),
	newRow(elementRepeated, Schema, both(Error), "1.6.5", "An element must not occur more often than the standard allows.", "Keep only one of them."),
	newRow(elementChoice, Schema, both(Error), "1.6.5", "Of mutually exclusive elements, only one may be present.", "Keep only one of them."),
	newRow(elementOrder, Schema, lenient(), "1.6.6", "XML elements should be in the order of the schema, with extensions last.", "Write the elements in the order of the schema. JSON has no such order."),
	newRow(elementForm, Schema, lenient(), "9.10.2.1", "In JSON, an element that may repeat must be in an array, and any other element must not.", "Write an array for an element that may repeat, even if there is one, and an object for any other."),
	newRow(attributeUnknown, Vocabulary, lenient(), "3.5", "An attribute without a prefix must be defined by the standard for its element.", "Remove the attribute, or move it to your own namespace.").inSchema(),
	newRow(attributeMissing, Schema, both(Error), "1.6.5", "Required attributes must be present.", "Add the attribute."),
	newRow(textUnexpected, Schema, both(Error), "A.1", "Only comments, address lines and organizational units may contain text.", "Move the text into an attribute or a Comment."),
	newRow(extension, Semantics, both(Info), "3.5.1", "Elements and attributes of other namespaces are extensions and are ignored.", "No action is needed, unless the extension must be read."),
	newRow(extensionMisplaced, Schema, lenient(), "3.5.1", "Elements of other namespaces must be in a place that the standard allows.", "Move the element into an Intent, a Resource or a message, or make it an attribute."),
} // constant

// walk compares an element and its descendants with the vocabulary, and runs the rules
// of each. It skips unknown elements.
func (p *pass) walk(n *xjdf.Node) {
	def := n.Definition
	plan := p.validator.plans[def]
	p.attributes(n, def, plan)
	p.children(n, def, plan)
	if def.Text == vocabulary.NoText && n.Text != "" {
		p.findAs(textUnexpected, n, "", func() (string, string) {
			return fmt.Sprintf("%s contains the text %s.", n.Name.Local, quoted(n.Text)), ""
		})
	}
	// Collect elements for the rules about the whole document.
	switch def.Name {
	case "Product":
		p.products = append(p.products, n)
	case "ResourceSet":
		if n.Parent == p.doc.Root {
			p.sets = append(p.sets, n)
		}
	case "Part":
		if n.Attribute("Product") != nil {
			p.parts = append(p.parts, n)
		}
	}
	p.check(plan.rules, n)
	for _, child := range n.Children {
		if child.Definition == nil {
			continue
		}
		if spec, _ := def.Child(child.Name.Local); spec != nil && spec.Element == child.Definition {
			p.walk(child) // skips elements out of place
		}
	}
}

// hasOwnRule reports whether a rule of its own judges an attribute instead of the
// vocabulary.
func hasOwnRule(element, attribute string) bool {
	return element == rootName && (attribute == "Version" || attribute == "Types" || attribute == "JobID")
}

func (p *pass) attributes(n *xjdf.Node, def *vocabulary.Element, plan *plan) {
	for i := range n.Attributes {
		a := &n.Attributes[i]
		switch {
		case a.Definition != nil:
			p.attribute(n, a)
		case a.Name.Core():
			// An attribute with a prefix of the namespace of XJDF: those of the
			// standard have none.
			p.unknownAttribute(n, def, a.Name)
		case a.Name.Prefix != "" || a.Name.Space != "":
			p.foreign(n, a.Name, true)
		default:
			p.unknownAttribute(n, def, a.Name)
		}
	}
	for _, i := range plan.attributes {
		a := &def.Attributes[i]
		// Partners omit the device in the header of an audit: it has a default.
		defaulted := p.options.Profile == ProductIntent && !p.message && n.Definition.Name == "Header" && a.Name == "DeviceID"
		if n.Attribute(a.Name) == nil && !defaulted {
			p.findAs(attributeMissing, n, "", func() (string, string) {
				return fmt.Sprintf("%s has no %s.", n.Name.Local, a.Name), fmt.Sprintf("Add %s.", a.Name)
			})
		}
	}
}

func (p *pass) attribute(n *xjdf.Node, a *xjdf.Attribute) {
	switch a.Definition.Type {
	case vocabulary.ID:
		p.ids = append(p.ids, identified{a.Value, n})
	case vocabulary.IDREF, vocabulary.IDREFS:
		p.references = append(p.references, reference{n, a.Definition, a.Value})
	case vocabulary.URL:
		if p.options.Files != nil {
			p.urls = append(p.urls, located{n, a.Name.Local, a.Value})
		}
	case vocabulary.String:
		if a.Definition.Extension { // Media/@ID
			p.ids = append(p.ids, identified{a.Value, n})
		}
	}
	switch {
	case !hasOwnRule(n.Definition.Name, a.Name.Local):
		p.value(n, a)
	case a.Name.Local != "Types": // the rule of Types checks the form, too
		p.form(n, a)
	}
}

func (p *pass) unknownAttribute(n *xjdf.Node, def *vocabulary.Element, name xjdf.Name) {
	p.findAs(attributeUnknown, n, name.String(), func() (string, string) {
		suggestion := ""
		switch nearest, ok := def.NearestAttribute(clip(name.Local)); {
		case name.Prefix != "":
			suggestion = fmt.Sprintf("Write %s without a prefix.", clip(name.Local))
		case ok:
			suggestion = fmt.Sprintf("Did you mean %s?", nearest)
		}
		return fmt.Sprintf("%s has no attribute %s.", n.Name.Local, quoted(name.String())), suggestion
	})
	p.reject(field, n.Name.Local+"/@"+clip(name.String()), n, name.String())
}

// foreign reports the first extension of each prefix.
func (p *pass) foreign(n *xjdf.Node, name xjdf.Name, attribute bool) {
	if slices.Contains(p.prefixes, name.Prefix) || len(p.prefixes) >= maxPrefixes {
		return
	}
	p.prefixes = append(p.prefixes, name.Prefix)
	at := ""
	if attribute {
		at = name.String()
	}
	p.findAs(extension, n, at, func() (string, string) {
		return quoted(name.String()) + " is an extension; what has its prefix is passed over.", ""
	})
}

// maxPrefixes bounds the prefixes that are reported.
const maxPrefixes = 20
