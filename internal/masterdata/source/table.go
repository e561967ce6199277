// SPDX-License-Identifier: Apache-2.0

package source

import (
	"reflect"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

// Level is the kind of content of a document.
type Level string

// The levels. Each document has one.
const (
	// LevelCatalog has marketplace groups (L1) and catalog products (L2).
	LevelCatalog Level = "catalog"
	// LevelResources has the costed resources of one owner (L4).
	LevelResources Level = "resources"
)

// table is a list of entries during reading, with the place of each value.
type table struct {
	// member is the name of the list, such as devices; family is the name of one entry.
	member, family string
	level          Level
	most           int
	shape          *shape
	// list is the slice of entries.
	list reflect.Value
	// rows are the places of the entries, cells the places of their values, with one spot
	// for each column of each row.
	rows  []place
	cells []spot
	// set has a bit for each column that the last entry has.
	set uint64
	// from is the place where the list begins, or nil.
	from *place
}

// content holds the entries of all tables.
type content struct {
	header    []header
	resources authority.Content
	groups    []catalog.Group
	products  []catalog.Product
}

// header holds the values of the document as a whole.
type header struct {
	Level      Level            `json:"level"`
	Owner      string           `json:"owner"`
	Currency   string           `json:"currency,omitempty"`
	Provenance Provenance       `json:"provenance"`
	Policy     authority.Policy `json:"policy,omitzero"`
}

// tables returns the tables of the header, which has no name, and of all lists.
func (c *content) tables() []*table {
	r := &c.resources
	return []*table{
		tableOf("", "", "", 1, &c.header),
		tableOf("groups", "group", LevelCatalog, catalog.MaxGroups, &c.groups),
		tableOf("products", "product", LevelCatalog, catalog.MaxProducts, &c.products),
		tableOf("media", authority.FamilyMedia, LevelResources, authority.MaxMedia, &r.Media),
		tableOf("devices", authority.FamilyDevice, LevelResources, authority.MaxDevices, &r.Devices),
		tableOf("inks", authority.FamilyInk, LevelResources, authority.MaxOthers, &r.Inks),
		tableOf("laminations", authority.FamilyLamination, LevelResources, authority.MaxOthers, &r.Laminations),
		tableOf("varnishes", authority.FamilyVarnish, LevelResources, authority.MaxOthers, &r.Varnishes),
		tableOf("plates", authority.FamilyPlate, LevelResources, authority.MaxOthers, &r.Plates),
		tableOf("adhesives", authority.FamilyAdhesive, LevelResources, authority.MaxOthers, &r.Adhesives),
		tableOf("electricity", authority.FamilyElectricity, LevelResources, authority.MaxOthers, &r.Electricity),
		tableOf("labor", authority.FamilyLabor, LevelResources, authority.MaxOthers, &r.Labor),
		tableOf("services", authority.FamilyService, LevelResources, authority.MaxOthers, &r.Services),
		tableOf("gangForms", authority.FamilyGangForm, LevelResources, authority.MaxOthers, &r.GangForms),
	}
}

func tableOf[F ~string, T any](member string, family F, level Level, most int, list *[]T) *table {
	return &table{
		member: member, family: string(family), level: level, most: most,
		shape: shapeOf(reflect.TypeFor[T]()), list: reflect.ValueOf(list).Elem(),
	}
}

func (t *table) size() int { return len(t.rows) }

func (t *table) entry(row int) reflect.Value { return t.list.Index(row) }

// id returns the identifier of an entry.
func (t *table) id(row int) string {
	if t.shape.id < 0 {
		return ""
	}
	return t.entry(row).FieldByIndex(t.shape.columns[t.shape.id].index).String()
}

// begin adds an entry, and reports false if the list is full.
func (t *table) begin(at place) bool {
	if t.size() == t.most {
		return false
	}
	t.rows = append(t.rows, at)
	t.cells = append(t.cells, make([]spot, len(t.shape.columns))...)
	n := t.list.Len()
	t.list.Grow(1)
	t.list.SetLen(n + 1)
	t.list.Index(n).SetZero()
	t.set = 0
	return true
}

// put sets a value of the last entry, and returns the reason if it is invalid.
func (t *table) put(column int, v value, at spot) string {
	row := t.size() - 1
	if t.set&(1<<column) != 0 {
		return "is there already"
	}
	t.set |= 1 << column
	t.cells[row*len(t.shape.columns)+column] = at
	return t.shape.columns[column].put(t.entry(row), v)
}

// find returns the place of a field: for a mapping the place of its first value, and for a
// missing field the place of the entry.
func (t *table) find(row int, field string) place {
	at := t.rows[row]
	for i, c := range t.shape.columns {
		spot := t.cells[row*len(t.shape.columns)+i]
		if spot.line > 0 && (c.path == field || len(c.path) > len(field) && c.path[:len(field)] == field && c.path[len(field)] == '.') {
			at.spot = spot
			break
		}
	}
	return at
}
