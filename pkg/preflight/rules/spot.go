// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// spotNames checks each name, and finds names for the same ink.
func spotNames(in *input) []observation {
	var out []observation
	first := map[string]string{}
	for _, ink := range in.doc.Inks {
		if ink.Kind != facts.Spot {
			continue
		}
		if fault := nameFault(ink.Name); fault != "" {
			out = append(out, used(&ink.Uses, nil, "", message{variant: fault, values: values{"ink": ink.Name}}))
			continue
		}
		key := inkKey(ink.Name)
		other, known := first[key]
		if !known {
			first[key] = ink.Name
			continue
		}
		out = append(out, used(&ink.Uses, nil, "", message{variant: "duplicate", values: values{"first": other, "ink": ink.Name}}))
	}
	return out
}

// nameFault returns the variant of the message about a faulty name, or "".
func nameFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "empty"
	case !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) || strings.ContainsFunc(name, unicode.IsControl):
		return "unreadable"
	case strings.TrimSpace(name) != name:
		return "edges"
	case strings.Contains(name, "  "):
		return "spaces"
	}
	return ""
}

// inkKey returns the same key for two spellings of one ink: case, blanks, the name of
// the book and the letters for the paper do not count.
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
		// Convert 185c to 185.
		digits := strings.TrimRightFunc(words[last], unicode.IsLetter)
		if digits != words[last] && numeric(digits) && paper(words[last][len(digits):]) {
			words[last] = digits
		}
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

func numeric(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}
