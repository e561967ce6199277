// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"fmt"
	"log/slog"
)

// redacted is what a secret looks like wherever it is printed.
const redacted = "[redacted]"

// Secret is a text that must not reach a log, an error or an answer. However
// it is formatted, marshalled or logged, it prints as "[redacted]"; only
// [Secret.Reveal] gives the text away, which makes its uses easy to find.
//
// The trap: fmt reads the unexported fields of a structure without asking their
// methods. A type that keeps a Secret in one must have a Format method of its
// own, or keep it behind a pointer.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (Secret) String() string { return redacted }

// GoString hides the text from %#v.
func (Secret) GoString() string { return redacted }

// Format hides the text from every verb, %x and %q included.
func (Secret) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = state.Write([]byte(redacted))
}

// LogValue hides the text from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text from encoding/json, encoding/xml and YAML.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
