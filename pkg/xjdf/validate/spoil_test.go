// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"bytes"
	"encoding/xml"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// spoil changes something of a document at random, and says what.
func spoil(root *xjdf.Node, random *rand.Rand) string {
	var nodes []*xjdf.Node
	for n := range root.Descendants() {
		nodes = append(nodes, n)
	}
	n := nodes[random.IntN(len(nodes))]
	changes := []func(*xjdf.Node, *rand.Rand) string{
		dropAttribute, renameAttribute, changeValue, changeValue, changeValue, addAttribute, dropElement, repeatElement, renameElement, swapElements, moveElement, addText, extend,
	}
	for range 20 {
		if what := changes[random.IntN(len(changes))](n, random); what != "" {
			return what + " of " + n.Name.Local
		}
		n = nodes[random.IntN(len(nodes))]
	}
	return "nothing"
}

func someAttribute(n *xjdf.Node, random *rand.Rand) *xjdf.Attribute {
	if len(n.Attributes) == 0 {
		return nil
	}
	return &n.Attributes[random.IntN(len(n.Attributes))]
}

func dropAttribute(n *xjdf.Node, random *rand.Rand) string {
	a := someAttribute(n, random)
	if a == nil {
		return ""
	}
	name := a.Name.Local
	n.Attributes = slices.DeleteFunc(n.Attributes, func(a xjdf.Attribute) bool { return a.Name.Local == name })
	return "drop " + name
}

func renameAttribute(n *xjdf.Node, random *rand.Rand) string {
	a := someAttribute(n, random)
	if a == nil || n.Attribute(a.Name.Local+"s") != nil {
		return ""
	}
	a.Name.Local += "s"
	return "rename " + a.Name.Local
}

func addAttribute(n *xjdf.Node, random *rand.Rand) string {
	names := []string{"ID", "Name", "Amount", "Status", "DescriptiveName", "Orientation", "Type", "Unheard"}
	name := names[random.IntN(len(names))]
	if n.Attribute(name) != nil {
		return ""
	}
	n.Set(name, "x1")
	return "add " + name
}

func changeValue(n *xjdf.Node, random *rand.Rand) string {
	a := someAttribute(n, random)
	if a == nil {
		return ""
	}
	values := []string{
		"", "1", "0", "-1", "1.5", "1e3", "+1", "true", "True", "x", "x y", "x:y", "1 2", "1 2 3", "1 2 3 4 5 6", "INF", "NaN", "2026-01-15", "2026-01-15T09:30:00",
		"2026-01-15T09:30:00+01:00", "PT1H", "P", "P1Y2M", "https://example.org/ a", "ä", "a/b", "Paper", "None", "Front", "Front Front", "en", "e9", "0x10", ".5", "5.", "-", "9999999999999",
		"N1", "A\u00a0B", "white", "White",
	}
	a.Value = values[random.IntN(len(values))]
	return "set " + a.Name.Local + " " + a.Value
}

func dropElement(n *xjdf.Node, random *rand.Rand) string {
	if len(n.Children) == 0 {
		return ""
	}
	i := random.IntN(len(n.Children))
	name := n.Children[i].Name.Local
	n.Children = slices.Delete(n.Children, i, i+1)
	return "drop " + name
}

func repeatElement(n *xjdf.Node, random *rand.Rand) string {
	if len(n.Children) == 0 {
		return ""
	}
	i := random.IntN(len(n.Children))
	n.Children = slices.Insert(n.Children, i, n.Children[i])
	return "repeat " + n.Children[i].Name.Local
}

func renameElement(n *xjdf.Node, random *rand.Rand) string {
	if n.Parent == nil {
		return ""
	}
	names := []string{"Media", "LayoutIntent", "Comment", "GeneralID", "Part", "Resource", "FileSpec", "Unheard"}
	n.Name.Local = names[random.IntN(len(names))]
	return "rename"
}

func swapElements(n *xjdf.Node, random *rand.Rand) string {
	if len(n.Children) < 2 {
		return ""
	}
	i := random.IntN(len(n.Children) - 1)
	n.Children[i], n.Children[i+1] = n.Children[i+1], n.Children[i]
	return "swap"
}

func moveElement(n *xjdf.Node, _ *rand.Rand) string {
	if n.Parent == nil || n.Parent.Parent == nil {
		return ""
	}
	from, to := n.Parent, n.Parent.Parent
	from.Children = slices.DeleteFunc(from.Children, func(other *xjdf.Node) bool { return other == n })
	to.Children = append(to.Children, n)
	n.Parent = to
	return "move"
}

func addText(n *xjdf.Node, random *rand.Rand) string {
	if random.IntN(3) > 0 {
		return ""
	}
	n.Text += "text"
	return "add text"
}

func extend(n *xjdf.Node, random *rand.Rand) string {
	name := xjdf.Name{Space: "https://example.org/shop", Prefix: "shop", Local: "Shelf"}
	if random.IntN(2) == 0 {
		n.Attributes = append(n.Attributes, xjdf.Attribute{Name: name, Value: "7"})
		return "extend by an attribute"
	}
	n.AddNamed(name)
	return "extend by an element"
}

// asItIs writes a tree in XML as it is, in whatever order.
func asItIs(root *xjdf.Node) string {
	var out strings.Builder
	writeNode(&out, root, ` xmlns="`+xjdf.Namespace+`" xmlns:shop="https://example.org/shop"`)
	return out.String()
}

func writeNode(out *strings.Builder, n *xjdf.Node, declarations string) {
	out.WriteString("<" + n.Name.String() + declarations)
	written := map[string]bool{}
	for _, a := range n.Attributes {
		if name := a.Name.String(); !written[name] {
			written[name] = true
			out.WriteString(" " + name + `="` + escaped(a.Value) + `"`)
		}
	}
	out.WriteString(">" + escaped(n.Text))
	for _, child := range n.Children {
		writeNode(out, child, "")
	}
	out.WriteString("</" + n.Name.String() + ">\n")
}

func escaped(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(text)) // a buffer takes all
	return out.String()
}
