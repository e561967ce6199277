// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// trees makes documents from all names of the vocabulary and from unknown names.
type trees struct {
	random *rand.Rand
	left   int  // elements that may still be made
	all    bool // make every attribute
	serial int
}

func randomTree(seed uint64) *xjdf.Node {
	t := &trees{random: rand.New(rand.NewPCG(seed, 1)), left: 120}
	v := vocabulary.Load()
	if seed%3 == 0 {
		root := xjdf.New("XJMF")
		t.attributes(root, v.Root("XJMF"))
		t.fill(root.Add("Header"), v.Element("Header"), 1)
		messages := v.OfKind(vocabulary.Message)
		message := messages[t.random.IntN(len(messages))]
		t.fill(root.Add(message.Name), message, 1)
		return root
	}
	root := xjdf.New("XJDF")
	t.fill(root, v.Root("XJDF"), 0)
	return root
}

// fill gives an element attributes, text and children.
func (t *trees) fill(n *xjdf.Node, e *vocabulary.Element, depth int) {
	if e.Text != vocabulary.NoText {
		n.Text = t.text()
	}
	t.attributes(n, e)
	if t.random.IntN(8) == 0 && e.Text != vocabulary.TextOnly && !e.Pool {
		t.foreign(n)
	}
	if depth > 12 || len(e.Children) == 0 {
		return
	}
	for range 1 + t.random.IntN(4) {
		child := e.Children[t.random.IntN(len(e.Children))]
		copies := 1
		if child.Max != 1 {
			copies += t.random.IntN(3)
		}
		for range copies {
			if single := child.Element.Pool && n.Child(child.Name) != nil; t.left <= 0 || single {
				break
			}
			t.left--
			t.fill(n.Add(child.Name), child.Element, depth+1)
		}
	}
}

func (t *trees) attributes(n *xjdf.Node, e *vocabulary.Element) {
	for _, a := range e.Attributes {
		if a.Required || t.all || t.random.IntN(3) == 0 {
			n.Set(a.Name, t.value(a))
		}
	}
}

// foreign adds what an extension adds: prefixed attributes and elements.
func (t *trees) foreign(n *xjdf.Node) {
	name := xjdf.Name{Space: "https://example.org/shop", Prefix: "shop", Local: "Route"}
	n.Attributes = append(n.Attributes, xjdf.Attribute{Name: name, Value: t.text()})
	name.Local = "Hint"
	hint := n.AddNamed(name)
	hint.Set("Weight", "12.50").Text = "see docket"
	hint.AddNamed(xjdf.Name{Space: "urn:other", Prefix: "other", Local: "Detail"}).Set("Lang", "de")
	hint.AddNamed(xjdf.Name{Space: xjdf.Namespace, Local: "Media"}).Set("MediaType", "Paper")
}

func (t *trees) text() string {
	texts := []string{
		"Mappe", "Größe 1 < 2 & 3 > \"2\"", "two\nlines", "tab\tand\rreturn", " spaces at the ends ", "日本語", "😀",
		"a~b/c", "\u2028", "]]>", "0",
	}
	return texts[t.random.IntN(len(texts))]
}

func (t *trees) value(a vocabulary.Attribute) string {
	count := 1
	if a.Type.List() {
		if count = a.Type.Items(); count == 0 {
			count = 1 + t.random.IntN(3)
		}
		if a.Type == vocabulary.TransferFunction {
			count *= 2
		}
	}
	items := make([]string, count)
	for i := range items {
		items[i] = t.item(a)
	}
	return strings.Join(items, " ")
}

func (t *trees) item(a vocabulary.Attribute) string {
	t.serial++
	switch {
	case a.Type == vocabulary.String:
		return t.text()
	case a.Type == vocabulary.Boolean:
		return []string{"true", "false"}[t.random.IntN(2)]
	case a.Type.Whole():
		return []string{"0", "-1", "5000", "123456789012345678901234567890"}[t.random.IntN(4)]
	case a.Type.Numeric():
		return []string{"0", "595.276", "-0.5", "1e3", "0.1000", "3.141592653589793238462643"}[t.random.IntN(6)]
	case a.Values != nil && len(a.Values.Values) > 0:
		return a.Values.Values[t.random.IntN(len(a.Values.Values))]
	case a.Type == vocabulary.DateTime:
		return "2026-01-15T09:30:00Z"
	default:
		return fmt.Sprintf("x%d", t.serial)
	}
}

// attributeJSON writes a tree like a converter from XML that ignores datatypes.
// Attributes have an at sign, all values are strings, and only repeated elements are
// arrays.
func attributeJSON(n *xjdf.Node) map[string]any {
	object := map[string]any{}
	if n.Parent == nil {
		object["Name"] = n.Name.String()
		object["@context"] = map[string]any{"shop": "https://example.org/shop", "other": "urn:other"}
	}
	for _, a := range n.Attributes {
		object["@"+a.Name.String()] = a.Value
	}
	if n.Text != "" {
		object["#text"] = n.Text
	}
	for _, child := range n.Children {
		name := child.Name.String()
		value := any(attributeJSON(child))
		switch former := object[name].(type) {
		case nil:
			object[name] = value
		case []any:
			object[name] = append(former, value)
		default:
			object[name] = []any{former, value}
		}
	}
	return object
}
