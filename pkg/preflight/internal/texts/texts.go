// SPDX-License-Identifier: Apache-2.0

// Package texts is the message catalogue of preflight: every text of a rule and of a
// report in each language, side by side.
//
// A text contains its parameters by name: {value} is a string, a number or a list,
// and {edges:edge} selects a form of a group for a parameter. Numbers are formatted
// by the language, so parameters carry values and stable tokens, never words.
package texts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
	"golang.org/x/text/number"
)

// text is one text in each language.
type text struct{ en, de string }

// rule holds the texts of a rule.
type rule struct {
	id         string
	title, fix text
	// messages are the sentences of findings by variant, "" for the main one.
	messages map[string]text
}

// one returns the messages of a rule with a single variant.
func one(en, de string) map[string]text { return map[string]text{"": {en, de}} }

// all returns the texts of all rules.
func all() []rule {
	return slices.Concat(reading, documents, pdfx, pages, paints, barcodes, packagings, viewers)
}

// The codes of the languages.
const (
	English = "en"
	German  = "de"
)

// Codes lists the languages, the default first.
func Codes() []string { return []string{English, German} }

var matcher = sync.OnceValue(func() language.Matcher {
	return language.NewMatcher([]language.Tag{language.English, language.German})
})

// Match returns the code of the language that fits an Accept-Language field (RFC 9110,
// 12.5.4) best. It returns English for an empty or malformed field, and for languages
// that the catalogue does not have.
func Match(acceptLanguage string) string {
	const maxField = 512
	if acceptLanguage == "" || len(acceptLanguage) > maxField {
		return English
	}
	tags, weights, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return English
	}
	// ParseAcceptLanguage keeps languages of weight 0, which are not acceptable.
	for len(tags) > 0 && weights[len(tags)-1] == 0 {
		tags = tags[:len(tags)-1]
	}
	if _, index, confidence := matcher().Match(tags...); confidence != language.No {
		return Codes()[index]
	}
	return English
}

// Language formats the texts of one language. It is safe for concurrent use.
type Language struct {
	code string
	// of returns a text in the language.
	of func(text) string
	// printer formats numbers and plurals.
	printer func() *message.Printer
}

// parameter is a parameter of a text with its group, "" for its plain value.
type parameter struct{ name, group string }

var languages = map[string]*Language{
	English: newLanguage(English, language.English, func(t text) string { return t.en }),
	German:  newLanguage(German, language.German, func(t text) string { return t.de }),
} // constant

// In returns the language of a code, or English for an unknown code.
func In(code string) *Language {
	if l, ok := languages[code]; ok {
		return l
	}
	return languages[English]
}

func newLanguage(code string, tag language.Tag, of func(text) string) *Language {
	return &Language{code: code, of: of, printer: sync.OnceValue(func() *message.Printer { return printer(tag, of) })}
}

// ruleIndex finds the rules by their ids, and all messages by theirs.
type ruleIndex struct {
	rules    map[string]*rule
	messages map[string]text
}

// index returns the index of all rules.
var index = sync.OnceValue(func() ruleIndex {
	rules := all()
	found := ruleIndex{rules: make(map[string]*rule, len(rules)), messages: make(map[string]text, 2*len(rules))}
	for i := range rules {
		r := &rules[i]
		found.rules[r.id] = r
		for variant, t := range r.messages {
			found.messages[MessageID(r.id, variant)] = t
		}
	}
	return found
}) // constant

// formsOf returns the forms of a group, or nil if they are plural forms.
func formsOf(name string) group {
	forms := groups()[name]
	if _, isPlural := forms["other"]; isPlural {
		return nil
	}
	return forms
}

// printer returns the printer of the numbers and plurals of a language. It panics on an invalid plural,
// which the tests of the package find.
func printer(tag language.Tag, of func(text) string) *message.Printer {
	builder := catalog.NewBuilder(catalog.Fallback(tag))
	for name, forms := range groups() {
		if _, isPlural := forms["other"]; !isPlural {
			continue
		}
		cases := []any{}
		for _, form := range []string{"one", "other"} {
			cases = append(cases, form, strings.ReplaceAll(of(forms[form]), "{n}", "%[2]s"))
		}
		if err := builder.Set(tag, "plural:"+name, plural.Selectf(1, "%d", cases...)); err != nil {
			panic(fmt.Sprintf("plural %s: %v", name, err))
		}
	}
	return message.NewPrinter(tag, message.Catalog(builder))
}

// parts returns the literal parts of a text with parameters in braces, and the parameters between them.
func parts(s string) (literals []string, parameters []parameter) {
	for {
		before, rest, found := strings.Cut(s, "{")
		literals = append(literals, before)
		if !found {
			return literals, parameters
		}
		inner, after, _ := strings.Cut(rest, "}")
		name, group, _ := strings.Cut(inner, ":")
		parameters = append(parameters, parameter{name, group})
		s = after
	}
}

// MessageID returns the id of a message: the id of its rule, and the variant if the
// rule has several.
func MessageID(rule, variant string) string {
	if variant == "" {
		return rule
	}
	return rule + "." + variant
}

// Code returns the language as a tag of BCP 47.
func (l *Language) Code() string { return l.code }

// Title returns the title of a rule, or "" for an unknown rule.
func (l *Language) Title(rule string) string {
	if r := index().rules[rule]; r != nil {
		return l.of(r.title)
	}
	return ""
}

