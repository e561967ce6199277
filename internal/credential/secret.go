// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"fmt"
	"log/slog"
)

// redacted replaces a secret in all output.
const redacted = "[redacted]"

// Secret is a text that must not reach a log, an error or a response. It prints as
// "[redacted]" in every format, encoding and log. Only [Secret.Reveal] returns the
// text, which makes its uses easy to find.
//
// fmt reads the unexported fields of a structure without calling their methods. A type
// with a Secret in an unexported field therefore needs its own Format method, or must
// keep the Secret behind a pointer.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (Secret) String() string { return redacted }

// GoString hides the text from %#v.
func (Secret) GoString() string { return redacted }

// Format hides the text from every verb, %x and %q included.
func (Secret) Format(state fmt.State, _ rune) {
	// fmt reports write errors to its own caller.
	_, _ = state.Write([]byte(redacted))
}

// LogValue hides the text from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text from encoding/json, encoding/xml and YAML.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
