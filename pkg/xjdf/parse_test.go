// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

const head = `xmlns="http://www.CIP4.org/JDFSchema_2_0"`

// sketch is a tree in one line: elements in brackets, foreign names with their
// namespaces.
func sketch(n *xjdf.Node) string {
	var out strings.Builder
	out.WriteString("(" + local(n.Name, xjdf.Namespace))
	for _, a := range n.Attributes {
		out.WriteString(" " + local(a.Name, "") + "=" + a.Value)
	}
	if n.Text != "" {
		out.WriteString(" '" + n.Text + "'")
	}
	for _, child := range n.Children {
		out.WriteString(" " + sketch(child))
	}
	return out.String() + ")"
}

func local(name xjdf.Name, usual string) string {
	if name.Space == usual {
		return name.Local
	}
	return "{" + name.Space + "}" + name.Local
}

func TestParseReadsAllSpellingsToOneTree(t *testing.T) {
	t.Parallel()
	const cards = "(XJDF Version=2.2 (ProductList (Product ProductType=BusinessCard)))"
	tests := map[string]struct{ body, want string }{
		"the notation of the standard": {
			`{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"BusinessCard"}}}`, cards,
		},
		"the same in a wrapper": {
			`{"XJDF":{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"BusinessCard"}}}}`, cards,
		},
		"the JSON of the standard": {
			`{"Name":"XJDF","Version":"2.2","ProductList":{"Product":[{"ProductType":"BusinessCard"}]}}`, cards,
		},
		"the JSON of the standard in a wrapper": {
			`{"XJDF":{"Version":"2.2","ProductList":{"Product":[{"ProductType":"BusinessCard"}]}}}`, cards,
		},
		"arrays of one everywhere, as some converters write": {
			`{"XJDF":[{"Version":"2.2","ProductList":[{"Product":[{"ProductType":"BusinessCard"}]}]}]}`, cards,
		},
		"XML": {
			`<XJDF ` + head + ` Version="2.2"><ProductList><Product ProductType="BusinessCard"/></ProductList></XJDF>`, cards,
		},
		"XML with a prefix for everything": {
			`<j:XJDF xmlns:j="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><j:ProductList><j:Product ProductType="BusinessCard"/></j:ProductList></j:XJDF>`, cards,
		},
		"converted XML with a prefix": {
			`{"j:XJDF":{"@xmlns:j":"http://www.CIP4.org/JDFSchema_2_0","@Version":"2.2","j:ProductList":{"j:Product":{"@ProductType":"BusinessCard"}}}}`, cards,
		},
		"XML with a byte order mark, a declaration and comments": {
			"\uFEFF<?xml version=\"1.0\" encoding=\"utf-8\"?><!-- a --><XJDF " + head + ` Version="2.2"><ProductList><!-- b --><Product ProductType="BusinessCard"/></ProductList></XJDF><!-- c -->`, cards,
		},
		"numbers, booleans and lists become what XML has": {
			`{"Types":["Cutting","Folding"],"ProductList":{"Product":[{"Amount":5000,"IsRoot":true,"Intent":[{"LayoutIntent":{"FinishedDimensions":[419.528,595.276,0]}}]}]}}`,
			"(XJDF Types=Cutting Folding (ProductList (Product Amount=5000 IsRoot=true (Intent (LayoutIntent FinishedDimensions=419.528 595.276 0)))))",
		},
		"digits are kept as they are": {
			`{"Product":{"Amount":123456789012345678901234567890,"X":1.50,"Y":1E+2}}`,
			"(XJDF (Product Amount=123456789012345678901234567890 X=1.50 Y=1E+2))",
		},
		"pairs become a flat list": {
			`{"TransferCurve":{"Curve":[[0,0],[0.5,0.62],[1,1]]}}`, "(XJDF (TransferCurve Curve=0 0 0.5 0.62 1 1))",
		},
		"white space around the items of a list is ignored": {
			`<XJDF ` + head + " Types=\"\n  Cutting\n  Folding \"/>", "(XJDF Types=Cutting Folding)",
		},
		"white space in a string is kept": {
			`{"DescriptiveName":" two  spaces "}`, "(XJDF DescriptiveName= two  spaces )",
		},
		"a line break in a tag is a space, one as a reference is one": {
			`<XJDF ` + head + " DescriptiveName=\"a\nb\r\nc&#10;d\"/>", "(XJDF DescriptiveName=a b c\nd)",
		},
		"a comment as the standard writes it": {
			`{"Comment":[{"Type":"Instruction","Text":"fold first"}]}`, "(XJDF (Comment Type=Instruction 'fold first'))",
		},
		"a comment as converters write it": {
			`{"Comment":[{"@Type":"Instruction","#text":"fold first"},"then cut"]}`,
			"(XJDF (Comment Type=Instruction 'fold first') (Comment 'then cut'))",
		},
		"elements that are strings": {
			`{"Address":{"AddressLine":["Gate 3","Hall B"]}}`, "(XJDF (Address (AddressLine 'Gate 3') (AddressLine 'Hall B')))",
		},
		"elements that are one string": {
			`{"Address":{"AddressLine":"Gate 3"}}`, "(XJDF (Address (AddressLine 'Gate 3')))",
		},
		"audits in their order": {
			`{"AuditPool":[{"Name":"AuditCreated","Header":{}},{"Name":"AuditStatus"},{"Name":"AuditCreated"}]}`,
			"(XJDF (AuditPool (AuditCreated (Header)) (AuditStatus) (AuditCreated)))",
		},
		"audits whose name comes last": {
			`{"AuditPool":[{"Header":{"ID":"a"},"Name":"AuditCreated"}]}`, "(XJDF (AuditPool (AuditCreated (Header ID=a))))",
		},
		"audits as a converter from XML writes them": {
			`{"AuditPool":{"AuditCreated":[{"@x":"1"},{}],"AuditStatus":{}}}`, "(XJDF (AuditPool (AuditCreated x=1) (AuditCreated) (AuditStatus)))",
		},
		"one audit that is no array": {
			`{"AuditPool":{"Name":"AuditCreated","Header":{}}}`, "(XJDF (AuditPool (AuditCreated (Header))))",
		},
		"a media of layers in layers": {
			`{"Media":{"MediaLayers":[{"Name":"Media","MediaLayers":[{"Name":"Glue"}]}]}}`,
			"(XJDF (Media (MediaLayers (Media (MediaLayers (Glue))))))",
		},
		"the root is known by its name, wherever it stands": {
			`{"Header":{},"Name":"XJMF"}`, "(XJMF (Header))",
		},
		"the content identifies the root": {
			`{"SignalStatus":{}}`, "(XJMF (SignalStatus))",
		},
		"a root that is neither": {
			`{"Name":"JDF"}`, "(JDF)",
		},
		"an extension, with the context at the end": {
			`{"Foo:Bar":{"Foo:a":1,"b":2},"@context":{"Foo":"urn:foo"}}`, "(XJDF ({urn:foo}Bar {urn:foo}a=1 b=2))",
		},
		"an extension in XML": {
			`<XJDF ` + head + ` xmlns:Foo="urn:foo"><Foo:Bar Foo:a="1" b="2">text</Foo:Bar></XJDF>`,
			"(XJDF ({urn:foo}Bar {urn:foo}a=1 b=2 'text'))",
		},
		"an inner declaration ends with its element": {
			`<XJDF ` + head + `><a xmlns="urn:a"><b/></a><Media/></XJDF>`, "(XJDF ({urn:a}a ({urn:a}b)) (Media))",
		},
		"a context is of its object and below": {
			`{"A":{"@context":{"p":"urn:1"},"p:x":{}},"B":{"@context":[{"p":"urn:2"},"urn:default"],"p:x":{},"y":{}}}`,
			"(XJDF (A ({urn:1}x)) ({urn:default}B ({urn:2}x) ({urn:default}y)))",
		},
		"language and white space of XML are foreign": {
			`<XJDF ` + head + ` xml:lang="de"/>`, "(XJDF {http://www.w3.org/XML/1998/namespace}lang=de)",
		},
		"what speaks to a schema validator is left out": {
			`<XJDF ` + head + ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" xsi:type="c" Version="2.2"/>`,
			"(XJDF Version=2.2)",
		},
		"documents of JDF 1 keep their namespace": {
			`<JDF xmlns="http://www.CIP4.org/JDFSchema_1_1"/>`, "({http://www.CIP4.org/JDFSchema_1_1}JDF)",
		},
		"XML without a namespace has none": {
			`<XJDF/>`, "({}XJDF)",
		},
		"text where none belongs is kept": {
			`<XJDF ` + head + `>stray<ProductList> <Product/> </ProductList></XJDF>`, "(XJDF 'stray' (ProductList (Product)))",
		},
		"text in pieces": {
			`<XJDF ` + head + `><Comment>a<!-- x --> b<![CDATA[ <c>]]> &amp;&#100;</Comment></XJDF>`, "(XJDF (Comment 'a b <c> &d'))",
		},
		"nothing in an array is no element": {
			`{"ProductList":{"Product":[]},"Types":[]}`, "(XJDF Types= (ProductList))",
		},
		"names that the standard does not know": {
			`{"Größe":{"a-b.c_d":"x"}}`, "(XJDF (Größe a-b.c_d=x))",
		},
		"escaped names": {
			`{"\u0054ypes":["a"],"\u0040Version":"2.2"}`, "(XJDF Types=a Version=2.2)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(test.body))
			if diff := cmp.Diff(test.want, sketch(d.Root)); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
			for n := range d.Root.Descendants() {
				for _, child := range n.Children {
					if child.Parent != n {
						t.Errorf("%s does not know its parent", child.Name)
					}
				}
			}
		})
	}
}

