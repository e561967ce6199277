// SPDX-License-Identifier: Apache-2.0

// Package profile says what a PDF is judged by.
//
// A [Profile] is a versioned YAML file in this package: it selects rules, gives
// each a severity and its threshold, and names the source of every threshold
// beside it. A profile may extend another one and then holds only what differs.
// The report repeats name, version and digest, so that a verdict can be
// explained years later.
package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// ErrUnknown means that there is no profile of that name.
var ErrUnknown = errors.New("unknown preflight profile")

// ErrInvalid means that a profile's text is wrong.
var ErrInvalid = errors.New("invalid preflight profile")

// Profile is a set of rules with their settings, complete: what it extends has
// been filled in.
type Profile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title"`
	// Description is a sentence for the person who chooses a profile.
	Description string `json:"description"`
	// Rules maps the id of each selected rule to its setting. Rules that say
	// whether the file could be read at all need no selection.
	Rules map[string]Setting `json:"rules"`
	// Digest is the SHA-256 of the profile as JSON with sorted members, in
	// lower-case hexadecimal. It changes when a profile that it extends does.
	Digest string `json:"-"`
}

// Setting is how a profile uses one rule.
type Setting struct {
	Severity report.Severity `json:"severity"`
	// Limit is the value that the rule compares with, in the rule's unit; nil
	// for a rule that compares nothing.
	Limit *float64 `json:"limit,omitempty"`
	// Tolerance is how far a value may miss the limit.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Area is how much of a page must be wrong, in square millimetres.
	Area float64 `json:"area,omitempty"`
	// Source says where the numbers, or the choice of the rule, come from.
	Source string `json:"source"`
}

// digest is that of the profile as JSON: encoding/json sorts the keys of maps.
func (p *Profile) digest() (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
