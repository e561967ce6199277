// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// XSD returns the XML Schema. The same vocabulary gives the same bytes.
func XSD() []byte {
	w := &xsdWriter{}
	w.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.open(`xs:schema`, "xmlns:xs", "http://www.w3.org/2001/XMLSchema", "xmlns", xjdf.Namespace, "targetNamespace", xjdf.Namespace,
		"elementFormDefault", "qualified", "version", "2.2")
	w.document("XJDF 2.2 and XJMF 2.2, generated from the vocabulary of printmarket.")
	v := vocabulary.Load()
	for _, e := range v.Elements() {
		w.empty("xs:element", "name", e.Name, "type", e.Name)
	}
	for _, e := range v.Elements() {
		w.element(e)
	}
	w.datatypes()
	for _, l := range v.Lists() {
		if l.Closed && listable(l) {
			w.list(l, listType(l))
		}
	}
	w.close("xs:schema")
	return w.out.Bytes()
}

type xsdWriter struct {
	out   bytes.Buffer
	depth int
}

func (w *xsdWriter) line(text string) {
	w.out.WriteString(strings.Repeat("  ", w.depth) + text + "\n")
}

// tag returns a tag without its end. Attributes come as names and values; it omits those
// with an empty value.
func tag(name string, attributes []string) string {
	var out bytes.Buffer
	out.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			out.WriteString(" " + attributes[i] + `="`)
			_ = xml.EscapeText(&out, []byte(attributes[i+1])) // a buffer never fails
			out.WriteString(`"`)
		}
	}
	return out.String()
}

func (w *xsdWriter) open(name string, attributes ...string) {
	w.line(tag(name, attributes) + ">")
	w.depth++
}

func (w *xsdWriter) empty(name string, attributes ...string) { w.line(tag(name, attributes) + "/>") }

func (w *xsdWriter) close(name string) {
	w.depth--
	w.line("</" + name + ">")
}

func (w *xsdWriter) document(text string) {
	if text != "" {
		var out bytes.Buffer
		_ = xml.EscapeText(&out, []byte(text)) // a buffer never fails
		w.line("<xs:annotation><xs:documentation>" + out.String() + "</xs:documentation></xs:annotation>")
	}
}

// element writes the complex type of an element.
func (w *xsdWriter) element(e *vocabulary.Element) {
	mixed := ""
	if e.Text != vocabulary.NoText {
		mixed = "true"
	}
	w.open("xs:complexType", "name", e.Name, "mixed", mixed)
	w.document(note(e))
	if len(e.Children) > 0 || e.Foreign {
		w.open("xs:sequence")
		for i := 0; i < len(e.Children); i++ {
			child := &e.Children[i]
			if child.Choice < 0 {
				w.child(child)
				continue
			}
			rule := &e.Choices[child.Choice]
			w.choice(e, rule)
			i += len(rule.Children) - 1 // its children follow each other
		}
		if e.Foreign {
			w.empty("xs:any", "namespace", "##other", "processContents", "lax", "minOccurs", "0", "maxOccurs", "unbounded")
		}
		w.close("xs:sequence")
	}
	for i := range e.Attributes {
		w.attribute(&e.Attributes[i])
	}
	w.empty("xs:anyAttribute", "namespace", "##other", "processContents", "lax")
	w.close("xs:complexType")
}

func (w *xsdWriter) child(c *vocabulary.Child) {
	most := strconv.Itoa(c.Max)
	if c.Max == 0 {
		most = "unbounded"
	}
	w.empty("xs:element", "ref", c.Name, "minOccurs", strconv.Itoa(c.Min), "maxOccurs", most)
}

func (w *xsdWriter) choice(e *vocabulary.Element, rule *vocabulary.Choice) {
	least, most := strconv.Itoa(rule.Min), "1"
	if e.Foreign {
		least = "0" // an extension may take the place
	}
	if rule.Many {
		most = "unbounded"
	}
	w.open("xs:choice", "minOccurs", least, "maxOccurs", most)
	for _, name := range rule.Children {
		w.empty("xs:element", "ref", name)
	}
	w.close("xs:choice")
}

func (w *xsdWriter) attribute(a *vocabulary.Attribute) {
	use := ""
	if a.Required {
		use = "required"
	}
	own := a.Bounds != nil || a.MinItems > 0 || a.Values != nil
	if !own {
		text := attributeNote(a)
		if text == "" {
			w.empty("xs:attribute", "name", a.Name, "type", typeName(a.Type), "use", use)
			return
		}
		w.open("xs:attribute", "name", a.Name, "type", typeName(a.Type), "use", use)
		w.document(text)
		w.close("xs:attribute")
		return
	}
	w.open("xs:attribute", "name", a.Name, "use", use)
	w.document(attributeNote(a))
	if a.Type.List() {
		w.items(a)
	} else {
		w.item(a)
	}
	w.close("xs:attribute")
}

// items writes the type of a list: its items and their number.
func (w *xsdWriter) items(a *vocabulary.Attribute) {
	least, most := a.MinItems, 0
	if n := a.Type.Items(); n > 0 {
		least, most = n, n
	}
	w.open("xs:simpleType")
	w.open("xs:restriction")
	w.open("xs:simpleType")
	w.open("xs:list")
	w.item(a)
	w.close("xs:list")
	w.close("xs:simpleType")
	switch {
	case most > 0:
		w.empty("xs:length", "value", strconv.Itoa(most))
	case least > 0 || a.Type.Token():
		w.empty("xs:minLength", "value", strconv.Itoa(max(least, 1)))
	}
	w.close("xs:restriction")
	w.close("xs:simpleType")
}

