// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/money"
)

// shape describes the values that an entry of a list may have. It is derived from the JSON
// names of its Go type, so that new fields need no change here.
type shape struct {
	columns []column
	root    *member
	// required has a bit for each required column.
	required uint64
	// id is the column of the identifier.
	id int
}

// column is a value of an entry.
type column struct {
	// path lists the names from the entry down, separated by points.
	path  string
	index []int
	kind  kind
}

// member is a name in a mapping: a column, or a mapping of more names.
type member struct {
	column  int // -1 for a mapping
	members map[string]*member
	names   []string
	// order is the position among the names of its parent.
	order int
}

// kind is the type of a value.
type kind int

const (
	textKind kind = iota
	decimalKind
	wholeKind
	flagKind
	textsKind
	wholesKind
	decimalsKind
)

func (k kind) String() string {
	return [...]string{"text", "decimal", "whole number", "true or false", "texts", "whole numbers", "decimals"}[k]
}

func (k kind) list() bool { return k == textsKind || k == wholesKind || k == decimalsKind }

// shapeOf returns the shape of a struct type with at most 64 values.
func shapeOf(t reflect.Type) *shape {
	s := &shape{root: &member{column: -1, members: map[string]*member{}}}
	s.add(s.root, t, "", nil, true)
	s.id = slices.IndexFunc(s.columns, func(c column) bool { return c.path == "id" || c.path == "uid" })
	return s
}

// add adds the fields of a struct type to a mapping.
func (s *shape) add(into *member, t reflect.Type, prefix string, index []int, required bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, omit, _ := strings.Cut(field.Tag.Get("json"), ",")
		m := &member{column: -1, order: i}
		into.members[name], into.names = m, append(into.names, name)
		at := append(slices.Clone(index), i)
		if field.Type.Kind() == reflect.Struct {
			m.members = map[string]*member{}
			s.add(m, field.Type, prefix+name+".", at, required && omit == "")
			continue
		}
		m.column = len(s.columns)
		if required && omit == "" {
			s.required |= 1 << m.column
		}
		s.columns = append(s.columns, column{path: prefix + name, index: at, kind: kindOf(field.Type)})
	}
}

func kindOf(t reflect.Type) kind {
	switch {
	case t == reflect.TypeFor[money.Decimal]():
		return decimalKind
	case t == reflect.TypeFor[[]string]():
		return textsKind
	case t == reflect.TypeFor[[]int64]():
		return wholesKind
	case t == reflect.TypeFor[[]money.Decimal]():
		return decimalsKind
	case t.Kind() == reflect.Bool:
		return flagKind
	case t.Kind() == reflect.Int64:
		return wholeKind
	default:
		return textKind
	}
}

func (s *shape) paths() []string {
	paths := make([]string, len(s.columns))
	for i, c := range s.columns {
		paths[i] = c.path
	}
	return paths
}

// column returns the index of the column with a path, or -1.
func (s *shape) column(path string) int {
	return slices.IndexFunc(s.columns, func(c column) bool { return c.path == path })
}

// form is the notation of a value in its file.
type form int

const (
	plain    form = iota // a cell, or a YAML scalar without quotes
	quoted               // always a text
	number               // a JSON number
	boolean              // a JSON true or false
	nothing              // null
	sequence             // a list of values
)

// value is the value of a column as written in a file.
type value struct {
	form  form
	text  string
	items []value
}

// maxItems bounds a list within an entry.
const maxItems = 100

// put sets a value of an entry, and returns the reason if the value is invalid.
func (c *column) put(entry reflect.Value, v value) string {
	target := entry.FieldByIndex(c.index)
	if !c.kind.list() {
		return putOne(target, c.kind, v)
	}
	if v.form != sequence {
		return fmt.Sprintf("is a list of %s", c.kind)
	}
	if len(v.items) > maxItems {
		return fmt.Sprintf("%d of them; at most %d are taken", len(v.items), maxItems)
	}
	of := map[kind]kind{textsKind: textKind, wholesKind: wholeKind, decimalsKind: decimalKind}[c.kind]
	list := reflect.MakeSlice(target.Type(), len(v.items), len(v.items))
	for i, item := range v.items {
		if reason := putOne(list.Index(i), of, item); reason != "" {
			return reason
		}
	}
	target.Set(list)
	return ""
}

// putOne sets a single value, and returns the reason if it is invalid.
func putOne(target reflect.Value, k kind, v value) string {
	switch {
	case v.form == sequence:
		return fmt.Sprintf("is one %s, not a list", k)
	case v.form == nothing:
		return "null is no value: leave it out, or write a text in quotes"
	case len(v.text) > MaxScalar:
		return fmt.Sprintf("%d bytes; at most %d are read", len(v.text), MaxScalar)
	}
	switch k {
	case decimalKind:
		d, err := money.ParseDecimal(v.text)
		if err != nil || v.form == boolean {
			return fmt.Sprintf("%.60q is no decimal number such as 12.5: digits, a point, at most %d places", v.text, money.Places)
		}
		target.SetInt(int64(d))
		return ""
	case wholeKind:
		n, err := strconv.ParseInt(v.text, 10, 64)
		// Another spelling than the canonical one may have another meaning, such as an
		// octal number of YAML 1.1.
		if err != nil || strconv.FormatInt(n, 10) != v.text {
			return fmt.Sprintf("%.60q is no whole number", v.text)
		}
		target.SetInt(n)
		return ""
	case flagKind:
		if v.form == quoted || v.form == number || v.text != "true" && v.text != "false" {
			return fmt.Sprintf("%.60q is neither true nor false", v.text)
		}
		target.SetBool(v.text == "true")
		return ""
	case textKind, textsKind, wholesKind, decimalsKind:
	}
	if v.form == number || v.form == boolean {
		return "is a text, which stands in quotes"
	}
	target.SetString(v.text)
	return ""
}

// get returns the texts of a value. ok is false if the value need not be written.
func (s *shape) get(entry reflect.Value, i int) (texts []string, ok bool) {
	c := &s.columns[i]
	source := entry.FieldByIndex(c.index)
	if source.IsZero() && s.required&(1<<i) == 0 {
		return nil, false
	}
	if !c.kind.list() {
		return []string{one(source, c.kind)}, true
	}
	for item := range source.Len() {
		texts = append(texts, one(source.Index(item), c.kind))
	}
	return texts, len(texts) > 0
}

// one returns the text of a single value.
func one(source reflect.Value, k kind) string {
	switch k {
	case decimalKind, decimalsKind:
		return money.Decimal(source.Int()).String()
	case wholeKind, wholesKind:
		return strconv.FormatInt(source.Int(), 10)
	case flagKind:
		return strconv.FormatBool(source.Bool())
	case textKind, textsKind:
	}
	return source.String()
}
