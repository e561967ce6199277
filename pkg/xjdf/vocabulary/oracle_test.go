// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// schemaVariable names a schema file of XJDF 2.2. Its licence keeps it out of
// this repository, so the comparison is for those who have it.
const schemaVariable = "PRINTMARKET_XJDF_XSD"

type elementFacts struct {
	attributes map[string]attributeFacts
	children   map[string]string
	order      []string
}

type attributeFacts struct {
	datatype string
	required bool
	values   []string
	bounds   string
	minItems int
}

func (f attributeFacts) String() string {
	parts := []string{f.datatype}
	if f.required {
		parts = append(parts, "required")
	}
	if f.bounds != "" {
		parts = append(parts, f.bounds)
	}
	if f.minItems > 0 {
		parts = append(parts, strconv.Itoa(f.minItems)+"+")
	}
	return strings.Join(append(parts, f.values...), " ")
}

// difference holds what the schema and the tables define for a name.
type difference struct{ schema, tables string }

func TestTablesDifferFromTheSchemaOnlyWhereTheStandardDoes(t *testing.T) {
	t.Parallel()
	file := os.Getenv(schemaVariable)
	if file == "" {
		t.Skipf("%s names no schema file of XJDF 2.2; its licence keeps it out of the repository", schemaVariable)
	}
	s, err := readSchema(file)
	if err != nil {
		t.Fatalf("readSchema(%q): %v", file, err)
	}
	found := compare(s.facts(), tableFacts(vocabulary.Load()))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		want, known := knownDifferences[name]
		switch got := found[name]; {
		case !known:
			t.Errorf("%s:\n schema: %s\n tables: %s", name, got.schema, got.tables)
		case want.difference != got:
			t.Errorf("%s differs in another way than its row says:\n schema: %s\n tables: %s", name, got.schema, got.tables)
		}
	}
	for name := range knownDifferences {
		if _, ok := found[name]; !ok {
			t.Errorf("%s: the row is stale, schema and tables agree", name)
		}
	}
}

func tableFacts(v *vocabulary.Vocabulary) map[string]*elementFacts {
	all := map[string]*elementFacts{}
	for _, e := range v.Elements() {
		f := &elementFacts{attributes: map[string]attributeFacts{}, children: map[string]string{}}
		for i := range e.Attributes {
			f.attributes[e.Attributes[i].Name] = factsOf(&e.Attributes[i])
		}
		for i := range e.Children {
			c := &e.Children[i]
			most := "*"
			if c.Max > 0 {
				most = strconv.Itoa(c.Max)
			}
			f.children[c.Name] = strconv.Itoa(c.Min) + ".." + most
			if c.Choice < 0 {
				f.order = append(f.order, c.Name)
			}
		}
		all[e.Name] = f
	}
	return all
}

func factsOf(a *vocabulary.Attribute) attributeFacts {
	f := attributeFacts{datatype: a.Type.String(), required: a.Required, minItems: a.MinItems}
	if a.Bounds != nil {
		f.bounds = limit(a.Bounds.Min) + ".." + limit(a.Bounds.Max)
	}
	if a.Values != nil && a.Values.Closed {
		f.values = slices.Clone(a.Values.Values)
		if a.Values.Fold {
			for i := range f.values {
				f.values[i] = strings.ToLower(f.values[i])
			}
		}
		if p := a.Values.Pattern(); p != "" {
			f.values = append(f.values, "/"+p+"/")
		}
		slices.Sort(f.values)
	}
	return f
}

func limit(number float64) string {
	if math.IsInf(number, 0) {
		return ""
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

func compare(inSchema, inTables map[string]*elementFacts) map[string]difference {
	found := map[string]difference{}
	names := slices.Sorted(maps.Keys(inTables))
	for name := range inSchema {
		if inTables[name] == nil {
			found[name] = difference{schema: "an element"}
		}
	}
	for _, name := range names {
		have, want := inTables[name], inSchema[name]
		if want == nil {
			found[name] = difference{tables: "an element"}
			continue
		}
		compareAttributes(found, name, want, have)
		compareText(found, name+"/", want.children, have.children)
		if !slices.Equal(want.order, have.order) && sameNames(want.order, have.order) {
			found[name+" order"] = difference{strings.Join(want.order, " "), strings.Join(have.order, " ")}
		}
	}
	return found
}

func compareAttributes(found map[string]difference, name string, want, have *elementFacts) {
	schemaSays, tablesSay := map[string]string{}, map[string]string{}
	for attribute, f := range want.attributes {
		schemaSays[attribute] = f.String()
	}
	for attribute, f := range have.attributes {
		if want.attributes[attribute].bounds == "" {
			f.bounds = "" // the schema has few bounds, the standard many
		}
		tablesSay[attribute] = f.String()
	}
	compareText(found, name+"/@", schemaSays, tablesSay)
}

func compareText(found map[string]difference, prefix string, want, have map[string]string) {
	for name := range have {
		if want[name] != have[name] {
			found[prefix+name] = difference{want[name], have[name]}
		}
	}
	for name := range want {
		if have[name] == "" {
			found[prefix+name] = difference{want[name], ""}
		}
	}
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