func TestParseReportsEncodingAndWrapper(t *testing.T) {
	t.Parallel()
	type facts struct {
		Encoding       string
		Wrapped, Named bool
		Schema         string
		Context        map[string]string
	}
	tests := map[string]struct {
		body string
		want facts
	}{
		"the JSON of the standard": {
			`{"$schema":"https://schema.cip4.org/jdfschema_2_2/xjdf.json","Name":"XJDF","Version":"2.2"}`,
			facts{Encoding: "cip4-json", Named: true, Schema: "https://schema.cip4.org/jdfschema_2_2/xjdf.json"},
		},
		"one at sign anywhere": {
			`{"ProductList":{"Product":{"@Amount":1}}}`, facts{Encoding: "attribute-json"},
		},
		"a context is no at sign": {
			`{"@context":{"foo":"urn:foo"},"XJDF":{"Version":"2.2"}}`, facts{Encoding: "cip4-json", Wrapped: true, Context: map[string]string{"foo": "urn:foo"}},
		},
		"prefixes of the root": {
			`{"@context":{"foo":"urn:foo"},"Version":"2.2"}`,
			facts{Encoding: "cip4-json", Context: map[string]string{"foo": "urn:foo"}},
		},
		"prefixes of the root in XML": {
			`<XJDF xmlns="urn:x" xmlns:foo="urn:foo"/>`,
			facts{Encoding: "xml", Context: map[string]string{"": "urn:x", "foo": "urn:foo"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(test.body))
			got := facts{d.Encoding.String(), d.Wrapped, d.Named, d.Schema, d.Context}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseKeepsTheFormOfAValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value string
		want  xjdf.Form
	}{
		"a string":                            {`"135"`, xjdf.FormText},
		"a number":                            {`135`, xjdf.FormNumber},
		"a boolean":                           {`true`, xjdf.FormBoolean},
		"strings":                             {`["a","b"]`, xjdf.FormTexts},
		"nothing":                             {`[]`, xjdf.FormTexts},
		"numbers":                             {`[1,2]`, xjdf.FormNumbers},
		"booleans":                            {`[true]`, xjdf.FormBooleans},
		"pairs":                               {`[[1,2],[3,4]]`, xjdf.FormPairs},
		"lists that are not pairs":            {`[[1,2],[3]]`, xjdf.FormMixed},
		"pairs of strings":                    {`[["1","2"]]`, xjdf.FormMixed},
		"pairs after numbers":                 {`[1,[2,3]]`, xjdf.FormMixed},
		"numbers and strings":                 {`[1,"2"]`, xjdf.FormMixed},
		"an item that would be two in XML":    {`["a b"]`, xjdf.FormMixed},
		"an item that would be none in XML":   {`["a",""]`, xjdf.FormMixed},
		"an item with a line break around it": {`["a\n"]`, xjdf.FormMixed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, key := range []string{"Types", "Unknown", "@Unknown"} {
				d := parse(t, []byte(`{"`+key+`":`+test.value+`}`))
				if got := d.Root.Attribute(strings.TrimPrefix(key, "@")).Form; got != test.want {
					t.Errorf("%s: %s, want %s", key, got, test.want)
				}
			}
		})
	}
}
