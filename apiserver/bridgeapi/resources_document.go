// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The attributes of the root, which describes no job.
const (
	// JobID is the JobID of every document.
	JobID = "master-data"
	// Types has a prefix, which marks a process outside of the standard.
	Types   = "printmarket:MasterData"
	version = "2.2"
)

// Document returns a document with the families of a snapshot. A nil snapshot means that
// nothing is in force and gives a document without sets.
func Document(s *authority.Snapshot, families []authority.Family) *xjdf.Node {
	root := xjdf.New("XJDF").Set("JobID", JobID).Set("Types", Types).Set("Version", version)
	if s == nil {
		return root
	}
	describe(root, "Snapshot", s.ID())
	for _, f := range forms() {
		if slices.Contains(families, f.family) && s.Count(f.family) > 0 {
			f.write(f.set(root), s.Content())
		}
	}
	return root
}

// Count returns the number of resources that the document would have.
func Count(s *authority.Snapshot, families []authority.Family) int {
	count := 0
	for _, f := range families {
		count += s.Count(f)
	}
	return count
}

// form describes the resource set of a family and writes its resources.
type form struct {
	family authority.Family
	// name is the name of the set; usage distinguishes sets of the same name.
	name, usage string
	// unit is the unit of amounts, or empty for the unit of the standard.
	unit  string
	write func(*xjdf.Node, *authority.Content)
}

// forms returns the forms in the order of the families.
func forms() []form {
	return []form{
		{authority.FamilyMedia, "Media", "", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Media, media) }},
		{authority.FamilyDevice, "Device", "", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Devices, device) }},
		{authority.FamilyInk, "Ink", "", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Inks, ink) }},
		{authority.FamilyLamination, "MiscConsumable", "Laminate", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Laminations, lamination) }},
		{authority.FamilyVarnish, "Ink", "Varnish", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Varnishes, varnish) }},
		{authority.FamilyPlate, "Media", "Plate", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Plates, plate) }},
		{authority.FamilyAdhesive, "MiscConsumable", "Glue", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Adhesives, adhesive) }},
		{authority.FamilyElectricity, "MiscConsumable", "Electricity", "kWh", func(set *xjdf.Node, c *authority.Content) { all(set, c.Electricity, electricity) }},
		{authority.FamilyLabor, "ManualLaborParams", "", "", func(set *xjdf.Node, c *authority.Content) { all(set, c.Labor, labor) }},
	}
}

// set adds the resource set of a form to a document.
func (f form) set(root *xjdf.Node) *xjdf.Node {
	set := root.Add("ResourceSet").Set("Name", f.name).Set("Usage", "Input")
	if f.usage != "" {
		set.Set("ProcessUsage", f.usage)
	}
	if f.unit != "" {
		set.Set("Unit", f.unit)
	}
	return set
}

// all adds a resource for each entry of a family.
func all[T any](set *xjdf.Node, family []T, write func(*xjdf.Node, *T)) {
	set.Children = make([]*xjdf.Node, 0, len(family))
	for i := range family {
		write(set.Add("Resource"), &family[i])
	}
}
