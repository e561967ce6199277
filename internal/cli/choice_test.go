// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cli"
)

// completions returns the shell completions of the last argument.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(t.Context(), append([]string{"__completeNoDesc"}, args...), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[:len(lines)-1] // the last one is for the shell's script
}

func TestShellsCompleteTheValuesOfFlags(t *testing.T) {
	t.Parallel()
	const samples = "../../config/samples"
	for sentence, tc := range map[string]struct {
		args []string
		want []string
	}{
		"commands by their beginning":          {[]string{"post"}, []string{"posture"}},
		"forms of an output":                   {[]string{"queue", "stats", "-o", ""}, []string{"table", "wide", "yaml", "json"}},
		"forms of a report":                    {[]string{"preflight", "x.pdf", "--output", ""}, []string{"text", "json", "html", "xfdf", "pdf", "pdf-report"}},
		"profiles by their beginning":          {[]string{"preflight", "rules", "--profile", "pdfx"}, []string{"pdfx1a", "pdfx3", "pdfx4", "pdfx6"}},
		"kinds of keys":                        {[]string{"keys", "issue", "--kind", ""}, []string{"test", "live"}},
		"scopes by their beginning":            {[]string{"keys", "issue", "--scopes", "rfq"}, []string{"rfq:read", "rfq:write"}},
		"capabilities, behind the partner":     {[]string{"posture", "explain", "acme", "rfq-c"}, []string{"rfq-create"}},
		"no capability in the partner's place": {[]string{"posture", "explain", "--from", samples, "rfq-c"}, []string{}},
		"partners of manifests":                {[]string{"posture", "explain", "--from", samples, "a"}, []string{"acme"}},
		"partners of a verb":                   {[]string{"partner", "suspend", "--from", samples, "st"}, []string{"stark"}},
		"one partner only":                     {[]string{"partner", "suspend", "--from", samples, "stark", "g"}, []string{}},
		"partners of a flag":                   {[]string{"keys", "list", "--from", samples, "--partner", "g"}, []string{"globex"}},
		"no partners without manifests":        {[]string{"keys", "list", "--from", "nowhere", "--partner", ""}, []string{}},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got := completions(t, tc.args...)
			if diff := cmp.Diff(tc.want, slices.DeleteFunc(got, func(word string) bool { return !strings.HasPrefix(word, tc.args[len(tc.args)-1]) })); diff != "" {
				t.Errorf("completions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownOutputIsRejectedWithTheKnownOnes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"queue", "stats"}, {"audit"}, {"doctor"}, {"posture"}, {"keys", "list", "--partner", "acme"}, {"preflight", "profiles"},
	} {
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), append(slices.Clone(args), "-o", "xml"), &out, &errs); code != 1 || !strings.Contains(errs.String(), "json") {
			t.Errorf("%v: exit %d, %s", args, code, errs.String())
		}
	}
}

func TestARejectedOffboardingReportsNoChange(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := cli.Main(t.Context(), []string{"partner", "offboard", "acme", "--from", "../../config/samples", "--reason", strings.Repeat("x", 257)}, &out, &errs)
	if code != 1 || strings.Contains(out.String(), "Changed") || !strings.Contains(errs.String(), "spec.stateReason") {
		t.Errorf("exit %d\n%s%s", code, out.String(), errs.String())
	}
}
