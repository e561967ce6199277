// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// node is any element of a schema file.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []*node    `xml:",any"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *node) all(local string) []*node {
	var found []*node
	for _, child := range n.Nodes {
		if child.XMLName.Local == local {
			found = append(found, child)
		}
	}
	return found
}

func (n *node) first(path ...string) *node {
	for _, local := range path {
		found := n.all(local)
		if len(found) == 0 {
			return nil
		}
		n = found[0]
	}
	return n
}

// schema holds the declarations of a schema file by their names.
type schema struct {
	elements, complexTypes, simpleTypes map[string]*node
	members                             map[string][]string
}

func readSchema(name string) (*schema, error) {
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var root node
	if err := xml.Unmarshal(body, &root); err != nil {
		return nil, err
	}
	s := &schema{members: map[string][]string{}}
	byName := func(local string) map[string]*node {
		found := map[string]*node{}
		for _, n := range root.all(local) {
			found[n.attr("name")] = n
		}
		return found
	}
	s.elements, s.complexTypes, s.simpleTypes = byName("element"), byName("complexType"), byName("simpleType")
	for _, n := range root.all("element") {
		if group := n.attr("substitutionGroup"); group != "" {
			s.members[group] = append(s.members[group], n.attr("name"))
		}
	}
	return s, nil
}

// concrete are the elements that may stand for one of that name in a document.
func (s *schema) concrete(name string) []string {
	element := s.elements[name]
	if element == nil || element.attr("abstract") != "true" {
		return []string{name}
	}
	var names []string
	for _, member := range s.members[name] {
		names = append(names, s.concrete(member)...)
	}
	slices.Sort(names)
	return names
}

// facts describes all elements of the schema in the form in which the tables
// are described as well.
func (s *schema) facts() map[string]*elementFacts {
	all := map[string]*elementFacts{}
	for name, element := range s.elements {
		if element.attr("abstract") == "true" {
			continue
		}
		definition := element.first("complexType")
		if definition == nil {
			definition = s.complexTypes[element.attr("type")]
		}
		f := &elementFacts{attributes: map[string]attributeFacts{}, children: map[string]string{}}
		s.collect(f, definition, all)
		all[name] = f
	}
	return all
}

func (s *schema) collect(f *elementFacts, definition *node, all map[string]*elementFacts) {
	body := definition
	if extension := definition.first("complexContent", "extension"); extension != nil {
		if base := s.complexTypes[extension.attr("base")]; base != nil {
			s.collect(f, base, all)
		}
		body = extension
	}
	if extension := definition.first("simpleContent", "extension"); extension != nil {
		body = extension
	}
	for _, n := range body.Nodes {
		switch n.XMLName.Local {
		case "attribute":
			f.attributes[n.attr("name")] = s.attribute(n)
		case "sequence":
			s.group(f, n, all)
		case "choice":
			s.choice(f, n)
		}
	}
}

func (s *schema) group(f *elementFacts, group *node, all map[string]*elementFacts) {
	for _, n := range group.Nodes {
		switch n.XMLName.Local {
		case "sequence":
			s.group(f, n, all)
		case "choice":
			s.choice(f, n)
		case "element":
			if name := n.attr("name"); name != "" {
				all[name] = &elementFacts{}
				f.children[name] = occurs(n)
				f.order = append(f.order, name)
				continue
			}
			for _, name := range s.concrete(n.attr("ref")) {
				f.children[name] = occurs(n)
				if name == n.attr("ref") {
					f.order = append(f.order, name)
				}
			}
		}
	}
}

// choice: none of the alternatives has to be there for itself.
func (s *schema) choice(f *elementFacts, choice *node) {
	for _, n := range choice.all("element") {
		most := choice.attr("maxOccurs")
		if n.attr("maxOccurs") != "" {
			most = n.attr("maxOccurs")
		}
		for _, name := range s.concrete(n.attr("ref")) {
			f.children[name] = numbers("0", most)
		}
	}
}

func occurs(n *node) string { return numbers(n.attr("minOccurs"), n.attr("maxOccurs")) }

func numbers(least, most string) string {
	if least == "" {
		least = "1"
	}
	if most == "" {
		most = "1"
	}
	if most == "unbounded" {
		most = "*"
	}
	return least + ".." + most
}

// builtin maps the types of XML Schema, and the equivalent types of the file, to the names in
// the standard.
var builtin = map[string]string{
	"string": "string", "NMTOKEN": "NMTOKEN", "NMTOKENS": "NMTOKENS", "ID": "ID", "IDREF": "IDREF",
	"IDREFS": "IDREFS", "boolean": "boolean", "int": "integer", "long": "integer", "float": "float",
	"dateTime": "dateTime", "duration": "duration", "hexBinary": "hexBinary", "anyURI": "URI",
	"sRGBColor": "RGBColor", "language": "language", "languages": "languages", "PDFPath": "PDFPath",
	"rectangle": "rectangle", "IntegerRange": "IntegerRange", "IntegerList": "IntegerList",
	"FloatList": "FloatList", "shape": "shape", "URL": "URL", "XPath": "XPath", "regExp": "regExp",
	"XYPair": "XYPair", "matrix": "matrix", "LabColor": "LabColor", "CMYKColor": "CMYKColor",
	"TransferFunction": "TransferFunction",
}

func (s *schema) attribute(n *node) attributeFacts {
	f := attributeFacts{required: n.attr("use") == "required"}
	if name := n.attr("type"); name != "" {
		s.named(&f, name)
	} else {
		s.restrict(&f, n.first("simpleType"))
	}
	return f
}

func (s *schema) named(f *attributeFacts, name string) {
	_, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		local = name
	}
	if known, ok := builtin[local]; ok {
		f.datatype = known
		return
	}
	s.restrict(f, s.simpleTypes[local])
}

func (s *schema) restrict(f *attributeFacts, simple *node) {
	body := simple.Nodes[0]
	if item := body.attr("itemType"); item != "" {
		s.named(f, item)
	} else if inner := body.first("simpleType"); inner != nil {
		s.restrict(f, inner)
	} else {
		s.named(f, body.attr("base"))
		f.facets(body)
	}
	if body.XMLName.Local == "list" && f.datatype == "enumeration" {
		f.datatype = "enumerations"
	}
}

// letter matches the form in which the schema ignores case: (A|a).
var letter = regexp.MustCompile(`\((.)\|.\)`)

func (f *attributeFacts) facets(restriction *node) {
	var patterns []string
	low, high := "", ""
	for _, n := range restriction.Nodes {
		value := n.attr("value")
		switch n.XMLName.Local {
		case "enumeration":
			f.datatype = "enumeration"
			f.values = append(f.values, value)
		case "pattern":
			patterns = append(patterns, value)
		case "minInclusive":
			low = value
		case "maxInclusive":
			high = value
		case "minLength":
			f.datatype = "IDREFS"
			f.minItems, _ = strconv.Atoi(value)
		}
	}
	if len(patterns) == 1 {
		f.values = []string{"/" + patterns[0] + "/"}
	}
	if len(patterns) > 1 {
		f.datatype = "enumeration"
		for _, p := range patterns {
			name := letter.ReplaceAllString(p, "$1")
			f.values = append(f.values, strings.ToLower(strings.Trim(name, "()")))
		}
	}
	if low+high != "" {
		f.bounds = fmt.Sprintf("%s..%s", strings.TrimSuffix(low, ".0"), strings.TrimSuffix(high, ".0"))
	}
	slices.Sort(f.values)
}
