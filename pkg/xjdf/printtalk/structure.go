// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

const (
	ruleRoot             = "PTK_ROOT"
	ruleElementUnknown   = "PTK_ELEMENT_UNKNOWN"
	ruleElementMissing   = "PTK_ELEMENT_MISSING"
	ruleElementRepeated  = "PTK_ELEMENT_REPEATED"
	ruleElementOrder     = "PTK_ELEMENT_ORDER"
	ruleAttributeUnknown = "PTK_ATTRIBUTE_UNKNOWN"
	ruleAttributeMissing = "PTK_ATTRIBUTE_MISSING"
	ruleValue            = "PTK_VALUE"
	ruleText             = "PTK_TEXT"
	ruleIdentity         = "PTK_IDENTITY_EMPTY"
	ruleExtension        = "PTK_EXTENSION"
	ruleObject           = "PTK_OBJECT_UNCHECKED"
	ruleJobs             = "PTK_JOBS_TOO_MANY"
)

var structureRules = []row{
	newRow(ruleRoot, validate.Schema, validate.Error, "PrintTalk", "The root must be PrintTalk 2 in XML.", `Begin with <PrintTalk xmlns="`+Namespace+`">.`),
	newRow(ruleElementUnknown, validate.Schema, validate.Error, "all elements", "An element must be one that PrintTalk has at this place.", "Remove the element, or write it in a namespace of its own."),
	newRow(ruleElementMissing, validate.Schema, validate.Error, "all elements", "Required elements must be present.", "Add the element."),
	newRow(ruleElementRepeated, validate.Schema, validate.Error, "all elements", "An element must not occur more often than PrintTalk allows.", "Remove the further elements."),
	newRow(ruleElementOrder, validate.Schema, validate.Error, "all elements", "Elements must have the order of PrintTalk.", "Move the element."),
	newRow(ruleAttributeUnknown, validate.Schema, validate.Error, "all elements", "An attribute without a prefix must be one of PrintTalk.", "Remove the attribute, or give it a prefix."),
	newRow(ruleAttributeMissing, validate.Schema, validate.Error, "all elements", "Required attributes must be present.", "Add the attribute."),
	newRow(ruleValue, validate.Schema, validate.Error, "all attributes", "A value must be valid for its datatype. Prices and amounts are decimal numbers, and times have a time zone.", "Correct the value."),
	newRow(ruleText, validate.Schema, validate.Error, "all elements", "Only Identity and UserAgent may contain text.", "Remove the text."),
	newRow(ruleIdentity, validate.Semantics, validate.Warning, "Identity", "A credential should have an identity.", "Write the identity of the party in the element.").of(func(p *pass, n *xjdf.Node) {
		for child := range named(n, "Identity") {
			if strings.TrimSpace(child.Text) == "" {
				p.find(child, "", "Identity is empty.")
			}
		}
	}, "Credential"),
	newRow(ruleExtension, validate.Vocabulary, validate.Info, "Request", "Elements of other namespaces are not checked.", "Check that the recipient knows the extension."),
	newRow(ruleObject, validate.Semantics, validate.Warning, "Request", "The content of this business object is not checked.", "Validate the document with the schema of PrintTalk."),
	newRow(ruleJobs, validate.Semantics, validate.Error, "XJDF", "A document must have at most 200 XJDF documents.", "Divide the document."),
} // constant

func catalogue() []row { return slices.Concat(structureRules, businessRules, pricingRules) }