// Fix returns the hint how to fix a finding of a rule, or "" for an unknown rule.
func (l *Language) Fix(rule string) string {
	if r := index().rules[rule]; r != nil {
		return l.of(r.fix)
	}
	return ""
}

// Message formats the message of a finding. It returns false for an unknown message
// and for parameters that do not fit it.
func (l *Language) Message(id string, values map[string]any) (string, bool) {
	t, known := index().messages[id]
	if !known {
		return "", false
	}
	return l.format(t, values, 0)
}

// Report formats a text of the report. Names and values of parameters alternate. It
// panics for an unknown text or parameters that do not fit it.
func (l *Language) Report(id string, pairs ...any) string {
	values := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		value := pairs[i+1]
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		values[pairs[i].(string)] = value //nolint:forcetypeassert // a fault of the caller
	}
	t, known := reports()[id]
	out, fits := l.format(t, values, 0)
	if !known || !fits {
		panic("no text " + id + " with the parameters " + fmt.Sprint(values))
	}
	return out
}

// Term returns the form of a token, or the token itself when the group does not have it.
func (l *Language) Term(group, token string) string {
	if t, known := formsOf(group)[token]; known {
		if out, fits := l.format(t, nil, 0); fits {
			return out
		}
	}
	return token
}

// Plural formats a number with the noun of a group.
func (l *Language) Plural(group string, n int) string {
	return l.printer().Sprintf(message.Key("plural:"+group, ""), n, l.Number(float64(n), 0))
}

// maxCount is the highest number that takes a plural form; a float64 holds it exactly.
const maxCount = 1 << 53

// maxDepth bounds forms that contain parameters with forms.
const maxDepth = 3

func (l *Language) format(t text, values map[string]any, depth int) (string, bool) {
	if depth > maxDepth {
		return "", false
	}
	literals, parameters := parts(l.of(t))
	var out strings.Builder
	out.WriteString(literals[0])
	for i, p := range parameters {
		arg, fits := l.argument(p, values, depth)
		if !fits {
			return "", false
		}
		out.WriteString(arg)
		out.WriteString(literals[i+1])
	}
	return out.String(), true
}

// argument formats one parameter.
func (l *Language) argument(p parameter, values map[string]any, depth int) (string, bool) {
	value, present := values[p.name]
	switch p.group {
	case "": // a value as it is
		switch v := value.(type) {
		case string:
			return v, true
		case float64:
			return l.Number(v, 3), true
		case []string:
			n, _ := values[p.name+"Omitted"].(float64)
			return l.List(v, int(min(max(n, 0), math.MaxInt32))), true
		}
		return "", false
	case "quoted":
		s, ok := value.(string)
		return strconv.Quote(s), ok
	case "version":
		n, ok := value.(float64)
		return strconv.FormatFloat(n, 'f', 1, 64), ok
	}
	forms := formsOf(p.group)
	if n, isNumber := value.(float64); isNumber && forms == nil {
		if n != math.Trunc(n) || math.Abs(n) > maxCount {
			return "", false
		}
		return l.Plural(p.group, int(n)), true
	}
	token := ""
	switch v := value.(type) {
	case []string:
		out := make([]string, len(v))
		for i, token := range v {
			t, known := forms[token]
			if !known {
				return "", false
			}
			s, fits := l.format(t, values, depth+1)
			if !fits {
				return "", false
			}
			out[i] = s
		}
		return l.List(out, 0), len(out) > 0
	case string:
		token = v
	case float64:
		token = "*"
	default:
		if present {
			return "", false
		}
	}
	t, known := forms[token]
	if !known {
		if t, known = forms["*"]; !known {
			return "", false
		}
	}
	return l.format(t, values, depth+1)
}

// List joins names, and the number of omitted ones, in a sentence.
func (l *Language) List(names []string, omitted int) string {
	if omitted > 0 {
		names = append(slices.Clone(names), l.Plural("moreNames", omitted))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + l.of(reports()["and"]) + names[len(names)-1]
}

// Number formats a number with at most so many decimals, without trailing zeros.
func (l *Language) Number(v float64, decimals int) string {
	return l.printer().Sprint(number.Decimal(v, number.MaxFractionDigits(decimals), number.NoSeparator()))
}

// Messages returns the ids of all messages in alphabetical order.
func Messages() []string {
	var ids []string
	for _, r := range all() {
		for variant := range r.messages {
			ids = append(ids, MessageID(r.id, variant))
		}
	}
	slices.Sort(ids)
	return ids
}

// Parameters returns the names of the parameters of a message, in alphabetical order,
// and those of them that may be missing.
func (l *Language) Parameters(id string) (names, optional []string) {
	found, mayMiss := map[string]bool{}, map[string]bool{}
	l.collect(index().messages[id], false, found, mayMiss, 0)
	for name := range found {
		delete(mayMiss, name)
	}
	return slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(mayMiss))
}

// collect adds the parameters of a text and of the forms that it can select.
func (l *Language) collect(t text, optional bool, found, mayMiss map[string]bool, depth int) {
	_, parameters := parts(l.of(t))
	for _, p := range parameters {
		_, missing := formsOf(p.group)[""]
		if optional || missing {
			mayMiss[p.name] = true
		} else {
			found[p.name] = true
		}
		if depth < maxDepth {
			for _, form := range formsOf(p.group) {
				l.collect(form, true, found, mayMiss, depth+1)
			}
		}
	}
}
