// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

const (
	schemaHead = `{"$schema":"https://schema.cip4.org/jdfschema_2_2/xjdf.json",`
	prolog     = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
)

func TestWriteJSONTypesValuesByTheVocabulary(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ xml, want string }{
		"a list of one stays a list": {
			`Types="Product"`, `"Types":["Product"]`,
		},
		"an empty list": {
			`Types=""`, `"Types":[]`,
		},
		"a name that the vocabulary does not know stays text": {
			`Weight="5"`, `"Weight":"5"`,
		},
		"attributes by name, foreign ones after them": {
			`xml:lang="de" Version="2.2" JobID="5"`, `"JobID":"5","Version":"2.2","xml:lang":"de"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(`<XJDF `+head+` `+test.xml+`/>`))
			want := schemaHead + `"Name":"XJDF",` + test.want + "}"
			if diff := cmp.Diff(want, string(toJSON(t, d.Root))); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteJSONWritesValidNumbersAsNumbers(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"5000": "5000", "-0": "-0", "0.50": "0.50", "1e9999": "1e9999", "1E+05": "1E+05",
		"123456789012345678901234567890": "123456789012345678901234567890",
		"+5":                             `"+5"`, "05": `"05"`, ".5": `".5"`, "5.": `"5."`, "1e": `"1e"`, "INF": `"INF"`, "-": `"-"`, "": `""`,
		"1 2": `"1 2"`, "5,000": `"5,000"`, "1e5x": `"1e5x"`, "0x1": `"0x1"`,
	}
	for value, want := range tests {
		root := xjdf.New("Product").Set("Amount", value)
		if got, want := string(toJSON(t, root)), `{"Name":"Product","Amount":`+want+`}`; got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestWriteXMLIsReadable(t *testing.T) {
	t.Parallel()
	product := xjdf.New("Product").Set("ID", "P1").Set("Amount", "5").Set("DescriptiveName", "a\n\"b\" <c> & \x01\xff")
	product.AddNamed(xjdf.Name{Space: "urn:b", Prefix: "x", Local: "Last"})
	product.AddNamed(xjdf.Name{Space: "urn:a", Prefix: "x", Local: "First"}).Set("plain", "1")
	product.AddNamed(xjdf.Name{Space: "urn:c", Local: "Own"}).AddNamed(xjdf.Name{Space: xjdf.Namespace, Local: "Media"})
	product.Add("Intent").Set("Name", "MediaIntent").Add("MediaIntent")
	product.Add("Comment").Text = "  two\nlines & <more>  "
	product.Add("Unknown")
	want := prolog + `<Product xmlns="http://www.CIP4.org/JDFSchema_2_0" xmlns:ns1="urn:a" xmlns:x="urn:b" Amount="5" DescriptiveName="a&#xA;&quot;b&quot; &lt;c&gt; &amp; ` + "\uFFFD\uFFFD" + `" ID="P1">
  <Comment>  two
lines &amp; &lt;more&gt;  </Comment>
  <Intent Name="MediaIntent">
    <MediaIntent/>
  </Intent>
  <x:Last/>
  <ns1:First plain="1"/>
  <Own xmlns="urn:c">
    <Media xmlns="http://www.CIP4.org/JDFSchema_2_0"/>
  </Own>
  <Unknown/>
</Product>
`
	if diff := cmp.Diff(want, string(toXML(t, product))); diff != "" {
		t.Errorf("XML (-want +got):\n%s", diff)
	}
	want = `{"@context":{"ns1":"urn:a","ns2":"urn:c","x":"urn:b"},"Name":"Product","Amount":5,"DescriptiveName":"a\n\"b\" <c> & ` +
		"\uFFFD\uFFFD" + `","ID":"P1","Comment":[{"Text":"  two\nlines & <more>  "}],` +
		`"Intent":[{"Name":"MediaIntent","MediaIntent":{}}],"Unknown":{},"ns1:First":{"plain":"1"},"x:Last":{},"ns2:Own":{"Media":{}}}`
	if diff := cmp.Diff(want, string(toJSON(t, product))); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestWriteXMLKeepsTheTextAmongChildrenOfAnExtension(t *testing.T) {
	t.Parallel()
	const mixed = `<f:Other xmlns:f="urn:f">mixed <f:b>x</f:b> tail &amp; <f:c>ä</f:c><f:d/> ü</f:Other>`
	written := func(root *xjdf.Node) string {
		_, text, _ := strings.Cut(string(toXML(t, root)), "<f:Other>")
		text, _, _ = strings.Cut(text, "</f:Other>")
		return text
	}
	d := parse(t, []byte(`<XJDF `+head+`><Comment/>`+mixed+`</XJDF>`))
	other := d.Root.Children[1]
	const want = "mixed <f:b>x</f:b> tail &amp; <f:c>ä</f:c><f:d/> ü"
	if got := written(d.Root); got != want {
		t.Errorf("XML %q, want %q", got, want)
	}
	if got := written(parse(t, toXML(t, d.Root)).Root); got != want {
		t.Errorf("XML after two rounds %q, want %q", got, want)
	}
	if back := parse(t, toJSON(t, d.Root)); !xjdf.Equal(back.Root, d.Root) {
		t.Errorf("JSON differs: %v", xjdf.Diff(d.Root, back.Root))
	}
	other.Text = "ä"
	if got, want := written(d.Root), "<f:b>x</f:b><f:c>ä</f:c><f:d/>ä"; got != want {
		t.Errorf("XML with a shorter text %q, want %q", got, want)
	}
}

func TestWriteJSONRejectsTreesThatJSONCannotRepresent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"several messages": {
			`<XJMF ` + head + `><Header/><SignalStatus/><SignalNotification/></XJMF>`,
			"XJMF: a JSON document can contain only one message",
		},
		"a document without a namespace": {
			`<XJDF/>`, "XJDF: the element has no name or no namespace",
		},
		"an element without a namespace": {
			`<XJDF ` + head + `><a:b xmlns:a="urn:a"><c xmlns=""/></a:b></XJDF>`, "XJDF/a:b/c: the element has no name or no namespace",
		},
		"two pools": {
			`<XJDF ` + head + `><AuditPool/><AuditPool/></XJDF>`, "XJDF/AuditPool[1]: the element occurs more than once",
		},
		"an attribute that would be an element": {
			`<XJDF ` + head + ` Comment="a"/>`, `XJDF: the attribute "Comment" would be read as something else`,
		},
		"an attribute that would be text": {
			`<XJDF ` + head + `><Comment Text="a"/></XJDF>`, `XJDF/Comment: the attribute "Text" would be read as something else`,
		},
		"an attribute that would be the name of the root": {
			`<XJDF ` + head + ` Name="a"/>`, `XJDF: two members "Name"`,
		},
		"an attribute that would be the name of an audit": {
			`<XJDF ` + head + `><AuditPool><AuditCreated Name="a"/></AuditPool></XJDF>`, `XJDF/AuditPool/AuditCreated: two members "Name"`,
		},
		"an attribute that would make a pool an audit": {
			`<XJDF ` + head + `><AuditPool Name="a"/></XJDF>`, "XJDF/AuditPool: the attribute has the name of an item",
		},
		"an attribute and an element of one name": {
			`<XJDF ` + head + `><x:a xmlns:x="urn:x" b=""><b/></x:a></XJDF>`, `XJDF/x:a: two members "b"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := xjdf.WriteJSON(&out, parse(t, []byte(test.body)).Root)
			var refused *xjdf.WriteError
			if !errors.As(err, &refused) || refused.XPath+": "+refused.Detail != test.want {
				t.Errorf("WriteJSON = %v, want %q", err, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("it wrote %s", out.Bytes())
			}
		})
	}
}

func TestWritersRejectInvalidNames(t *testing.T) {
	t.Parallel()
	nameless := xjdf.New("XJDF")
	nameless.Add("a b")
	tests := map[string]*xjdf.Node{
		"a root without a name":          xjdf.New(""),
		"an element with a space":        nameless,
		"an attribute that is markup":    xjdf.New("XJDF").Set("a><b", ""),
		"an attribute that is a sign":    xjdf.New("XJDF").Set("@a", ""),
		"an attribute that declares":     xjdf.New("XJDF").Set("xmlns", "urn:x"),
		"an attribute that has a prefix": xjdf.New("XJDF").Set("xmlns:a", "urn:x"),
	}
	for name, root := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var refused *xjdf.WriteError
			if err := xjdf.WriteXML(io.Discard, root); !errors.As(err, &refused) {
				t.Errorf("WriteXML = %v", err)
			}
			if err := xjdf.WriteJSON(io.Discard, root); !errors.As(err, &refused) {
				t.Errorf("WriteJSON = %v", err)
			}
		})
	}
	twice := xjdf.New("XJDF")
	twice.Attributes = []xjdf.Attribute{{Name: xjdf.Name{Local: "a"}}, {Name: xjdf.Name{Local: "a"}}}
	if err := errors.Join(xjdf.WriteXML(io.Discard, twice), nil); err == nil {
		t.Error("WriteXML wrote an attribute twice")
	}
	if err := xjdf.WriteJSON(io.Discard, twice); err == nil {
		t.Error("WriteJSON wrote an attribute twice")
	}
}

// full refuses all bytes.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWritersReturnTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	root := xjdf.New("XJDF")
	if err := xjdf.WriteXML(full{}, root); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteXML = %v", err)
	}
	if err := xjdf.WriteJSON(full{}, root); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteJSON = %v", err)
	}
}

func TestEqualComparesNamesValuesAndOrder(t *testing.T) {
	t.Parallel()
	document := func(inner string) *xjdf.Node {
		return parse(t, []byte(`<XJDF `+head+` xmlns:p="urn:p" xmlns:q="urn:p">`+inner+`</XJDF>`)).Root
	}
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"attributes in another order":           {`<a b="1" c="2"/>`, `<a c="2" b="1"/>`, true},
		"another prefix":                        {`<p:a/>`, `<q:a/>`, true},
		"names in another order":                {`<Comment/><GeneralID/>`, `<GeneralID/><Comment/>`, true},
		"elements of one name in another order": {`<Comment>a</Comment><Comment>b</Comment>`, `<Comment>b</Comment><Comment>a</Comment>`, false},
		"audits in another order":               {`<AuditPool><AuditCreated/><AuditStatus/></AuditPool>`, `<AuditPool><AuditStatus/><AuditCreated/></AuditPool>`, false},
		"another value":                         {`<a b="1"/>`, `<a b="2"/>`, false},
		"another text":                          {`<a>b</a>`, `<a>c</a>`, false},
		"one more":                              {`<a/>`, `<a/><a/>`, false},
		"another namespace":                     {`<a/>`, `<p:a/>`, false},
		"an attribute of another namespace":     {`<a b=""/>`, `<a p:b=""/>`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := xjdf.Equal(document(test.a), document(test.b)); got != test.want {
				t.Errorf("Equal = %t", got)
			}
		})
	}
}

func TestSetReplacesAValue(t *testing.T) {
	t.Parallel()
	root := parse(t, []byte(`{"Version":2.2,"Header":[{"ID":"a"},{"ID":"b"}]}`)).Root
	root.Set("Version", "2.1").Set("JobID", "J1")
	if got := sketch(root); !strings.HasPrefix(got, "(XJMF Version=2.1 JobID=J1 ") {
		t.Error(got)
	}
	if a := root.Attribute("Version"); a.Form != xjdf.FormText {
		t.Errorf("form %s", a.Form)
	}
	if id, ok := root.Child("Header").Attr("ID"); id != "a" || !ok {
		t.Errorf("the first header is %q", id)
	}
	if root.Child("Headers") != nil {
		t.Error("a child that is not there")
	}
}
