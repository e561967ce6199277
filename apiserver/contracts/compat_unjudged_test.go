// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/diff"
)

// unjudged returns the changes for which oasdiff has no rule. `oasdiff checks changelog coverage`
// lists most of them as waived. Every change without a decision in this file counts as a break.
func unjudged(report *diff.Diff) []contractBreak {
	w := &walk{seen: map[visit]bool{}}
	w.changed("servers", report.ServersDiff != nil, "they have changed")
	w.changed("webhooks", report.WebhooksDiff != nil, "they have changed")
	if c := report.ComponentsDiff; c != nil && c.SecuritySchemesDiff != nil {
		for _, name := range c.SecuritySchemesDiff.Deleted {
			w.changed("security scheme "+name, true, "it is gone")
		}
	}
	if report.PathsDiff == nil {
		return w.breaks
	}
	for path, item := range sorted(report.PathsDiff.Modified) {
		w.changed(path+": servers", item.ServersDiff != nil, "they have changed")
		if item.OperationsDiff == nil {
			continue
		}
		for method, operation := range sorted(item.OperationsDiff.Modified) {
			w.operation(method+" "+path, operation)
		}
	}
	return w.breaks
}

// walk collects breaks from a report of oasdiff.
type walk struct {
	breaks []contractBreak
	// seen ends the walk in a recursive schema.
	seen map[visit]bool
}

type visit struct {
	schema *diff.SchemaDiff
	sent   bool
}

func (w *walk) changed(where string, broken bool, format string, args ...any) {
	if broken {
		w.breaks = append(w.breaks, contractBreak{where, fmt.Sprintf(format, args...)})
	}
}

func (w *walk) operation(where string, d *diff.MethodDiff) {
	w.changed(where, d.ServersDiff != nil, "the servers have changed")
	w.changed(where, d.CallbacksDiff != nil, "the callbacks have changed")
	if d.ParametersDiff != nil {
		for in, parameters := range sorted(d.ParametersDiff.Modified) {
			for name, p := range sorted(parameters) {
				w.parameter(where+": "+in+" parameter "+name, p)
			}
		}
	}
	if d.RequestBodyDiff != nil {
		w.content(where+": request", d.RequestBodyDiff.ContentDiff, true)
	}
	if d.ResponsesDiff == nil {
		return
	}
	for status, r := range sorted(d.ResponsesDiff.Modified) {
		at := where + ": " + status
		if r.HeadersDiff != nil {
			for name, h := range sorted(r.HeadersDiff.Modified) {
				w.changed(at+": header "+name, h.ContentDiff != nil, "content has changed")
				w.keywords(at+": header "+name, h.SchemaDiff)
			}
		}
		if r.ContentDiff != nil {
			w.changed(at, len(r.Base.Content) == 0, "the response has a body now")
		}
		w.content(at, r.ContentDiff, false)
	}
}

func (w *walk) parameter(where string, d *diff.ParameterDiff) {
	for member, changed := range map[string]bool{
		"style": d.StyleDiff != nil, "explode": d.ExplodeDiff != nil, "allowReserved": d.AllowReservedDiff != nil, "content": d.ContentDiff != nil,
	} {
		w.changed(where, changed, "%s has changed", member)
	}
	w.keywords(where, d.SchemaDiff, "Type", "Format", "Nullable", "Enum", "Pattern", "Default", "Required", "Properties")
}

// bounds and words list the schema keywords that oasdiff judges everywhere, and those that reject
// no value.
var (
	bounds = []string{"Min", "Max", "ExclusiveMin", "ExclusiveMax", "MinLength", "MaxLength", "MinItems", "MaxItems", "MultipleOf"}
	words  = []string{"Title", "Description", "Example", "Examples", "Extensions", "ExternalDocs", "Deprecated", "Comment", "ListOfTypes"}
)

// keywords requires that a schema differs only in keywords that oasdiff judges. In a parameter or
// a header oasdiff judges fewer keywords than in a body.
func (w *walk) keywords(where string, d *diff.SchemaDiff, judged ...string) {
	if d == nil {
		return
	}
	w.changed(where, isUnknown(d.ExtensionsDiff), "a keyword that OpenAPI does not define has changed")
	known := slices.Concat(judged, bounds, words)
	fields := reflect.ValueOf(*d)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		switch name {
		case "Base", "Revision", "BaseComponent", "RevisionComponent":
		default:
			changed := !fields.Field(i).IsZero() && !slices.ContainsFunc(known, func(k string) bool { return k+"Diff" == name })
			w.changed(where, changed, "%s is not compared", name)
		}
	}
}

func (w *walk) content(where string, d *diff.ContentDiff, sent bool) {
	if d == nil {
		return
	}
	for name, media := range sorted(d.MediaTypeModified) {
		w.changed(where+": "+name, media.EncodingsDiff != nil || media.ItemSchemaDiff != nil, "the encoding has changed")
		w.schema(where+": "+name, media.SchemaDiff, sent)
	}
}

