// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

func TestDiffReportsEachDifferenceWithItsPath(t *testing.T) {
	t.Parallel()
	const set = `<ResourceSet Name="Ink" Usage="Input"><Resource><Part Separation="Cyan"/><Ink InkName="a"/></Resource><Resource><Part Separation="Black"/></Resource></ResourceSet>`
	for name, test := range map[string]struct {
		from, to string
		want     []xjdf.Change
	}{
		"nothing":                {`<Comment>a</Comment>`, `<Comment>a</Comment>`, nil},
		"another order of names": {`<Comment>a</Comment><GeneralID IDValue="1"/>`, `<GeneralID IDValue="1"/><Comment>a</Comment>`, nil},
		"a value":                {`<GeneralID IDValue="1"/>`, `<GeneralID IDValue="2"/>`, []xjdf.Change{{Kind: xjdf.Changed, Path: "XJDF/GeneralID/@IDValue", From: "1", To: "2"}}},
		"a text":                 {`<Comment>a</Comment>`, `<Comment>b</Comment>`, []xjdf.Change{{Kind: xjdf.Changed, Path: "XJDF/Comment/text()", From: "a", To: "b"}}},
		"an attribute more and one less": {`<GeneralID IDValue="1"/>`, `<GeneralID IDUsage="2"/>`, []xjdf.Change{
			{Kind: xjdf.Removed, Path: "XJDF/GeneralID/@IDValue", From: "1"}, {Kind: xjdf.Added, Path: "XJDF/GeneralID/@IDUsage", To: "2"},
		}},
		"an element more":               {`<Comment>a</Comment>`, `<Comment>b</Comment><Comment>a</Comment>`, []xjdf.Change{{Kind: xjdf.Added, Path: "XJDF/Comment[1]"}}},
		"an element less":               {`<Comment>a</Comment><Comment>b</Comment>`, `<Comment>b</Comment>`, []xjdf.Change{{Kind: xjdf.Removed, Path: "XJDF/Comment[1]"}}},
		"an element of another name":    {`<Comment>a</Comment>`, `<GeneralID/>`, []xjdf.Change{{Kind: xjdf.Removed, Path: "XJDF/Comment"}, {Kind: xjdf.Added, Path: "XJDF/GeneralID"}}},
		"two elements in another order": {`<Comment>a</Comment><Comment>b</Comment>`, `<Comment>b</Comment><Comment>a</Comment>`, []xjdf.Change{{Kind: xjdf.Moved, Path: "XJDF/Comment[2]"}}},
		"audits in another order":       {`<AuditPool><AuditCreated/><AuditStatus/></AuditPool>`, `<AuditPool><AuditStatus/><AuditCreated/></AuditPool>`, []xjdf.Change{{Kind: xjdf.Moved, Path: "XJDF/AuditPool/AuditCreated"}}},
		"a resource by its part":        {set, `<ResourceSet Name="Ink" Usage="Input"><Resource><Part Separation="Black"/></Resource><Resource><Part Separation="Cyan"/><Ink InkName="b"/></Resource></ResourceSet>`, []xjdf.Change{{Kind: xjdf.Moved, Path: "XJDF/ResourceSet/Resource[2]"}, {Kind: xjdf.Changed, Path: "XJDF/ResourceSet/Resource[2]/Ink/@InkName", From: "a", To: "b"}}},
		"a set by its name":             {set, `<ResourceSet Name="Media"/>` + set, []xjdf.Change{{Kind: xjdf.Added, Path: "XJDF/ResourceSet[1]"}}},
		"a product by its ID":           {`<ProductList><Product ID="A" Amount="1"/><Product ID="B"/></ProductList>`, `<ProductList><Product ID="B"/><Product ID="A" Amount="2"/></ProductList>`, []xjdf.Change{{Kind: xjdf.Moved, Path: "XJDF/ProductList/Product[2]"}, {Kind: xjdf.Changed, Path: "XJDF/ProductList/Product[2]/@Amount", From: "1", To: "2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := parse(t, []byte(`<XJDF `+head+`>`+test.from+`</XJDF>`))
			to := parse(t, []byte(`<XJDF `+head+`>`+test.to+`</XJDF>`))
			if diff := cmp.Diff(test.want, xjdf.Diff(from.Root, to.Root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := xjdf.Diff(xjdf.New("XJDF"), xjdf.New("XJMF")); len(got) != 2 {
		t.Errorf("two roots: %v", got)
	}
}

// Trees differ if and only if they are not equal, and each change is in both directions.
func TestDiffAgreesWithEqual(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(seeds) {
		from := randomTree(seed)
		to := parse(t, toAttributeJSON(t, from)).Root
		if got := xjdf.Diff(from, to); len(got) > 0 {
			t.Fatalf("differences between encodings: %+v", got)
		}
		random := rand.New(rand.NewPCG(seed, 3))
		var all []*xjdf.Node
		for n := range to.Descendants() {
			all = append(all, n)
		}
		n := all[random.IntN(len(all))]
		switch random.IntN(3) {
		case 0:
			n.Set("DescriptiveName", "another")
		case 1:
			random.Shuffle(len(n.Children), func(i, j int) { n.Children[i], n.Children[j] = n.Children[j], n.Children[i] })
		default:
			if len(n.Children) > 0 {
				n.Children = n.Children[1:]
			}
		}
		there, back := xjdf.Diff(from, to), xjdf.Diff(to, from)
		if equal := xjdf.Equal(from, to); equal != (len(there) == 0) || equal != (len(back) == 0) {
			t.Fatalf("equal %t, %d and %d differences: %+v", equal, len(there), len(back), there)
		}
		if len(there) > 0 {
			changed++
		}
	}
	if changed < seeds/4 {
		t.Errorf("only %d of %d documents differ", changed, seeds)
	}
}

// ExampleDiff compares an order in XML with its revision in JSON.
func ExampleDiff() {
	var roots []*xjdf.Node
	for _, body := range []string{
		`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" JobID="J1" Types="Product"><ProductList><Product Amount="500"/></ProductList></XJDF>`,
		`{"Name": "XJDF", "JobID": "J1", "Types": ["Product"], "ProductList": {"Product": [{"Amount": 750}]}}`,
	} {
		document, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
		if err != nil {
			log.Fatalf("xjdf.Parse: %v", err)
		}
		roots = append(roots, document.Root)
	}
	for _, change := range xjdf.Diff(roots[0], roots[1]) {
		fmt.Println(change.Kind, change.Path, change.From, change.To)
	}
	// Output:
	// changed XJDF/ProductList/Product/@Amount 500 750
}
