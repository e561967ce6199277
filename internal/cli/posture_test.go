// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cli"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	samples = "../../config/samples"
	asOf    = "--at=2026-11-20T12:00:00Z"
)

// call runs a command line in this process.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, complaint bytes.Buffer
	code = cli.Main(t.Context(), args, &out, &complaint)
	return out.String(), complaint.String(), code
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "posture", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("os.MkdirAll: %v", err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", path, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// edit is a text of a file of the samples and what takes its place.
type edit struct{ file, old, replacement string }

// edited is a copy of the samples with changes. A file whose whole text is to go
// has no old text.
func edited(t *testing.T, edits ...edit) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(samples)); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", dir, err)
	}
	for _, e := range edits {
		path := filepath.Join(dir, filepath.FromSlash(e.file))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", path, err)
		}
		if e.old == "" {
			err = os.Remove(path)
		} else if !strings.Contains(string(text), e.old) {
			t.Fatalf("%s has no %q", e.file, e.old)
		} else {
			err = os.WriteFile(path, []byte(strings.Replace(string(text), e.old, e.replacement, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// release returns a directory with the changes of a typical release.
func release(t *testing.T) string {
	t.Helper()
	return edited(t,
		edit{"rollouts/rfq-create.yaml", "stage: Live", "stage: Live\n  killSwitch: {state: Engaged, reason: INC-7}"},
		edit{"rollouts/quote-read.yaml", "stage: Live", "stage: Live\n  schedule: {notBefore: \"2026-12-01T00:00:00Z\"}"},
		edit{"rollouts/xjdf.yaml", "    - stark", "    - stark\n    - globex"},
		edit{"rollouts/webhook-delivery.yaml", "stage: PrivateBeta", "stage: PrivateBeta\n  schedule:\n    ramp:\n    - {at: \"2026-11-01T00:00:00Z\", percent: 1}\n    - {at: \"2026-12-24T00:00:00Z\", percent: 100}"},
		edit{"partners/globex.yaml", "  - name: rfq-list", "  - name: rfq-list\n  - name: xjdf"},
		edit{"partners/globex.yaml", "limit: 2", "limit: 20"},
		edit{"partners/stark.yaml", "  scopes:", "  scopes:\n  - master_data:read"},
		edit{"partners/initech.yaml", "", ""},
	)
}

func TestOutputOfPostureCommands(t *testing.T) {
	t.Parallel()
	changed := release(t)
	for name, args := range map[string][]string{
		"matrix.txt":          {"--from", samples},
		"matrix-changed.txt":  {"--from", changed},
		"wide.txt":            {"--from", changed, "-o", "wide"},
		"report.yaml":         {"--from", samples, "-o", "yaml"},
		"report.json":         {"--from", samples, "-o", "json"},
		"diff.txt":            {"diff", samples, changed},
		"diff-back.txt":       {"diff", changed, samples},
		"diff.yaml":           {"diff", samples, changed, "-o", "yaml"},
		"diff.json":           {"diff", samples, changed, "-o", "json"},
		"explain-open.txt":    {"explain", "acme", "rfq-read", "--from", samples},
		"explain-open.yaml":   {"explain", "acme", "rfq-read", "--from", samples, "-o", "yaml"},
		"explain-open.json":   {"explain", "acme", "rfq-read", "--from", samples, "-o", "json"},
		"explain-killed.txt":  {"explain", "acme", "rfq-create", "--from", changed, "--access", "write"},
		"explain-ramp.txt":    {"explain", "acme", "webhook-delivery", "--from", changed},
		"explain-nothing.txt": {"explain", "acme", "estimate", "--from", samples},
		"explain-two.txt":     {"explain", "stark", "master-data-bridge", "--from", samples},
		"explain-two.yaml":    {"explain", "stark", "master-data-bridge", "--from", samples, "-o", "yaml"},
		"explain-test.json":   {"explain", "initech", "quote-read", "--from", samples, "--keys", "test", "-o", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, complaint, code := call(t, slices.Concat([]string{"posture"}, args, []string{asOf})...)
			if code != 0 || complaint != "" {
				t.Errorf("exit code %d: %s", code, complaint)
			}
			golden(t, name, out)
		})
	}
}

// CI distinguishes a change that opens access from other changes, and both from a
// change that could not be judged.
func TestExitCodesOfAComparison(t *testing.T) {
	t.Parallel()
	kill := edited(t, edit{"rollouts/xjdf.yaml", "stage: PrivateBeta", "stage: PrivateBeta\n  killSwitch: {state: Engaged, reason: INC-7}"})
	more := edited(t, edit{"partners/globex.yaml", "limit: 2", "limit: 20"})
	from0 := edited(t, edit{"partners/globex.yaml", "limit: 2", "limit: 0"})
	later := edited(t, edit{"rollouts/xjdf.yaml", "    - stark", "    - stark\n    - globex\n  schedule: {notBefore: \"2026-12-01T00:00:00Z\"}"},
		edit{"partners/globex.yaml", "  - name: rfq-list", "  - name: rfq-list\n  - name: xjdf"})
	key := edited(t, edit{"partners/globex.yaml", "  keys:", "  keys:\n  - name: second\n    kind: Test\n    sha256: \"" + strings.Repeat("a1", 32) + "\"\n    state: Active"})
	broken := edited(t, edit{"rollouts/xjdf.yaml", "stage: PrivateBeta", "stage: Everywhere"})
	disabled := edited(t, edit{"rollouts/xjdf.yaml", "stage: PrivateBeta", "stage: Disabled"})
	promoted := edited(t, edit{"rollouts/xjdf.yaml", "stage: PrivateBeta", "stage: Live"})
	rollouts := filepath.Join(samples, "rollouts")
	mixed := edited(t, edit{"rollouts/xjdf.yaml", "metadata:", "metadata:\n  namespace: prints"})
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no change with --exit-code":            {[]string{samples, samples, "--exit-code"}, 0, "0 opened, 0 closed, 0 altered"},
		"something closes":                      {[]string{samples, kill}, 0, "Killed"},
		"something closes, and that was asked":  {[]string{samples, kill, "--exit-code"}, 1, "Killed"},
		"a closing change with --opens-only":    {[]string{samples, kill, "--opens-only"}, 0, "0 opened"},
		"a kill switch is released":             {[]string{kill, samples, "--opens-only"}, 1, "xjdf"},
		"a limit grows":                         {[]string{samples, more, "--opens-only"}, 0, "0 opened"},
		"a limit grows, and that was asked":     {[]string{samples, more, "--exit-code"}, 1, "quota of rfq-create"},
		"a limit was zero":                      {[]string{from0, samples, "--opens-only"}, 1, "quota of rfq-create"},
		"a schedule will open":                  {[]string{samples, later, "--opens-only"}, 1, "2026-12-01T00:00:00Z"},
		"a key is added":                        {[]string{samples, key, "--opens-only"}, 1, "key second"},
		"manifests that a cluster would refuse": {[]string{samples, broken, "--opens-only"}, 2, "spec.stage"},
		"a directory that is not there":         {[]string{samples, "/nowhere/at/all"}, 2, "/nowhere/at/all"},
		"a flag that is not there":              {[]string{samples, samples, "--opens"}, 2, "opens"},
		"one side is missing":                   {[]string{samples}, 2, "2 arg"},
		"a stage is skipped":                    {[]string{disabled, samples, "--opens-only"}, 2, "CapabilityRollout/xjdf: spec"},
		"a change of stage without a ticket":    {[]string{samples, promoted, "--opens-only"}, 2, "a change of stage needs a new change.ticket"},
		"manifests without partners":            {[]string{samples, rollouts}, 2, "contains no PartnerEntitlement"},
		"a set in two namespaces":               {[]string{samples, mixed, "--opens-only"}, 2, "must be \"default\" like that of"},
		"another namespace than the given one":  {[]string{samples, mixed, "--opens-only", "-n", "market"}, 2, "must be market"},
		"an overlay of manifests":               {[]string{samples, "--overlay", rollouts}, 2, "use posture diff cluster --overlay"},
		"a form that is not there":              {[]string{samples, samples, "-o", "xml"}, 2, "xml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, complaint, code := call(t, slices.Concat([]string{"posture", "diff"}, tc.args, []string{asOf})...)
			if code != tc.code || !strings.Contains(out+complaint, tc.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, tc.code, tc.want, out, complaint)
			}
		})
	}
}

func TestInvalidPostureCommandLinesAreRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, want string }{
		"a partner that is not there":    {"explain missing xjdf --from " + samples, `PartnerEntitlement "missing" does not exist`},
		"a capability that is not there": {"explain acme teleport --from " + samples, `capability "teleport" does not exist`},
		"keys of no kind":                {"explain acme xjdf --keys gold --from " + samples, `"gold"`},
		"a request of no kind":           {"explain acme xjdf --access delete --from " + samples, `"delete"`},
		"a form of an explanation":       {"explain acme xjdf -o xml --from " + samples, `"xml"`},
		"a form of the table":            {"-o xml --from " + samples, `"xml"`},
		"an invalid time":                {"--at tomorrow --from " + samples, "tomorrow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, complaint, code := call(t, append([]string{"posture"}, strings.Fields(tc.args)...)...)
			if code != 1 || out != "" || !strings.Contains(complaint, tc.want) {
				t.Errorf("exit code %d, %q, want %q", code, complaint, tc.want)
			}
		})
	}
}
