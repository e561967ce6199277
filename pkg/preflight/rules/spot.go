// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// spotNames looks at each name by itself and at names that mean the same ink.
func spotNames(q *question) []observation {
	var out []observation
	first := map[string]string{}
	for _, ink := range q.doc.Inks {
		if ink.Kind != facts.Spot {
			continue
		}
		if fault := nameFault(ink.Name); fault != "" {
			out = append(out, used(&ink.Uses, nil, "", fmt.Sprintf("The name of the spot colour %q %s.", ink.Name, fault)))
			continue
		}
		key := inkKey(ink.Name)
		other, known := first[key]
		if !known {
			first[key] = ink.Name
			continue
		}
		out = append(out, used(&ink.Uses, nil, "", fmt.Sprintf("The spot colours %s and %s look like one ink under two names; they would become two plates.", other, ink.Name)))
	}
	return out
}

// nameFault says what is wrong with a name by itself.
func nameFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) || strings.ContainsFunc(name, unicode.IsControl):
		return "has characters that cannot be read"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a blank"
	case strings.Contains(name, "  "):
		return "has several blanks in a row"
	}
	return ""
}

// inkKey is the same for two spellings of one ink: case, blanks, the name of the
// book and the letters for the paper do not count.
func inkKey(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return unicode.IsSpace(r) || r == '_' || r == '-' })
	book := false
	if len(words) > 1 && (words[0] == "pantone" || words[0] == "pms") {
		words, book = words[1:], true
	}
	last := len(words) - 1
	if last > 0 && paper(words[last]) && (book || numeric(words[last-1])) {
		words = words[:last]
	} else if last >= 0 {
		words[last] = withoutPaper(words[last])
	}
	return strings.Join(words, "")
}

// paper reports whether a word is one of the letters of colour books for coated,
// uncoated and matte paper.
func paper(word string) bool {
	switch word {
	case "c", "u", "m", "cv", "cvc", "cvu", "cvp", "cp", "up", "ec", "hc":
		return true
	}
	return false
}

// withoutPaper turns 185c into 185.
func withoutPaper(word string) string {
	digits := strings.TrimRightFunc(word, unicode.IsLetter)
	if digits != word && numeric(digits) && paper(word[len(digits):]) {
		return digits
	}
	return word
}

func numeric(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}
