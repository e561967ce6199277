// SPDX-License-Identifier: Apache-2.0

// Package profile selects the rules that a PDF is judged by.
//
// A [Profile] is a versioned YAML file in this package: it selects rules, sets the
// severity and the limit of each, and names the source of every limit. A profile may
// extend another one and then contains only the differences. The report repeats name,
// version and digest, so that a verdict can be explained years later.
package profile

import (
	"errors"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// ErrUnknown means that a profile does not exist.
var ErrUnknown = errors.New("unknown preflight profile")

// ErrInvalid means that the text of a profile is invalid.
var ErrInvalid = errors.New("invalid preflight profile")

// Profile is a complete set of rules with their settings, including those of the
// profile that it extends.
type Profile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title"`
	// Description is a sentence that helps to choose a profile.
	Description string `json:"description"`
	// Rules maps the id of each selected rule to its setting. Rules about reading the
	// file need no selection.
	Rules map[string]Setting `json:"rules"`
	// Inks maps names of inks to their roles, where the names do not state them. An empty role is
	// artwork.
	Inks map[string]report.Role `json:"inks,omitempty"`
	// Digest is the SHA-256 of the profile as JSON with sorted members, in
	// lower-case hexadecimal, without this member. It changes when a profile that it extends does.
	Digest string `json:"digest,omitempty"`
}

// Setting holds the settings of one rule in a profile.
type Setting struct {
	Severity report.Severity `json:"severity"`
	// Limit is the value that the rule compares with, in the rule's unit; nil for a
	// rule without a limit.
	Limit *float64 `json:"limit,omitempty"`
	// Tolerance is the amount by which a value may miss the limit.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Area is the least faulty area of a page, in square millimetres.
	Area float64 `json:"area,omitempty"`
	// Source names the source of the numbers, or of the choice of the rule.
	Source string `json:"source"`
}
