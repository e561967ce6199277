// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflight/profile"
)

func TestEveryEmbeddedProfileIsValidAndNamedAsItsFile(t *testing.T) {
	t.Parallel()
	names := profile.Names()
	if diff := cmp.Diff([]string{"print_ready", "structure_only"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Contains(names, profile.Default) {
		t.Errorf("the default %s is not among them", profile.Default)
	}
	for _, name := range names {
		p, err := profile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || len(p.Digest) != 64 {
			t.Errorf("%s: name %q, digest %q", name, p.Name, p.Digest)
		}
	}
}

func TestLookupOfAnUnknownNameListsTheKnownOnes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "PRINT_READY", "../print_ready", "print_ready.yaml", strings.Repeat("x", 1000)} {
		_, err := profile.Lookup(name)
		if !errors.Is(err, profile.ErrUnknown) || !strings.Contains(err.Error(), "print_ready, structure_only") || len(err.Error()) > 250 {
			t.Errorf("Lookup(%.20q) = %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const head = "name: x\nversion: '1'\ntitle: T\ndescription: D\n"
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"a profile without rules":           {head, true},
		"a rule with everything":            {head + "rules: {a.b: {severity: info, limit: 3, tolerance: 0.1, source: s}}", true},
		"an unknown member is refused":      {head + "extra: 1", false},
		"an unknown severity is refused":    {head + "rules: {a.b: {severity: fatal, source: s}}", false},
		"a missing severity is refused":     {head + "rules: {a.b: {source: s}}", false},
		"a missing source is refused":       {head + "rules: {a.b: {severity: info}}", false},
		"a negative limit is refused":       {head + "rules: {a.b: {severity: info, limit: -1, source: s}}", false},
		"a negative tolerance is refused":   {head + "rules: {a.b: {severity: info, tolerance: -1, source: s}}", false},
		"a rule that stands twice":          {head + "rules:\n  a.b: {severity: info, source: s}\n  a.b: {severity: error, source: s}", false},
		"a missing name is refused":         {"version: '1'\ntitle: T\ndescription: D", false},
		"what is no YAML is refused":        {"\x00{", false},
		"what is too long is refused":       {head + "#" + strings.Repeat("x", 1<<20), false},
		"a limit that is text is refused":   {head + "rules: {a.b: {severity: info, limit: many, source: s}}", false},
		"a missing description is refused":  {"name: x\nversion: '1'\ntitle: T\n", false},
		"an empty text is refused":          {"", false},
		"a severity in capitals is refused": {head + "rules: {a.b: {severity: ERROR, source: s}}", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := profile.Parse([]byte(tc.text))
			if (err == nil) != tc.ok || err != nil && !errors.Is(err, profile.ErrInvalid) {
				t.Errorf("error = %v, want ok %t", err, tc.ok)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name: x\nversion: '1'\ntitle: T\ndescription: D\nrules: {a.b: {severity: info, limit: 3, source: s}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := profile.Parse(text)
		if err != nil {
			return
		}
		for id, s := range p.Rules {
			if s.Source == "" || s.Severity == "" {
				t.Errorf("rule %s was let through without source or severity", id)
			}
		}
	})
}
