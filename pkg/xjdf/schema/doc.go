// SPDX-License-Identifier: Apache-2.0

// Package schema describes the vocabulary of XJDF 2.2 and XJMF 2.2: to editors, which complete
// and check documents, as an XML Schema and a JSON Schema, and to readers, one name at a time.
//
// The schemas are generated from the tables of package vocabulary. They express what a
// schema can: names, places, numbers and datatypes. Values of open lists are suggestions.
// Package validate also checks what the prose of the standard requires.
//
// Where the two languages differ, JSON Schema accepts more: it does not check that
// elements exclude each other, nor that IDs are unique.
package schema

import (
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// note returns the documentation of an element.
func note(e *vocabulary.Element) string { return "XJDF 2.2, " + e.Clause }

// attributeNote returns the unit, the replacement and the targets of an attribute, or "".
func attributeNote(a *vocabulary.Attribute) string {
	var notes []string
	if unit := a.Unit.String(); unit != "" {
		notes = append(notes, "Unit: "+unit+".")
	}
	if len(a.Targets) > 0 {
		notes = append(notes, "The ID of "+strings.Join(a.Targets, " or ")+".")
	}
	if a.Deprecated.Since != "" {
		notes = append(notes, deprecated(a.Deprecated))
	}
	return strings.Join(notes, " ")
}

func deprecated(d vocabulary.Deprecation) string {
	text := "Deprecated since " + d.Since
	if d.Use != "" {
		text += ": " + d.Use
	}
	return text + "."
}

// number formats a bound.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// listable reports whether a schema can express a list.
func listable(l *vocabulary.List) bool {
	return l != nil && (len(l.Values) > 0 || l.Pattern() != "")
}

// pattern returns the form of values that are not listed one by one, or "": that of the
// list or, where case does not count, its values in any case.
func pattern(l *vocabulary.List) string {
	if !l.Fold {
		return l.Pattern()
	}
	var out strings.Builder
	for i, value := range l.Values {
		if i > 0 {
			out.WriteByte('|')
		}
		for _, r := range value { // names of colours are letters
			out.WriteString("[" + strings.ToLower(string(r)) + strings.ToUpper(string(r)) + "]")
		}
	}
	return out.String()
}

// maxString is the longest string of the standard, in characters (A.1).
const maxString = 1023
