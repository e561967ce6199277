// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// FuzzValidate holds reports to what every report is, and the same tree in the
// three encodings to the same findings.
func FuzzValidate(f *testing.F) {
	for _, d := range seededDocuments() {
		f.Add([]byte(d.body))
	}
	for seed := range uint64(40) {
		root := grow(seed)
		f.Add([]byte(asItIs(root)))
		for _, body := range encodings(f, root) {
			f.Add([]byte(body))
		}
	}
	v := validate.New()
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := xjdf.Parse(body, xjdf.Limits{Bytes: 1 << 16})
		var fault *xjdf.Error
		switch {
		case errors.As(err, &fault):
			checkJSON(t, v.Unreadable(fault, xjdf.CanonicalJSON, ""))
			return
		case err != nil:
			t.Fatal(err)
		}
		for _, profile := range []validate.Profile{validate.ProductIntent, validate.Strict} {
			r := v.Validate(doc, validate.Options{Profile: profile, Support: validate.Marketplace([]string{"Leaflet"})})
			checkReport(t, r)
			checkJSON(t, r)
		}
		compareEncodings(t, v, doc.Root)
	})
}

// checkJSON: a report comes back from JSON as it was.
func checkJSON(t *testing.T, r validate.Report) {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	var back validate.Report
	if err := json.Unmarshal(body, &back); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("a report is another one after JSON:\n%s", diff)
	}
	if bytes.Contains(body, []byte("null")) && strings.Contains(string(body), ":null") {
		t.Errorf("null in %s", body)
	}
}

func TestFindingsAreTheSameInAllEncodings(t *testing.T) {
	t.Parallel()
	v := validate.New()
	for _, d := range seededDocuments() {
		doc, err := xjdf.Parse([]byte(d.body), xjdf.DefaultLimits)
		if err == nil {
			compareEncodings(t, v, doc.Root)
		}
	}
	for seed := range uint64(300) {
		compareEncodings(t, v, grow(seed))
	}
}

// compareEncodings judges a tree in each encoding that can hold it.
func compareEncodings(t *testing.T, v *validate.Validator, root *xjdf.Node) {
	t.Helper()
	var want []string
	for i, body := range encodings(t, root) {
		doc, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
		if err != nil {
			return // such as a document that is too large with all its names written out
		}
		r := v.Validate(doc, validate.Options{Profile: validate.Strict})
		if r.Summary.Omitted > 0 {
			return
		}
		got := found(r)
		if i == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-first +this):\n%s\n%s", r.Encoding, diff, body)
		}
	}
}

// encodings of a tree, without those that cannot hold it.
func encodings(tb testing.TB, root *xjdf.Node) []string {
	tb.Helper()
	var all []string
	for _, write := range []func(*bytes.Buffer) error{
		func(to *bytes.Buffer) error { return xjdf.WriteXML(to, root) },
		func(to *bytes.Buffer) error { return xjdf.WriteJSON(to, root) },
	} {
		var body bytes.Buffer
		if err := write(&body); err != nil {
			return nil
		}
		all = append(all, body.String())
	}
	doc, err := xjdf.Parse([]byte(all[1]), xjdf.DefaultLimits)
	if err != nil {
		return all
	}
	body, err := json.Marshal(withSigns(doc.Root))
	if err != nil {
		tb.Fatalf("json.Marshal: %v", err)
	}
	return append(all, string(body))
}

// withSigns writes a tree like a converter from XML that ignores datatypes. Attributes
// have an at sign, all values are strings, and only repeated elements are arrays.
func withSigns(n *xjdf.Node) map[string]any {
	object := map[string]any{}
	if n.Parent == nil {
		object["Name"] = n.Name.String()
		object["@context"] = prefixes(n)
	}
	for _, a := range n.Attributes {
		object["@"+a.Name.String()] = a.Value
	}
	if n.Text != "" {
		object["#text"] = n.Text
	}
	for _, child := range n.Children {
		name, value := child.Name.String(), any(withSigns(child))
		if child.Definition != nil && child.Definition.Pool {
			value = pooled(child)
		}
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

// pooled are the children of a pool, whose order means something.
func pooled(n *xjdf.Node) any {
	all := []any{}
	for _, child := range n.Children {
		item := withSigns(child)
		item["Name"] = child.Name.String()
		all = append(all, item)
	}
	return all
}

func prefixes(root *xjdf.Node) map[string]string {
	all := map[string]string{}
	for n := range root.Descendants() {
		if n.Name.Prefix != "" {
			all[n.Name.Prefix] = n.Name.Space
		}
		for _, a := range n.Attributes {
			if a.Name.Prefix != "" && a.Name.Prefix != "xml" {
				all[a.Name.Prefix] = a.Name.Space
			}
		}
	}
	return all
}

var prefix = regexp.MustCompile(`[^/@]+:`)

// found are the findings that do not depend on how a document is written: their
// rules and places, without the prefixes that writers choose.
func found(r validate.Report) []string {
	var all []string
	for i := range r.Findings {
		switch f := &r.Findings[i]; f.Code {
		case "VALUE_FORM", "ELEMENT_FORM", "ELEMENT_ORDER", "ROOT_NAME", "EXTENSION":
			// The first four are about one encoding, and of an extension the first
			// place is reported.
		default:
			all = append(all, f.Code+" "+prefix.ReplaceAllString(f.Path, ""))
		}
	}
	slices.Sort(all)
	return all
}
