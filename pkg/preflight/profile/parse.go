// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

const (
	// maxText bounds the YAML of a profile.
	maxText = 256 << 10
	// maxExtends bounds a chain of profiles that extend each other.
	maxExtends = 4
)

// text is the YAML of a profile.
type text struct {
	Name        string           `json:"name"`
	Version     string           `json:"version"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Extends     string           `json:"extends"`
	Rules       map[string]delta `json:"rules"`
}

// delta is the entry of a profile for one rule. Missing fields are as in the profile
// that it extends.
type delta struct {
	Severity  severity `json:"severity"`
	Limit     *float64 `json:"limit"`
	Tolerance *float64 `json:"tolerance"`
	Area      *float64 `json:"area"`
	Source    string   `json:"source"`
}

// severity is a severity of a report, or off, which deselects a rule.
type severity report.Severity

const off severity = "off"

// UnmarshalJSON accepts off and false: YAML reads a bare off as false.
func (s *severity) UnmarshalJSON(data []byte) error {
	var name string
	if err := json.Unmarshal(data, &name); err != nil {
		return fmt.Errorf("severity: %w", err)
	}
	if name == string(off) || name == "false" {
		*s = off
		return nil
	}
	parsed, err := report.ParseSeverity(name)
	*s = severity(parsed)
	return err
}

// Parse reads a profile, which may extend an embedded one. It returns [ErrInvalid] for
// unknown members, a missing name, version, title or source, and an unknown severity.
func Parse(yamlText []byte) (Profile, error) { return Resolve(yamlText, embedded) }

// Resolve reads a profile; base returns the text of a profile that it extends.
func Resolve(yamlText []byte, base func(name string) ([]byte, error)) (Profile, error) {
	var chain []text
	for {
		t, err := read(yamlText)
		if err != nil {
			return Profile{}, err
		}
		chain = append(chain, t)
		if t.Extends == "" {
			return apply(chain)
		}
		if len(chain) > maxExtends {
			return Profile{}, fmt.Errorf("%w: more than %d profiles extend each other", ErrInvalid, maxExtends)
		}
		if yamlText, err = base(t.Extends); err != nil {
			return Profile{}, fmt.Errorf("%w: it extends %.64q, which cannot be read", ErrInvalid, t.Extends)
		}
	}
}

// read parses one text and checks it without the texts that it extends.
func read(yamlText []byte) (text, error) {
	if len(yamlText) > maxText {
		return text{}, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, maxText)
	}
	var t text
	if err := yaml.UnmarshalStrict(yamlText, &t); err != nil {
		return text{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if t.Name == "" || t.Version == "" || t.Title == "" || t.Description == "" {
		return text{}, fmt.Errorf("%w: name, version, title and description are required", ErrInvalid)
	}
	for id, d := range t.Rules {
		if d.Source == "" {
			return text{}, fmt.Errorf("%w: rule %s names no source", ErrInvalid, id)
		}
		for _, v := range []*float64{d.Limit, d.Tolerance, d.Area} {
			if v != nil && !(*v >= 0 && *v <= math.MaxFloat32) {
				return text{}, fmt.Errorf("%w: rule %s has a number that is negative or too large", ErrInvalid, id)
			}
		}
	}
	return t, nil
}

// apply returns the profile of a chain of texts, of which each extends the next.
func apply(chain []text) (Profile, error) {
	own := chain[0]
	p := Profile{Name: own.Name, Version: own.Version, Title: own.Title, Description: own.Description, Rules: map[string]Setting{}}
	for i := len(chain) - 1; i >= 0; i-- {
		for id, d := range chain[i].Rules {
			setting, known := p.Rules[id]
			switch {
			case d.Severity == off && !known:
				return Profile{}, fmt.Errorf("%w: rule %s is off but was not on", ErrInvalid, id)
			case d.Severity == "" && !known:
				return Profile{}, fmt.Errorf("%w: rule %s has no severity", ErrInvalid, id)
			}
			if d.Severity != "" {
				setting.Severity = report.Severity(d.Severity)
			}
			if d.Limit != nil {
				setting.Limit = d.Limit
			}
			if d.Tolerance != nil {
				setting.Tolerance = *d.Tolerance
			}
			if d.Area != nil {
				setting.Area = *d.Area
			}
			setting.Source = d.Source
			p.Rules[id] = setting
		}
		maps.DeleteFunc(p.Rules, func(_ string, s Setting) bool { return s.Severity == report.Severity(off) })
	}
	data, err := json.Marshal(&p) // sorts the keys of maps
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	sum := sha256.Sum256(data)
	p.Digest = hex.EncodeToString(sum[:])
	return p, nil
}
