// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func parse(t *testing.T, body []byte) *xjdf.Document {
	t.Helper()
	d, err := xjdf.Parse(body, xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, body)
	}
	return d
}

func toJSON(t *testing.T, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteJSON(&out, root); err != nil {
		t.Fatalf("WriteJSON: %v", err)
	}
	return out.Bytes()
}

func toXML(t *testing.T, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteXML(&out, root); err != nil {
		t.Fatalf("WriteXML: %v", err)
	}
	return out.Bytes()
}

func toAttributeJSON(t *testing.T, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteAttributeJSON(&out, root); err != nil {
		t.Fatalf("WriteAttributeJSON: %v", err)
	}
	return out.Bytes()
}

// outline is a tree in lines, for a readable difference.
func outline(n *xjdf.Node) string {
	var out strings.Builder
	for node := range n.Descendants() {
		depth := 0
		for p := node.Parent; p != nil; p = p.Parent {
			depth++
		}
		fmt.Fprintf(&out, "%s%s {%s} %q\n", strings.Repeat("  ", depth), node.Name.Local, node.Name.Space, node.Text)
		for _, a := range node.Attributes {
			fmt.Fprintf(&out, "%s  @%s {%s} %q\n", strings.Repeat("  ", depth), a.Name.Local, a.Name.Space, a.Value)
		}
	}
	return out.String()
}

func wantEqual(t *testing.T, what string, got, want *xjdf.Node, body []byte) {
	t.Helper()
	if !xjdf.Equal(got, want) {
		t.Fatalf("%s: the tree changed (-want +got):\n%s\n%s", what, cmp.Diff(outline(want), outline(got)), body)
	}
}

// seeds is the number of random documents.
const seeds = 200

func TestTreeSurvivesEachEncoding(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds) {
		tree := randomTree(seed)
		asJSON := toJSON(t, tree)
		wantEqual(t, "JSON", parse(t, asJSON).Root, tree, asJSON)
		asXML := toXML(t, tree)
		wantEqual(t, "XML", parse(t, asXML).Root, tree, asXML)
		signed := toAttributeJSON(t, tree)
		wantEqual(t, "attribute JSON of the writer", parse(t, signed).Root, tree, signed)
		converted, err := json.Marshal(attributeJSON(tree))
		if err != nil {
			t.Fatalf("json.Marshal: %v", err)
		}
		if !strings.Contains(string(converted), `"AuditPool"`) && !strings.Contains(string(converted), `"MediaLayers"`) {
			// An object has no order between members of different names.
			wantEqual(t, "attribute JSON", parse(t, converted).Root, tree, converted)
		}
	}
}

func TestEveryElementSurvivesEachEncoding(t *testing.T) {
	t.Parallel()
	elements := vocabulary.Load().Elements()
	for i, e := range elements {
		maker := &trees{random: rand.New(rand.NewPCG(uint64(i), 2)), all: true}
		root := xjdf.New("XJDF")
		outer := root
		if e.Name != "XJDF" && e.Name != "XJMF" {
			outer = root.Add(e.Name)
		}
		maker.attributes(outer, e)
		for _, child := range e.Children {
			maker.fill(outer.Add(child.Name), child.Element, 0)
			if child.Element.Kind == vocabulary.Message {
				break // JSON has one
			}
		}
		asJSON, asXML := toJSON(t, root), toXML(t, root)
		wantEqual(t, e.Name+" in JSON", parse(t, asJSON).Root, root, asJSON)
		wantEqual(t, e.Name+" in XML", parse(t, asXML).Root, root, asXML)
		signed := toAttributeJSON(t, root)
		wantEqual(t, e.Name+" in attribute JSON", parse(t, signed).Root, root, signed)
	}
	if len(elements) < 300 {
		t.Errorf("%d elements", len(elements))
	}
}

// Each encoding gives the same bytes again after a way through the two others.
func TestEachEncodingIsTheSameAfterTheOthers(t *testing.T) {
	t.Parallel()
	encodings := []xjdf.Encoding{xjdf.CanonicalJSON, xjdf.AttributeJSON, xjdf.XML}
	for seed := range uint64(seeds) {
		tree := randomTree(seed)
		first := map[xjdf.Encoding][]byte{}
		for round := range 2 * len(encodings) {
			encoding := encodings[round%len(encodings)]
			var out bytes.Buffer
			if err := xjdf.Write(&out, tree, encoding); err != nil {
				t.Fatalf("Write %s: %v", encoding, err)
			}
			if round < len(encodings) {
				first[encoding] = out.Bytes()
			} else if !bytes.Equal(first[encoding], out.Bytes()) {
				t.Fatalf("%s changed:\n%s\n%s", encoding, first[encoding], out.Bytes())
			}
			d := parse(t, out.Bytes())
			if d.Encoding != encoding {
				t.Fatalf("%s was read as %s\n%s", encoding, d.Encoding, out.Bytes())
			}
			tree = d.Root
		}
	}
}

// A round trip also keeps content that a document should not have.
func TestUnusualDocumentsSurviveEachEncoding(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"a pool with attributes and text":     `<AuditPool a="1">text<AuditStatus/><AuditCreated/></AuditPool>`,
		"a pool with an element of others":    `<AuditPool><x:a xmlns:x="urn:x" b="1"/><Media/></AuditPool>`,
		"an empty pool":                       `<AuditPool/>`,
		"text elements with attributes":       `<AddressLine a="1">Gate 3</AddressLine><AddressLine/>`,
		"text elements with elements":         `<AddressLine>Gate <a/>3</AddressLine>`,
		"a comment of white space":            "<Comment> \n </Comment>",
		"text among elements":                 `<ProductList>a<Product/>b</ProductList>`,
		"text in a foreign element":           `<x:a xmlns:x="urn:x"> a <b/> c </x:a>`,
		"invalid lists":                       `<Media Dimension="5 x 7"/><TransferCurve Curve="0 0 1"/><Product IsRoot="1" Amount="many"/>`,
		"a child that there is one of, twice": `<ProductList/><ProductList><Product/></ProductList>`,
		"attributes of the core namespace":    `<j:Media xmlns:j="http://www.CIP4.org/JDFSchema_2_0" j:Weight="80" Weight="90"/>`,
		"one prefix for two namespaces":       `<x:a xmlns:x="urn:1"/><x:a xmlns:x="urn:2" x:b="3"/>`,
		"elements of JDF 1":                   `<Media xmlns="http://www.CIP4.org/JDFSchema_1_1" Weight="80"/>`,
		"carriage returns":                    `<Media Brand="a&#13;&#10;b&#9;"/><Comment>a&#13;b</Comment>`,
	}
	for name, inner := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(`<XJDF `+head+`>`+inner+`</XJDF>`))
			asJSON, asXML := toJSON(t, d.Root), toXML(t, d.Root)
			wantEqual(t, "JSON", parse(t, asJSON).Root, d.Root, asJSON)
			wantEqual(t, "XML", parse(t, asXML).Root, d.Root, asXML)
			signed := toAttributeJSON(t, d.Root)
			wantEqual(t, "attribute JSON", parse(t, signed).Root, d.Root, signed)
		})
	}
}
