// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"regexp"
	"strings"
)

// List is a list of values. A closed list is an enumeration: a value outside is an
// error. An open list contains the preferred values of a name token: others are allowed.
type List struct {
	Name   string
	Clause string
	Closed bool
	// Fold reports whether case does not count, which holds for the names of colours.
	Fold   bool
	Values []string

	values     map[string]struct{}
	deprecated map[string]Deprecation
	synonyms   map[string]string
	pattern    *regexp.Regexp
}

// Deprecation is the version since which an item is deprecated, and its replacement. The
// zero value is not deprecated.
type Deprecation struct {
	Since string
	Use   string
}

// Has reports whether the value is in the list, or has the form that the list
// describes.
func (l *List) Has(value string) bool {
	if _, ok := l.values[value]; ok {
		return true
	}
	if l.Fold && indexFold(l.Values, value) >= 0 {
		return true
	}
	return l.pattern != nil && l.pattern.MatchString(value)
}

// Pattern is the form of values that are too many to list, such as F16-6 of
// the fold catalogue; empty if the values are all listed.
func (l *List) Pattern() string {
	if l.pattern == nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(l.pattern.String(), `\A(?:`), `)\z`)
}

// Deprecated reports whether a value of the list is deprecated.
func (l *List) Deprecated(value string) (Deprecation, bool) {
	d, ok := l.deprecated[value]
	return d, ok
}

// Nearest returns the value of the list that fits a given value best. It knows the
// synonyms of the trade and of version 1 of the standard ("Flyer" is a Leaflet), and
// otherwise calls [Nearest].
func (l *List) Nearest(value string) (string, bool) {
	if meant, ok := l.synonyms[strings.ToLower(value)]; ok {
		return meant, true
	}
	return Nearest(value, l.Values)
}

func indexFold(values []string, value string) int {
	for i, v := range values {
		if strings.EqualFold(v, value) {
			return i
		}
	}
	return -1
}
