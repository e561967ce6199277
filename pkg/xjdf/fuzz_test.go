// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// fuzzLimits keep an input small, so that there are many of them.
var fuzzLimits = xjdf.Limits{Bytes: 1 << 14, Depth: 20, Nodes: 500}

func FuzzParse(f *testing.F) {
	addSeeds(f, "*")
	f.Fuzz(func(t *testing.T, body []byte) { holds(t, body, xjdf.Parse) })
}

func FuzzParseJSON(f *testing.F) {
	addSeeds(f, "*.json")
	f.Fuzz(func(t *testing.T, body []byte) { holds(t, body, xjdf.ParseJSON) })
}

func FuzzParseXML(f *testing.F) {
	addSeeds(f, "*.xml")
	f.Fuzz(func(t *testing.T, body []byte) { holds(t, body, xjdf.ParseXML) })
}

// addSeeds adds the documents of testdata, random ones, and bits of syntax
// that the mutations of a fuzzer seldom find.
func addSeeds(f *testing.F, files string) {
	f.Helper()
	names, err := filepath.Glob("testdata/" + files)
	if err != nil {
		f.Fatalf("filepath.Glob: %v", err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.IsDir() {
			continue
		}
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatalf("os.ReadFile(%q): %v", name, err)
		}
		f.Add(body)
	}
	for seed := range uint64(6) {
		tree := randomTree(seed)
		var asJSON, asXML bytes.Buffer
		if err := errors.Join(xjdf.WriteJSON(&asJSON, tree), xjdf.WriteXML(&asXML, tree)); err != nil {
			f.Fatalf("errors.Join: %v", err)
		}
		converted, err := json.Marshal(attributeJSON(tree))
		if err != nil {
			f.Fatalf("json.Marshal: %v", err)
		}
		f.Add(asJSON.Bytes())
		f.Add(asXML.Bytes())
		f.Add(converted)
	}
	for _, body := range []string{
		`{"@context":["urn:d",{"p":"urn:p","@vocab":""}],"p:XJDF":[{"@xmlns:q":"urn:q","q:a":[[1,2]]}]}`,
		`{"AuditPool":[{"a":1,"#text":"x"},{"Header":{},"@Name":"p:q"}],"Curve":[[0,1]],"$schema":"x","Name":"JDF"}`,
		`{"SignalStatus":{},"Header":[{},{}],"Comment":["a",{"Text":"b"}],"AddressLine":5}`,
		`<p:a xmlns:p="http://www.CIP4.org/JDFSchema_2_0" xmlns:q="urn:q" q:b="&#9;" p:Comment="x" Name="y">a<!-- --><b xmlns="urn:b"/></p:a>`,
		"\uFEFF<?xml version='1.0'?><XJMF xmlns='http://www.CIP4.org/JDFSchema_2_0'><Comment Text='a'> </Comment><![CDATA[]]></XJMF>",
	} {
		f.Add([]byte(body))
	}
}

// holds checks that a document that was read can be written, and that reading the
// written document gives the same tree.
func holds(t *testing.T, body []byte, parse func([]byte, xjdf.Limits) (*xjdf.Document, error)) {
	t.Helper()
	d, err := parse(body, fuzzLimits)
	if err != nil {
		var refused *xjdf.Error
		if !errors.As(err, &refused) || refused.Line < 1 && !errors.Is(err, xjdf.ReasonLength) {
			t.Fatalf("Parse: %#v", err)
		}
		return
	}
	nodes := 0
	for n := range d.Root.Descendants() {
		nodes += 1 + len(n.Attributes)
		d.Place(n)
		for i := range n.Attributes {
			if p := d.AttributePlace(n, n.Attributes[i].Name.String()); p.Line < 1 {
				t.Fatalf("%s has no place", p.XPath)
			}
		}
	}
	if nodes > fuzzLimits.Nodes {
		t.Fatalf("%d nodes", nodes)
	}
	// A name of one byte may become longer by a prefix, and lines are indented.
	generous := xjdf.Limits{Bytes: 1 << 20}
	var out bytes.Buffer
	if err := xjdf.WriteXML(&out, d.Root); err != nil {
		t.Fatalf("WriteXML: %v", err)
	}
	again, err := xjdf.ParseXML(out.Bytes(), generous)
	if err != nil {
		t.Fatalf("ParseXML: %v\n%s", err, out.Bytes())
	}
	wantEqual(t, "XML", again.Root, d.Root, out.Bytes())
	out.Reset()
	var refused *xjdf.WriteError
	switch err := xjdf.WriteAttributeJSON(&out, d.Root); {
	case errors.As(err, &refused):
	case err != nil:
		t.Fatalf("WriteAttributeJSON: %v", err)
	default:
		if again, err = xjdf.ParseJSON(out.Bytes(), generous); err != nil {
			t.Fatalf("ParseJSON: %v\n%s", err, out.Bytes())
		}
		wantEqual(t, "attribute JSON", again.Root, d.Root, out.Bytes())
	}
	out.Reset()
	switch err := xjdf.WriteJSON(&out, d.Root); {
	case errors.As(err, &refused):
		return
	case err != nil:
		t.Fatalf("WriteJSON: %v", err)
	}
	if again, err = xjdf.ParseJSON(out.Bytes(), generous); err != nil {
		t.Fatalf("ParseJSON: %v\n%s", err, out.Bytes())
	}
	wantEqual(t, "JSON", again.Root, d.Root, out.Bytes())
	if again.Encoding != xjdf.CanonicalJSON {
		t.Fatalf("JSON was read as %s\n%s", again.Encoding, out.Bytes())
	}
}
