// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
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
		"a column keeps eight characters": {20, text, "ID\tSTATUS\tTITLE\n" +
			"rfq_0123456789ABCDEF\topen\tSpring …\n" +
			"rfq_1\tquoted\tÜbergrö…\n" +
			"\nA sentence between two tables that is longer than the terminal.\nname\tvalue\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, fitted(tc.text, tc.width)); diff != "" {
				t.Errorf("fitted to %d (-want +got):\n%s", tc.width, diff)
			}
		})
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
