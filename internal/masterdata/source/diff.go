// SPDX-License-Identifier: Apache-2.0

package source

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Kind is the kind of a change.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is a change of one entry or of the header.
type Change struct {
	Kind Kind `json:"kind"`
	// Family and ID are empty for the header.
	Family string `json:"family,omitempty"`
	ID     string `json:"id,omitempty"`
	// Fields lists the differing values of an entry that is in both documents.
	Fields []FieldChange `json:"fields,omitempty"`
}

// FieldChange is a value in both documents. An empty text means a missing value.
type FieldChange struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Diff returns the changes from a to b, in the order of lists and identifiers. It ignores
// the provenance. Documents of different levels cannot be compared: the error is
// [ErrLevel].
func Diff(a, b *Document) ([]Change, error) {
	if a.level != b.level {
		return nil, fmt.Errorf("%w: %s and %s", ErrLevel, a.level, b.level)
	}
	changes := []Change{}
	s := headerShape(a.level)
	from, to := a.header(), b.header()
	from.Provenance, to.Provenance = Provenance{}, Provenance{}
	if fields := differ(s, reflect.ValueOf(from), reflect.ValueOf(to)); len(fields) > 0 {
		changes = append(changes, Change{Kind: Changed, Fields: fields})
	}
	later := b.lists()
	for i, l := range a.lists() {
		changes = merge(changes, l, later[i].rows)
	}
	return changes, nil
}

// merge appends the changes between two lists, in the order of their identifiers.
func merge(changes []Change, l list, later reflect.Value) []Change {
	index := l.shape.columns[l.shape.id].index
	id := func(rows reflect.Value, i int) string { return rows.Index(i).FieldByIndex(index).String() }
	for i, j := 0, 0; i < l.rows.Len() || j < later.Len(); {
		var order int
		switch {
		case i == l.rows.Len():
			order = 1
		case j == later.Len():
			order = -1
		default:
			order = cmp.Compare(id(l.rows, i), id(later, j))
		}
		switch {
		case order < 0:
			changes = append(changes, Change{Kind: Removed, Family: l.family, ID: id(l.rows, i)})
			i++
		case order > 0:
			changes = append(changes, Change{Kind: Added, Family: l.family, ID: id(later, j)})
			j++
		default:
			if fields := differ(l.shape, l.rows.Index(i), later.Index(j)); len(fields) > 0 {
				changes = append(changes, Change{Kind: Changed, Family: l.family, ID: id(l.rows, i), Fields: fields})
			}
			i, j = i+1, j+1
		}
	}
	return changes
}

// differ returns the fields in which two entries differ.
func differ(s *shape, a, b reflect.Value) []FieldChange {
	var fields []FieldChange
	for i, c := range s.columns {
		from, _ := s.get(a, i)
		to, _ := s.get(b, i)
		if !slices.Equal(from, to) {
			fields = append(fields, FieldChange{c.path, strings.Join(from, itemSeparator), strings.Join(to, itemSeparator)})
		}
	}
	return fields
}

// WriteChanges writes changes as text: + added, - removed, ~ changed.
func WriteChanges(w io.Writer, changes []Change) error {
	signs := map[Kind]string{Added: "+", Removed: "-", Changed: "~"}
	for _, c := range changes {
		name := c.Family + " " + c.ID
		if c.Family == "" {
			name = headerName
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", signs[c.Kind], name); err != nil {
			return err
		}
		for _, f := range c.Fields {
			if _, err := fmt.Fprintf(w, "    %s: %s -> %s\n", f.Path, orNone(f.Old), orNone(f.New)); err != nil {
				return err
			}
		}
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}
