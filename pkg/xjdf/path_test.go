// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

func TestPathSelectsElementsAndAttributes(t *testing.T) {
	t.Parallel()
	root := parse(t, []byte(`<XJDF `+head+` xmlns:shop="urn:shop" JobID="J1" shop:Route="7"><ProductList>
	  <Product ID="A" ProductType="Booklet" Amount="5"><Intent Name="ColorIntent"/></Product>
	  <Product ID="B" ProductType="Cover"/><Product ID="C" ProductType="Cover" Amount="5"/></ProductList>
	  <ResourceSet Name="Media" Usage="Input"><Resource><Media MediaType="Paper"/></Resource><Resource><Media MediaType="Plate"/></Resource></ResourceSet>
	  <ResourceSet Name="Ink"><Comment>dark</Comment><Resource><shop:Hint Weight="1"/></Resource></ResourceSet></XJDF>`)).Root
	set := root.Child("ResourceSet")
	for path, test := range map[string]struct {
		from *xjdf.Node
		want []string
	}{
		"@JobID":                     {root, []string{"J1"}},
		"@shop:Route":                {root, []string{"7"}},
		"ProductList/Product/@ID":    {root, []string{"A", "B", "C"}},
		"ProductList/Product[2]/@ID": {root, []string{"B"}},
		"ProductList/Product[@ProductType='Cover']":        {root, []string{"", ""}},
		`ProductList/Product[@ProductType="Cover"][2]/@ID`: {root, []string{"C"}},
		"ProductList/Product[@Amount][2]/@ID":              {root, []string{"C"}},
		"ProductList/Product[Intent]/@ID":                  {root, []string{"A"}},
		"//Media/@MediaType":                               {root, []string{"Paper", "Plate"}},
		"//@MediaType":                                     {root, []string{"Paper", "Plate"}},
		"//Media/@Weight":                                  {root, nil},
		".//@Weight":                                       {root, []string{"1"}},
		"//shop:Hint/@Weight":                              {set, []string{"1"}},
		".//shop:Hint/@Weight":                             {set, nil},
		"./Resource/Media/@MediaType":                      {set, []string{"Paper", "Plate"}},
		"/XJDF/ResourceSet[2]/Comment":                     {set, []string{"dark"}},
		"/Product":                                         {set, nil},
		"*/*/@ID":                                          {root, []string{"A", "B", "C"}},
		"//*[@Name='Ink']/Comment":                         {root, []string{"dark"}},
		".":                                                {root.Child("ResourceSet"), []string{""}},
	} {
		p, err := xjdf.ParsePath(path)
		if err != nil {
			t.Errorf("ParsePath(%q): %v", path, err)
			continue
		}
		if diff := cmp.Diff(test.want, p.Values(test.from)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestPlaceOfEachElementSelectsIt(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds / 4) {
		d := parse(t, toXML(t, randomTree(seed)))
		for n := range d.Root.Descendants() {
			place := "/" + d.Place(n).XPath
			found, err := d.Root.Find(place)
			if err != nil || len(found) != 1 || found[0] != n {
				t.Fatalf("%s selects %d elements, error %v", place, len(found), err)
			}
			for i := range n.Attributes {
				place := "/" + d.AttributePlace(n, n.Attributes[i].Name.String()).XPath
				p, err := xjdf.ParsePath(place)
				if err != nil || !cmp.Equal(p.Values(d.Root), []string{n.Attributes[i].Value}) {
					t.Fatalf("%s selects %q, error %v", place, p.Values(d.Root), err)
				}
			}
		}
	}
}

func TestInvalidPathIsRejectedWithItsFault(t *testing.T) {
	t.Parallel()
	for path, offset := range map[string]int{
		"": 0, "/": 1, "a/": 2, "a//": 3, "a b": 1, "@a/b": 2, "a[": 2, "a[]": 2, "a[0]": 2, "a[99999999999999999999]": 2, "a[1": 3,
		"a[@b=1]": 5, "a[@b='x]": 6, ".a": 1, "a/../b": 2, "a:b:c": 0, "1a": 0, strings.Repeat("a/", 501): 0,
	} {
		_, err := xjdf.ParsePath(path)
		var fault *xjdf.PathError
		if !errors.As(err, &fault) || fault.Offset != offset || !strings.Contains(err.Error(), fault.Detail) {
			t.Errorf("ParsePath(%q) = %v, want a fault at offset %d", path, err, offset)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, path := range []string{"/XJDF/ProductList/Product[2]/@Amount", "//*[@Name='Media'][1]", ".//shop:Hint[a]", "a[@b=\"c\"]"} {
		f.Add(path)
	}
	root := randomTree(1)
	f.Fuzz(func(t *testing.T, path string) {
		p, err := xjdf.ParsePath(path)
		if err != nil {
			var fault *xjdf.PathError
			if !errors.As(err, &fault) || fault.Offset > len(path) {
				t.Fatalf("ParsePath(%q): %v", path, err)
			}
			return
		}
		seen := map[*xjdf.Node]bool{}
		for _, n := range p.Elements(root) {
			if seen[n] {
				t.Fatalf("%q selects an element twice", path)
			}
			seen[n] = true
		}
	})
}
