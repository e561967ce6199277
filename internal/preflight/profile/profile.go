// SPDX-License-Identifier: Apache-2.0

// Package profile says what a PDF is judged by.
//
// A [Profile] is a versioned YAML file in this package: it selects rules, gives
// each a severity and its threshold, and names the source of every threshold
// beside it. The report repeats name, version and digest, so that a verdict can
// be explained years later.
package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/preflight/report"
)

// ErrUnknown means that there is no profile of that name.
var ErrUnknown = errors.New("unknown preflight profile")

// ErrInvalid means that a profile's text is wrong.
var ErrInvalid = errors.New("invalid preflight profile")

// Profile is a set of rules with their settings.
type Profile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title"`
	// Description is a sentence for the person who chooses a profile.
	Description string `json:"description"`
	// Rules maps the id of each selected rule to its setting. Rules that say
	// whether the file could be read at all need no selection.
	Rules map[string]Setting `json:"rules"`
	// Digest is the SHA-256 of the YAML text, in lower-case hexadecimal.
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
	// Source says where limit and tolerance come from.
	Source string `json:"source"`
}

// maxText bounds the YAML of a profile.
const maxText = 256 << 10

// Parse reads a profile. Unknown members, a missing name, version, title or
// source and an unknown severity are refused with [ErrInvalid].
func Parse(text []byte) (Profile, error) {
	if len(text) > maxText {
		return Profile{}, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, maxText)
	}
	var p Profile
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		return Profile{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if p.Name == "" || p.Version == "" || p.Title == "" || p.Description == "" {
		return Profile{}, fmt.Errorf("%w: name, version, title and description are required", ErrInvalid)
	}
	for id, setting := range p.Rules {
		if _, err := report.ParseSeverity(string(setting.Severity)); err != nil {
			return Profile{}, fmt.Errorf("%w: rule %s: %w", ErrInvalid, id, err)
		}
		if setting.Source == "" {
			return Profile{}, fmt.Errorf("%w: rule %s names no source", ErrInvalid, id)
		}
		if setting.Tolerance < 0 || setting.Limit != nil && *setting.Limit < 0 {
			return Profile{}, fmt.Errorf("%w: rule %s has a negative number", ErrInvalid, id)
		}
	}
	digest := sha256.Sum256(text)
	p.Digest = hex.EncodeToString(digest[:])
	return p, nil
}