// schema requires that a request accepts at least what it accepted, and that a
// response contains at most what it contained.
func (w *walk) schema(where string, d *diff.SchemaDiff, sent bool) {
	if d == nil || w.seen[visit{d, sent}] {
		return
	}
	w.seen[visit{d, sent}] = true
	if d.Base == nil || d.Revision == nil {
		return // oasdiff judges added and removed schemas
	}
	// narrow accepts at most the values that wide accepts; a compatible change keeps this.
	wide, narrow := d.Revision, d.Base
	if !sent {
		wide, narrow = narrow, wide
	}
	w.changed(where, isUnknown(withoutEmpty(d)), "a keyword that OpenAPI does not define has changed")
	w.changed(where, d.NotDiff != nil && wide.Not != nil, "not is not compared")
	for _, name := range wide.Required {
		// Only another part of allOf declares the member.
		w.changed(where, !slices.Contains(narrow.Required, name) && wide.Properties[name] == nil, "%s is required", name)
	}
	w.changed(where, wide.Items != nil && narrow.Items == nil, "items accepts fewer values")
	w.changed(where, len(wide.OneOf) > 0 && len(narrow.OneOf) == 0 || len(wide.AnyOf) > 0 && len(narrow.AnyOf) == 0,
		"the alternatives are not compared with the schema without them")
	w.changed(where, d.OneOfDiff != nil && overlap(wide.OneOf), "a value may match more than one alternative of oneOf")
	w.changed(where, openness(wide) < openness(narrow), "additionalProperties accepts fewer members")
	if d.PropertiesDiff != nil {
		// A new member previously had to match additionalProperties.
		added, deleted := d.PropertiesDiff.Added, d.PropertiesDiff.Deleted
		w.changed(where, len(added) > 0 && (openness(d.Base) == typed || !sent && openness(d.Base) == closed),
			"%q are new, and additionalProperties did not allow them", added)
		w.changed(where, len(deleted) > 0 && openness(d.Revision) == typed, "%q are gone, and additionalProperties is not compared with them", deleted)
		for name, property := range sorted(d.PropertiesDiff.Modified) {
			w.schema(where+"/"+name, property, sent)
		}
	}
	w.schema(where+"/*", d.ItemsDiff, sent)
	w.schema(where+"/(others)", d.AdditionalPropertiesDiff, sent)
	for _, parts := range []*diff.SubschemasDiff{d.AllOfDiff, d.AnyOfDiff, d.OneOfDiff} {
		if parts != nil {
			for _, part := range parts.Modified {
				w.schema(where, part.Diff, sent)
			}
		}
	}
}

// isUnknown reports whether a changed keyword is defined neither by JSON Schema nor by OpenAPI.
// Names that begin with x- are annotations.
func isUnknown(d *diff.ExtensionsDiff) bool {
	if d == nil {
		return false
	}
	names := slices.Concat(d.Added, d.Deleted, slices.Collect(maps.Keys(d.Modified)))
	return slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "x-") })
}

// withoutEmpty returns the changed keywords of a schema, except removed keywords
// without a value: they are the second half of an unquoted text that was cut at a
// comma, as in {description: A number, or text.}.
func withoutEmpty(d *diff.SchemaDiff) *diff.ExtensionsDiff {
	if d.ExtensionsDiff == nil {
		return nil
	}
	changed := *d.ExtensionsDiff
	changed.Deleted = slices.DeleteFunc(slices.Clone(changed.Deleted), func(name string) bool { return d.Base.Extensions[name] == nil })
	return &changed
}

// The treatment of members that an object schema does not name.
const (
	closed = iota
	typed
	open
)

func openness(s *openapi3.Schema) int {
	switch others := s.AdditionalProperties; {
	case others.Schema != nil:
		return typed
	case others.Has != nil && !*others.Has:
		return closed
	default:
		return open
	}
}

// overlap reports whether two alternatives may accept the same value.
func overlap(alternatives openapi3.SchemaRefs) bool {
	for i, one := range alternatives {
		for _, other := range alternatives[:i] {
			if !apart(one.Value, other.Value) {
				return true
			}
		}
	}
	return false
}

// apart reports whether two schemas certainly have no common value: by their types, their listed
// values, or a required member that differs.
func apart(one, other *openapi3.Schema) bool {
	types, others := one.Type.Slice(), other.Type.Slice()
	same := func(name string) bool {
		return slices.Contains(others, name) || name == "integer" && slices.Contains(others, "number") ||
			name == "number" && slices.Contains(others, "integer")
	}
	if len(types) > 0 && len(others) > 0 && !slices.ContainsFunc(types, same) {
		return true
	}
	if a, b := values(one), values(other); a != nil && b != nil {
		return !slices.ContainsFunc(a, func(v any) bool { return slices.ContainsFunc(b, func(w any) bool { return reflect.DeepEqual(v, w) }) })
	}
	return slices.ContainsFunc(one.Required, func(name string) bool {
		a, b := one.Properties[name], other.Properties[name]
		return slices.Contains(other.Required, name) && a != nil && b != nil && values(a.Value) != nil && apart(a.Value, b.Value)
	})
}

// values returns the values that a schema lists, or nil.
func values(s *openapi3.Schema) []any {
	if s.Const != nil {
		return []any{s.Const}
	}
	return s.Enum
}

// sorted yields a map in the order of its keys.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}
