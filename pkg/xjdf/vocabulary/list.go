// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"regexp"
	"strings"
)

// List is a list of values. A closed list is an enumeration: a value outside
// is an error. An open list holds the preferred values of a name token: others
// may be used, so a value outside is at most worth a question.
type List struct {
	Name   string
	Clause string
	Closed bool
	// Fold means that case does not count: the names of colours, and only
	// they.
	Fold   bool
	Values []string

	values     map[string]struct{}
	deprecated map[string]Deprecation
	synonyms   map[string]string
	pattern    *regexp.Regexp
}

// Deprecation says since which version something is not to be used any more,
// and what to use instead. The zero value means: not deprecated.
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

// Deprecated says whether a value that is in the list is not to be used in new
// documents.
func (l *List) Deprecated(value string) (Deprecation, bool) {
	d, ok := l.deprecated[value]
	return d, ok
}

// Nearest is the value that somebody who wrote the given one most likely
// meant: the one that the trade, or version 1 of the standard, has that other
// word for ("Flyer" is a Leaflet), or the one that [Nearest] finds.
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
