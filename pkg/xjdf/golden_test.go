// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var update = flag.Bool("update", false, "update the golden files")

// TestThreeEncodingsOfADocumentGiveOneTree reads the documents that testdata holds in
// all encodings: JSON and XML as this package writes them, and three forms of JSON with
// at signs that partners use.
func TestThreeEncodingsOfADocumentGiveOneTree(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file           string
		wrapped, named bool
	}{
		"a flyer, with its name as a member":                        {file: "flyer", named: true},
		"a booklet of four products, in a wrapper":                  {file: "booklet", wrapped: true},
		"business cards with extensions, as a converter from XML":   {file: "businesscards", wrapped: true},
		"a callback about a job, in which the message is an object": {file: "status", wrapped: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			canonical := parse(t, file(t, test.file+".json"))
			attributes := parse(t, file(t, test.file+".attributes.json"))
			asXML := parse(t, file(t, test.file+".xml"))
			wantEqual(t, "XML", asXML.Root, canonical.Root, nil)
			wantEqual(t, "attribute JSON", attributes.Root, canonical.Root, nil)
			got := []xjdf.Encoding{canonical.Encoding, attributes.Encoding, asXML.Encoding}
			if diff := cmp.Diff([]xjdf.Encoding{xjdf.CanonicalJSON, xjdf.AttributeJSON, xjdf.XML}, got); diff != "" {
				t.Errorf("encodings (-want +got):\n%s", diff)
			}
			if attributes.Wrapped != test.wrapped || attributes.Named != test.named {
				t.Errorf("wrapped %t, named %t", attributes.Wrapped, attributes.Named)
			}
			golden(t, test.file+".json", append(indented(t, attributes.Root), '\n'))
			golden(t, test.file+".xml", toXML(t, attributes.Root))
		})
	}
}

func indented(t *testing.T, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteJSON(&out, root, xjdf.Indent("  ")); err != nil {
		t.Fatalf("xjdf.WriteJSON: %v", err)
	}
	return out.Bytes()
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return body
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile("testdata/"+name, got, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return
	}
	if diff := cmp.Diff(string(file(t, name)), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
