// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest bounds a quotation of the document in a message, in characters.
const longest = 60

// clip bounds a text that comes from the document.
func clip(text string) string {
	if len(text) <= longest {
		return text
	}
	end := 0
	for range longest {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end += size; end >= len(text) {
			return text
		}
	}
	return text[:end] + "..."
}

// quoted returns a text of the document for a message.
func quoted(text string) string { return strconv.Quote(clip(text)) }

// some lists the first of many names.
func some(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}

// number formats a number of the document.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
