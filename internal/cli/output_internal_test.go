// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func TestTablesFitATerminal(t *testing.T) {
	t.Parallel()
	const text = "ID\tSTATUS\tTITLE\n" +
		"rfq_0123456789ABCDEF\topen\tSpring campaign: Flyer A5, single sheet\n" +
		"rfq_1\tquoted\tÜbergröße\n" +
		"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"
	for name, tc := range map[string]struct {
		width      int
		text, want string
	}{
		"a table that fits is unchanged": {100, text, text},
		"the widest column is shortened, and the first one is not": {50, text, "ID\tSTATUS\tTITLE\n" +
			"rfq_0123456789ABCDEF\topen\tSpring campaign: Fl…\n" +
			"rfq_1\tquoted\tÜbergröße\n" +
			"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"},
		"names with values stay whole": {5, "name\tvalue\nmore\tvalues\n", "name\tvalue\nmore\tvalues\n"},
		"a column keeps eleven characters": {41, text, "ID\tSTATUS\tTITLE\n" +
			"rfq_0123456789ABCDEF\topen\tSpring cam…\n" +
			"rfq_1\tquoted\tÜbergröße\n" +
			"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"},
		"a first column that takes most of the terminal leaves no column out": {39, text, "ID\tSTATUS\tTITLE\n" +
			"rfq_0123456789ABCDEF\topen\tSpring cam…\n" +
			"rfq_1\tquoted\tÜbergröße\n" +
			"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"},
		"columns that do not fit are named": {40, text, "ID\tSTATUS\n" +
			"rfq_0123456789ABCDEF\topen\n" +
			"rfq_1\tquoted\n" +
			"\nNot shown without -o wide: TITLE\n" +
			"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, fitted(tc.text, tc.width, false)); diff != "" {
				t.Errorf("fitted to %d (-want +got):\n%s", tc.width, diff)
			}
		})
	}
}

func TestProseIsWrappedAndNotShortened(t *testing.T) {
	t.Parallel()
	const text = "FAILURE\tdatabase\treach\tthe server does not answer in time\n\t\t\t-> Check the host and the role in the URL.\nOK\tredis\tmemory\t0 %\n"
	for name, tc := range map[string]struct {
		width int
		want  string
	}{
		"a table that fits": {100, text},
		"a narrower terminal": {53, "FAILURE\tdatabase\treach\tthe server does not answer\n\t\t\tin time\n" +
			"\t\t\t-> Check the host and the\n\t\t\trole in the URL.\nOK\tredis\tmemory\t0 %\n"},
		"too narrow for a column of prose": {45, text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, fitted(text, tc.width, true)); diff != "" {
				t.Errorf("fitted to %d (-want +got):\n%s", tc.width, diff)
			}
		})
	}
}

// Shortened names of capabilities all look alike, so each gets a line of its own.
func TestPostureOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	table := [][]string{{"PARTNER", "rfq-create", "quote-read", "quote-accept"}, {"acme", "open", "closed/StageDisabled", "-"}}
	for width, want := range map[int]bool{0: false, 80: false, 55: false, 54: true, 40: true} {
		if got := overflows(&sheet{width: width}, table); got != want {
			t.Errorf("a terminal of %d columns: overflows %t, want %t", width, got, want)
		}
	}
	if overflows(io.Discard, table) {
		t.Error("a pipe limits the width")
	}
}

func TestWideTablesHaveMoreColumns(t *testing.T) {
	t.Parallel()
	type record struct {
		Name string `json:"name"`
		Note string `json:"note"`
	}
	records := table[record]{columns: []any{"NAME"}, cells: func(r *record) []any { return []any{r.Name, r.Note} }, wide: []any{"NOTE"}}
	long := strings.Repeat("long", 40)
	for output, want := range map[string]string{
		"table": "NAME\nfirst\n",
		"wide":  "NAME   NOTE\nfirst  " + long + "\n",
		"yaml":  "- name: first\n  note: " + long + "\n",
		"json":  "[\n  {\n    \"name\": \"first\",\n    \"note\": \"" + long + "\"\n  }\n]\n",
	} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			cmd := command[[]record]{use: "list", print: records.list}.local(func(*cobra.Command, []string) ([]record, error) {
				return []record{{"first", long}}, nil
			})
			cmd.SetOut(&out)
			cmd.SetArgs([]string{"-o", output})
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				t.Fatalf("cmd.ExecuteContext: %v", err)
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompletionDoesNotTrustDescriptions(t *testing.T) {
	t.Parallel()
	complete := completion(func(context.Context, []string) ([]string, error) {
		return []string{"rfq_1\topen: \x1b[31mred", "rfq_2"}, nil
	})
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	got, directive := complete(cmd, nil, "")
	if diff := cmp.Diff([]string{"rfq_1\topen: \uFFFD[31mred", "rfq_2"}, got); diff != "" || directive != cobra.ShellCompDirectiveNoFileComp {
		t.Errorf("directive %v, names (-want +got):\n%s", directive, diff)
	}
	failing := completion(func(context.Context, []string) ([]string, error) { return nil, errors.New("no server") })
	if got, _ := failing(cmd, nil, ""); len(got) != 0 {
		t.Errorf("a failed completion offers %q", got)
	}
}

func TestProgressIsForTerminalsOnly(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{}
	cmd.SetErr(io.Discard)
	show, erase := progressOn(cmd, "records", "")
	if erase(); show != nil {
		t.Error("a pipe gets progress")
	}
}

// A pipe gets the columns in full, so their number keeps the lines short.
func TestSnapshotsFitInto120Columns(t *testing.T) {
	t.Parallel()
	snapshot := platformapi.Snapshot{
		ID: "sha256:" + strings.Repeat("0", 64), Level: "resources", Owner: "org_acme01", Counts: map[string]int{"substrates": 1200},
		Provenance: platformapi.Provenance{Source: "prices of the purchasing department", Reference: "2026-11"}, ImportedBy: "purchasing",
	}
	for output, fits := range map[string]bool{"table": true, "wide": false} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		if err := printOutput(cmd, output, nil, func(w io.Writer) { snapshotTable.one(w, &snapshot) }); err != nil {
			t.Fatalf("printOutput: %v", err)
		}
		for text := range strings.Lines(out.String()) {
			if got := len(strings.TrimRight(text, " \n")) <= 120; got != fits {
				t.Errorf("%s: %d columns, want at most 120: %t\n%s", output, len(text), fits, text)
			}
		}
	}
}

// A list of thousands of jobs says how many there are, and that it is cut.
func TestLongListsOfAnOffboardingAreCutAndSaySo(t *testing.T) {
	t.Parallel()
	jobs := make([]string, mostPrinted+700)
	for i := range jobs {
		jobs[i] = fmt.Sprintf("pref_%04d", i)
	}
	var out bytes.Buffer
	printOffboarded(&out, offboarded{DryRun: true, Cancelled: []string{"rfq_1"}, CancelledJobs: jobs})
	text := out.String()
	for _, want := range []string{"Open RFQs that would be cancelled: 1\n  rfq_1\n", "Preflight jobs that would be cancelled: 1200\n", "  pref_0499\n  and 700 more; -o json lists all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "pref_0500") || strings.Count(text, "more;") != 1 {
		t.Errorf("the list is not cut:\n%s", text)
	}
}