// item writes the type of a value, or of an item of a list.
func (w *xsdWriter) item(a *vocabulary.Attribute) {
	w.open("xs:simpleType")
	switch {
	case listable(a.Values) && a.Values.Closed:
		w.empty("xs:restriction", "base", listType(a.Values))
	case listable(a.Values) && len(a.Values.Values) > 0:
		// A union with the plain type: editors suggest the values and accept others.
		w.open("xs:union", "memberTypes", itemType(a.Type))
		w.values(a.Values)
		w.close("xs:union")
	default:
		w.open("xs:restriction", "base", itemType(a.Type))
		if b := a.Bounds; b != nil && !math.IsInf(b.Min, 0) {
			w.empty("xs:minInclusive", "value", number(b.Min))
		}
		if b := a.Bounds; b != nil && !math.IsInf(b.Max, 0) {
			w.empty("xs:maxInclusive", "value", number(b.Max))
		}
		w.close("xs:restriction")
	}
	w.close("xs:simpleType")
}

// listType returns the name of the type of a closed list.
func listType(l *vocabulary.List) string {
	return "list." + strings.NewReplacer("/@", ".", "/", ".").Replace(l.Name)
}

// list writes a closed list as a type.
func (w *xsdWriter) list(l *vocabulary.List, name string) {
	w.open("xs:simpleType", "name", name)
	w.document("XJDF 2.2, " + l.Clause)
	if pattern(l) == "" {
		w.enumeration(l)
	} else {
		w.open("xs:union")
		if len(l.Values) > 0 {
			w.values(l)
		}
		w.open("xs:simpleType")
		w.open("xs:restriction", "base", "xs:token")
		w.empty("xs:pattern", "value", pattern(l))
		w.close("xs:restriction")
		w.close("xs:simpleType")
		w.close("xs:union")
	}
	w.close("xs:simpleType")
}

// values writes the values of a list as an anonymous type.
func (w *xsdWriter) values(l *vocabulary.List) {
	w.open("xs:simpleType")
	w.enumeration(l)
	w.close("xs:simpleType")
}

func (w *xsdWriter) enumeration(l *vocabulary.List) {
	w.open("xs:restriction", "base", "xs:token")
	for _, value := range l.Values {
		d, old := l.Deprecated(value)
		if !old {
			w.empty("xs:enumeration", "value", value)
			continue
		}
		w.open("xs:enumeration", "value", value)
		w.document(deprecated(d))
		w.close("xs:enumeration")
	}
	w.close("xs:restriction")
}

// itemType maps datatypes to the types of XML Schema, for a list to that of its items. Types
// of our own are written by datatypes.
func itemType(t vocabulary.Datatype) string {
	switch t {
	case vocabulary.Boolean:
		return "xs:boolean"
	case vocabulary.DateTime:
		return "type.dateTime"
	case vocabulary.Duration:
		return "xs:duration"
	case vocabulary.HexBinary:
		return "xs:hexBinary"
	case vocabulary.ID:
		return "xs:ID"
	case vocabulary.IDREF, vocabulary.IDREFS:
		return "xs:NCName" // validators of XML Schema differ in what they resolve
	case vocabulary.Integer, vocabulary.IntegerList, vocabulary.IntegerRange:
		return "xs:integer"
	case vocabulary.Language, vocabulary.Languages:
		return "xs:language"
	case vocabulary.NMTOKEN, vocabulary.NMTOKENS:
		return "xs:NMTOKEN"
	case vocabulary.URI, vocabulary.URL:
		return "xs:anyURI"
	case vocabulary.String, vocabulary.RegExp, vocabulary.PDFPath, vocabulary.XPath:
		return "type.string"
	case vocabulary.CMYKColor, vocabulary.RGBColor:
		return "type.unit"
	default:
		if t.Numeric() {
			return "type.number"
		}
		return "xs:token"
	}
}

// typeName returns the type of an attribute that has no list and no bounds of its own.
func typeName(t vocabulary.Datatype) string {
	if t.List() {
		return "type." + t.String()
	}
	return itemType(t)
}

// datatypes writes the types of our own.
func (w *xsdWriter) datatypes() {
	restrict := func(name, base string, facets ...string) {
		w.open("xs:simpleType", "name", name)
		w.open("xs:restriction", "base", base)
		for i := 0; i < len(facets); i += 2 {
			w.empty("xs:"+facets[i], "value", facets[i+1])
		}
		w.close("xs:restriction")
		w.close("xs:simpleType")
	}
	restrict("type.dateTime", "xs:dateTime", "pattern", `.*(Z|[+\-][0-9]{2}:[0-9]{2})`)
	restrict("type.string", "xs:string", "maxLength", strconv.Itoa(maxString))
	restrict("type.number", "xs:double", "pattern", `[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?|-?INF`)
	restrict("type.unit", "type.number", "minInclusive", "0", "maxInclusive", "1")
	lists := map[string]vocabulary.Datatype{}
	for _, e := range vocabulary.Load().Elements() {
		for i := range e.Attributes {
			if t := e.Attributes[i].Type; t.List() {
				lists[t.String()] = t
			}
		}
	}
	names := make([]string, 0, len(lists))
	for name := range lists {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := lists[name]
		w.open("xs:simpleType", "name", "type."+name)
		w.open("xs:restriction")
		w.line(fmt.Sprintf(`<xs:simpleType><xs:list itemType="%s"/></xs:simpleType>`, itemType(t)))
		switch count := t.Items(); {
		case count > 0:
			w.empty("xs:length", "value", strconv.Itoa(count))
		case t.Token():
			w.empty("xs:minLength", "value", "1")
		}
		w.close("xs:restriction")
		w.close("xs:simpleType")
	}
}
