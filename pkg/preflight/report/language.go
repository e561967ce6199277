// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
)

// Languages lists the languages of reports as tags of BCP 47, the default first.
func Languages() []string { return texts.Codes() }

// LanguageName returns the name of one of [Languages] in that language.
func LanguageName(language string) string { return texts.In(language).Report("languageName") }

// MatchLanguage returns the language that fits an Accept-Language field (RFC 9110,
// 12.5.4) best. An empty or malformed field and unknown languages select English.
func MatchLanguage(acceptLanguage string) string { return texts.Match(acceptLanguage) }

// Localize returns the report with its messages and hints in a language: one of
// [Languages]. The result depends on its arguments only. A finding keeps its stored
// texts if its message is unknown or its parameters do not fit, as in a report of a
// later version. A report without a language, of version 1.0, stays as it is.
func Localize(r Report, language string) Report {
	in := texts.In(language)
	if r.Language == "" || r.Language == in.Code() {
		return r
	}
	r.Language = in.Code()
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		sentence, fits := in.Message(f.MessageID, f.Parameters)
		if !fits {
			continue
		}
		f.Message = sentence
		if f.FixHint != "" {
			f.FixHint = in.Fix(f.Rule)
		}
	}
	return r
}

// texts returns the texts of the report's language.
func (r *Report) texts() *texts.Language { return texts.In(r.Language) }

// Parameters are the values in a message by name. A value is a string, a float64 or a
// list of strings. Words that a language translates are stable tokens, such as "top".
type Parameters map[string]any

// The bounds of parameters. The engine stays below them.
const (
	maxMessageID      = 100
	maxParameters     = 20
	maxParameterList  = 20
	maxParameterBytes = 4 << 10
)

var parameterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][A-Za-z0-9_]{0,39}$`) }) // constant

// UnmarshalJSON rejects other values than strings, numbers and lists of strings, and
// values beyond the bounds.
func (p *Parameters) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if len(raw) > maxParameters {
		return fmt.Errorf("%w: %d parameters, want at most %d", ErrInvalid, len(raw), maxParameters)
	}
	out := make(Parameters, len(raw))
	for name, value := range raw {
		if !parameterName().MatchString(name) {
			return fmt.Errorf("%w: name of parameter %.60q", ErrInvalid, name)
		}
		if len(value) > maxParameterBytes {
			return fmt.Errorf("%w: parameter %s is longer than %d bytes", ErrInvalid, name, maxParameterBytes)
		}
		parsed, err := parameter(value)
		if err != nil {
			return fmt.Errorf("%w: parameter %s: %w", ErrInvalid, name, err)
		}
		out[name] = parsed
	}
	*p = out
	return nil
}

// parameter decodes one value.
func parameter(data []byte) (any, error) {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case string, float64:
		return v, nil
	case []any:
		if len(v) > maxParameterList {
			return nil, fmt.Errorf("list of %d, want at most %d", len(v), maxParameterList)
		}
		list := make([]string, len(v))
		for i, element := range v {
			s, ok := element.(string)
			if !ok {
				return nil, fmt.Errorf("element %d is a %T, want a string", i, element)
			}
			list[i] = s
		}
		return list, nil
	}
	return nil, fmt.Errorf("%T, want a string, a number or a list of strings", value)
}
