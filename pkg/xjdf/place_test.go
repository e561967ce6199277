// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

func TestPlacesOfElements(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want []xjdf.Place
	}{
		"canonical JSON": {
			"{\"ProductList\":\n {\"Product\":[{},\n{\"Intent\":{}}]}}",
			[]xjdf.Place{
				{"#", "XJDF", 1, 1},
				{"#/ProductList", "XJDF/ProductList", 2, 2},
				{"#/ProductList/Product/0", "XJDF/ProductList/Product[1]", 2, 14},
				{"#/ProductList/Product/1", "XJDF/ProductList/Product[2]", 3, 1},
				{"#/ProductList/Product/1/Intent", "XJDF/ProductList/Product[2]/Intent", 3, 11},
			},
		},
		"a wrapper": {
			`{"XJDF":{"ProductList":{}}}`,
			[]xjdf.Place{{"#/XJDF", "XJDF", 1, 9}, {"#/XJDF/ProductList", "XJDF/ProductList", 1, 24}},
		},
		"a wrapper that is an array": {
			`{"XJMF":[{"Header":{}}]}`,
			[]xjdf.Place{{"#/XJMF/0", "XJMF", 1, 10}, {"#/XJMF/0/Header", "XJMF/Header", 1, 20}},
		},
		"names with escapes": {
			`{"\u0041":{},"@context":{"x":"urn:x"},"x:é":{}}`,
			[]xjdf.Place{{"#", "XJDF", 1, 1}, {"#/A", "XJDF/A", 1, 11}, {"#/x:%C3%A9", "XJDF/x:é", 1, 45}},
		},
		"audits": {
			`{"AuditPool":[{"Name":"AuditCreated","Header":{}},{"Name":"AuditCreated"}]}`,
			[]xjdf.Place{
				{"#", "XJDF", 1, 1},
				{"#/AuditPool", "XJDF/AuditPool", 1, 2},
				{"#/AuditPool/0", "XJDF/AuditPool/AuditCreated[1]", 1, 15},
				{"#/AuditPool/0/Header", "XJDF/AuditPool/AuditCreated[1]/Header", 1, 47},
				{"#/AuditPool/1", "XJDF/AuditPool/AuditCreated[2]", 1, 51},
			},
		},
		"audits without names": {
			`{"AuditPool":[{},{"Header":{}},{"AuditCreated":[{}]}]}`,
			[]xjdf.Place{
				{"#", "XJDF", 1, 1},
				{"#/AuditPool", "XJDF/AuditPool", 1, 2},
				{"#/AuditPool/1/Header", "XJDF/AuditPool/Header", 1, 28},
				{"#/AuditPool/2/AuditCreated/0", "XJDF/AuditPool/AuditCreated", 1, 49},
			},
		},
		"elements that are strings": {
			`{"Address":{"AddressLine":["a","b"]}}`,
			[]xjdf.Place{
				{"#", "XJDF", 1, 1},
				{"#/Address", "XJDF/Address", 1, 12},
				{"#/Address/AddressLine/0", "XJDF/Address/AddressLine[1]", 1, 28},
				{"#/Address/AddressLine/1", "XJDF/Address/AddressLine[2]", 1, 32},
			},
		},
		"XML, with a byte order mark, which is no character": {
			"\uFEFF<XJDF xmlns:x=\"urn:x\">\r\n  <ü/><x:a/>\n</XJDF>",
			[]xjdf.Place{{"", "XJDF", 1, 1}, {"", "XJDF/ü", 2, 3}, {"", "XJDF/x:a", 2, 7}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(test.body))
			var got []xjdf.Place
			for n := range d.Root.Descendants() {
				got = append(got, d.Place(n))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacesOfAttributes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, name string
		want       xjdf.Place
	}{
		"canonical JSON": {
			`{"a":{},"Types":["b"]}`, "Types", xjdf.Place{"#/Types", "XJDF/@Types", 1, 9},
		},
		"JSON with at signs": {
			`{"XJDF":{"@Types":"b"}}`, "Types", xjdf.Place{"#/XJDF/@Types", "XJDF/@Types", 1, 10},
		},
		"an attribute with a prefix": {
			`{"@context":{"x":"urn:x"},"@x:a":1}`, "x:a", xjdf.Place{"#/@x:a", "XJDF/@x:a", 1, 27},
		},
		"XML": {
			"<XJDF a = '>' b='Types=\"\"'\n Types='c'/>", "Types", xjdf.Place{"", "XJDF/@Types", 2, 2},
		},
		"one that is missing is asked of the element": {
			"\n{}", "JobID", xjdf.Place{"#", "XJDF/@JobID", 2, 1},
		},
		"one that is missing in XML": {
			"\n<XJDF/>", "JobID", xjdf.Place{"", "XJDF/@JobID", 2, 1},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, []byte(test.body))
			if diff := cmp.Diff(test.want, d.AttributePlace(d.Root, test.name)); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlaceOfAnAttributeOfAnAuditWithoutAName(t *testing.T) {
	t.Parallel()
	d := parse(t, []byte(`{"AuditPool":[{"Name":"AuditCreated"},{"AgentName":"a"}]}`))
	got := d.AttributePlace(d.Root.Child("AuditPool"), "AgentName")
	want := xjdf.Place{"#/AuditPool/1/AgentName", "XJDF/AuditPool/@AgentName", 1, 40}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("place (-want +got):\n%s", diff)
	}
}

func TestPlacesOfItems(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"Types":["a","b","c"]}`: "#/Types/2",
		`{"@Types":"a b c"}`:      "#/@Types",
		`<XJDF Types="a b c"/>`:   "",
	}
	for body, want := range tests {
		d := parse(t, []byte(body))
		if got := d.ItemPlace(d.Root, "Types", 2).Pointer; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestBuiltTreeHasOnlyXPaths(t *testing.T) {
	t.Parallel()
	root := xjdf.New("XJDF")
	root.Add("ProductList").Add("Product").Set("Amount", "5")
	product := root.Child("ProductList").Child("Product")
	want := xjdf.Place{XPath: "XJDF/ProductList/Product/@Amount"}
	for _, encoding := range []xjdf.Encoding{xjdf.CanonicalJSON, xjdf.XML} {
		d := xjdf.Document{Root: root, Encoding: encoding}
		if diff := cmp.Diff(want, d.AttributePlace(product, "Amount")); diff != "" {
			t.Errorf("place in %s (-want +got):\n%s", encoding, diff)
		}
	}
}
