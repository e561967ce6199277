// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func TestCountsMatchTheStandard(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	got := map[string]int{
		"specific resources":  len(v.OfKind(vocabulary.Resource)),
		"product intents":     len(v.OfKind(vocabulary.Intent)),
		"messages":            len(v.OfKind(vocabulary.Message)),
		"audits":              len(v.OfKind(vocabulary.Audit)),
		"processes":           len(v.Processes()),
		"named colours":       len(v.List("NamedColor").Values),
		"product types":       len(v.List("ProductType").Values),
		"hole patterns":       len(v.List("HolePatternCatalog").Values),
		"details of a status": len(v.List("StatusDetails").Values),
		"partition keys":      len(v.Element("Part").Attributes),
	}
	want := map[string]int{
		"specific resources": 102, "product intents": 14, "messages": 44, "audits": 5,
		"processes":     71, // 70 and Product
		"named colours": 147, "product types": 44, "hole patterns": 34,
		"details of a status": 67,
		"partition keys":      27,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEveryElementIsReachableFromARoot(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	reached := map[string]bool{}
	var visit func(*vocabulary.Element)
	visit = func(e *vocabulary.Element) {
		if reached[e.Name] {
			return
		}
		reached[e.Name] = true
		for i := range e.Children {
			visit(e.Children[i].Element)
		}
	}
	visit(v.Root("XJDF"))
	visit(v.Root("XJMF"))
	for _, e := range v.Elements() {
		if !reached[e.Name] {
			t.Errorf("%s is in the tables, but in no other element", e.Name)
		}
	}
}

func TestElementsAreComplete(t *testing.T) {
	t.Parallel()
	for _, e := range vocabulary.Load().Elements() {
		if e.Clause == "" {
			t.Errorf("%s has no clause", e.Name)
		}
		for i := range e.Attributes {
			a := &e.Attributes[i]
			enumeration := a.Type == vocabulary.Enumeration || a.Type == vocabulary.Enumerations
			reference := a.Type == vocabulary.IDREF || a.Type == vocabulary.IDREFS
			switch {
			case a != e.Attribute(a.Name):
				t.Errorf("%s/@%s is not found by its name", e.Name, a.Name)
			case enumeration && (a.Values == nil || !a.Values.Closed):
				t.Errorf("%s/@%s is an enumeration without a closed list", e.Name, a.Name)
			case reference != (len(a.Targets) > 0):
				t.Errorf("%s/@%s is %v with targets %v", e.Name, a.Name, a.Type, a.Targets)
			case a.Unit != vocabulary.NoUnit && !a.Type.Numeric():
				t.Errorf("%s/@%s is %v in %v", e.Name, a.Name, a.Type, a.Unit)
			case a.Bounds != nil && (!a.Type.Numeric() || a.Bounds.Min > a.Bounds.Max):
				t.Errorf("%s/@%s is %v within %v", e.Name, a.Name, a.Type, *a.Bounds)
			}
		}
		for i := range e.Children {
			if c, place := e.Child(e.Children[i].Name); place != i || c.Element == nil {
				t.Errorf("%s/%s is not found at its place", e.Name, e.Children[i].Name)
			}
		}
	}
}

func TestListsAreUsedAndNotEmpty(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	used := map[*vocabulary.List]bool{
		// Names of separations are the author's; the list is for suggestions.
		v.List("Separation"): true,
	}
	for _, e := range v.Elements() {
		for i := range e.Attributes {
			used[e.Attributes[i].Values] = true
		}
	}
	for _, l := range v.Lists() {
		if !used[l] {
			t.Errorf("list %s belongs to no attribute", l.Name)
		}
		if len(l.Values) == 0 && l.Pattern() == "" {
			t.Errorf("list %s holds nothing", l.Name)
		}
		if l.Clause == "" || l != v.List(l.Name) {
			t.Errorf("list %s: clause %q, found by its name: %v", l.Name, l.Clause, l == v.List(l.Name))
		}
		for _, value := range l.Values {
			if !l.Has(value) {
				t.Errorf("list %s does not have its own %s", l.Name, value)
			}
		}
	}
}

func TestProcessesHaveTheResourcesOfTheirClause(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for sentence, tc := range map[string]struct {
		process string
		inputs  []vocabulary.Requirement
	}{
		"casing in takes the block and the case (5.6.6)": {"CasingIn", []vocabulary.Requirement{
			{Resource: "CasingInParams"}, {Resource: "Component", Usage: "BookBlock"}, {Resource: "Component", Usage: "BookCase"},
		}},
		"imposition takes the pages as Document (5.4.8)": {"Imposition", []vocabulary.Requirement{
			{Resource: "Layout"}, {Resource: "RunList", Usage: "Document"},
		}},
		"varnishing needs no parameters (5.5.3)": {"Varnishing", []vocabulary.Requirement{{Resource: "Component"}}},
		"a product names no process (3.1.2)":     {"Product", nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			p, ok := v.Process(tc.process)
			if !ok {
				t.Fatalf("no process %s", tc.process)
			}
			if diff := cmp.Diff(tc.inputs, p.Inputs); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, ok := v.Process("LayoutPreparation"); ok {
		t.Error("LayoutPreparation is a process of version 1 only")
	}
}

func TestStatusDetailsHaveTheirStatuses(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for _, tc := range []struct{ detail, node, device string }{
		{"Good", "InProgress", "Production"},
		{"BreakDown", "Stopped", "Offline"},
		{"WashUp", "Cleanup", "Cleanup"},
		{"JobMissResources", "Waiting InProgress", "Stopped"},
		{"ControlDeferred", "", "Offline"},
		{"StandBy", "", "Idle Stopped"},
	} {
		node, device, ok := v.StatusDetails(tc.detail)
		if !ok || node != tc.node || device != tc.device {
			t.Errorf("%s: got %q and %q, %v", tc.detail, node, device, ok)
		}
	}
	if _, _, ok := v.StatusDetails("CoffeeBreak"); ok {
		t.Error("CoffeeBreak is in no table of the standard")
	}
	for _, detail := range v.List("StatusDetails").Values {
		if _, _, ok := v.StatusDetails(detail); !ok {
			t.Errorf("%s is in the list, but not in the tables", detail)
		}
	}
}

func TestOnlyDocumentsHaveRoots(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for name, want := range map[string]bool{"XJDF": true, "XJMF": true, "Media": false, "JDF": false, "": false} {
		if got := v.Root(name) != nil; got != want {
			t.Errorf("Root(%q) != nil is %v", name, got)
		}
	}
}

func TestLookingUpAllocatesNothing(t *testing.T) {
	v := vocabulary.Load()
	found := 0
	count := func(ok bool) {
		if ok {
			found++
		}
	}
	allocations := testing.AllocsPerRun(100, func() {
		found = 0
		e := v.Root("XJDF")
		c, _ := e.Child("ResourceSet")
		count(c.Element.Attribute("Usage").Values.Has("Input"))
		count(v.Element("Media").Attribute("Weihgt") == nil)
		count(v.List("NamedColor").Has("dArKrEd"))
		count(!v.List("NamedColor").Has("Reddish"))
		_, ok := v.Process("Folding")
		count(ok)
		_, _, ok = v.StatusDetails("JobMissResources")
		count(ok)
	})
	if allocations != 0 || found != 6 {
		t.Errorf("%v allocations, %d of 6 found", allocations, found)
	}
}

func TestChildrenAreInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for sentence, tc := range map[string]struct {
		element string
		want    []string
	}{
		"a header is the first element of a message (7.1.1)": {"ResponseStatus", []string{"Header", "Notification", "DeviceInfo"}},
		"a subscription follows the header (7.2.1)":          {"QueryStatus", []string{"Header", "Subscription", "StatusQuParams"}},
		"the root has its children by the alphabet (3.1)":    {"XJDF", []string{"AuditPool", "Comment", "GeneralID", "ProductList", "ResourceSet"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range v.Element(tc.element).Children {
				got = append(got, c.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	resource := v.Element("Resource")
	if last := resource.Children[len(resource.Children)-1]; last.Element.Kind != vocabulary.Resource {
		t.Errorf("the specific resource is the last element of a Resource (6.1), not %s", last.Name)
	}
}

func TestAlternativesExcludeEachOther(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	for sentence, tc := range map[string]struct {
		element, child string
		least          int
		many, array    bool
	}{
		"one resource in a Resource (6.1)":                   {"Resource", "Media", 0, false, false},
		"one intent in an Intent (4.1)":                      {"Intent", "MediaIntent", 0, false, false},
		"an event or a milestone (8.31)":                     {"Notification", "Milestone", 0, false, false},
		"layers in any order (8.28)":                         {"MediaLayers", "Glue", 0, true, true},
		"several messages in XML, one of each in JSON (7.1)": {"XJMF", "SignalStatus", 1, true, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			e := v.Element(tc.element)
			c, _ := e.Child(tc.child)
			if c.Choice < 0 {
				t.Fatal("the child is no alternative")
			}
			choice := e.Choices[c.Choice]
			if choice.Min != tc.least || choice.Many != tc.many || c.Many != tc.array || !slices.Contains(choice.Children, tc.child) {
				t.Errorf("got %+v of %+v", *c, choice)
			}
		})
	}
}