// walk checks an element against its definition, and then with the rules of its name.
func (p *pass) walk(n *xjdf.Node, e *element) {
	p.attributes(n, e)
	if strings.TrimSpace(n.Text) != "" {
		p.findAs(ruleText, n, "", n.Name.Local+" contains text.", "")
	}
	counts, last := make([]int, len(e.children)), 0
	for _, child := range n.Children {
		i := slices.IndexFunc(e.children, func(f field) bool { return f.matches(child) })
		if i < 0 {
			p.stranger(child, e)
			continue
		}
		f := &e.children[i]
		if counts[i]++; f.max > 0 && counts[i] == f.max+1 {
			p.findAs(ruleElementRepeated, child, "", fmt.Sprintf("%s has more than %d %s.", n.Name.Local, f.max, f.title()), "")
		}
		if i < last && !e.anyOrder {
			p.findAs(ruleElementOrder, child, "", fmt.Sprintf("%s is after %s.", f.title(), e.children[last].title()), "")
		}
		last = max(last, i)
		p.child(child, f)
	}
	for i := range e.children {
		if f := &e.children[i]; f.required && counts[i] == 0 {
			p.findAs(ruleElementMissing, n, "", fmt.Sprintf("%s has no %s.", n.Name.Local, f.title()), "")
		}
	}
	for i := range p.rows {
		if p.rule = &p.rows[i]; slices.Contains(p.rule.on, n.Name.Local) {
			p.rule.check(p, n)
		}
	}
}

func (p *pass) child(child *xjdf.Node, f *field) {
	switch f.datatype {
	case "element":
		p.walk(child, f.of)
	case "core":
		if f.name == "XJDF" {
			p.jobs = append(p.jobs, child)
		}
	case "text":
		if len(child.Text) > maxText {
			p.findAs(ruleValue, child, "", fmt.Sprintf("%s has %d bytes of text; %d are allowed.", f.name, len(child.Text), maxText), f.expected())
		}
	case "object":
		p.object(child)
	}
}

func (p *pass) object(n *xjdf.Node) {
	name := n.Name.Local
	if e, known := shared().objects[name]; known {
		p.walk(n, e)
		return
	}
	if slices.Contains(unsupported(), name) {
		p.findAs(ruleObject, n, "", name+" is not checked.", "")
		return
	}
	names := unsupported()
	for known := range shared().objects {
		names = append(names, known)
	}
	slices.Sort(names)
	p.findAs(ruleElementUnknown, n, "", fmt.Sprintf("PrintTalk has no business object %q.", clip(name)), meant(name, names))
}

// stranger reports a child that the definition does not have.
func (p *pass) stranger(n *xjdf.Node, e *element) {
	if n.Name.Space != Namespace && !n.Name.Core() && n.Name.Space != "" {
		p.findAs(ruleExtension, n, "", fmt.Sprintf("%q is an extension.", clip(n.Name.String())), "")
		return
	}
	var names []string
	for i := range e.children {
		names = append(names, e.children[i].name)
	}
	message := fmt.Sprintf("%s cannot contain %q.", n.Parent.Name.Local, clip(n.Name.Local))
	if slices.Contains(names, n.Name.Local) {
		message = fmt.Sprintf("%q is in the namespace %q.", clip(n.Name.Local), clip(n.Name.Space))
	}
	p.findAs(ruleElementUnknown, n, "", message, meant(n.Name.Local, names))
}

func meant(name string, candidates []string) string {
	if nearest, ok := vocabulary.Nearest(clip(name), candidates); ok && nearest != name && nearest != "" {
		return "Did you mean " + nearest + "?"
	}
	return ""
}

func (p *pass) attributes(n *xjdf.Node, e *element) {
	for i := range n.Attributes {
		a := &n.Attributes[i]
		if a.Name.Space != "" {
			continue // an extension, such as xsi:schemaLocation
		}
		f := e.attribute(a.Name.Local)
		if f == nil {
			p.findAs(ruleAttributeUnknown, n, a.Name.Local, fmt.Sprintf("%s has no attribute %q.", n.Name.Local, clip(a.Name.Local)), meant(a.Name.Local, e.names))
			continue
		}
		if _, ok := f.read(a.Value); !ok {
			p.findAs(ruleValue, n, f.name, f.name+" is "+strconv.Quote(clip(a.Value))+".", f.expected())
		}
	}
	for i := range e.attributes {
		if f := &e.attributes[i]; f.required && n.Attribute(f.name) == nil {
			p.findAs(ruleAttributeMissing, n, "", fmt.Sprintf("%s has no %s.", n.Name.Local, f.name), "Add "+f.name+". "+f.expected())
		}
	}
}
