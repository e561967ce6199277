// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares got with the file at path, or writes the file if update is set.
func Golden(tb testing.TB, path, got string, update bool) {
	tb.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatalf("os.WriteFile(%q): %v", path, err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("os.ReadFile(%q): %v", path, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s (-file +got; -update writes it):\n%s", path, diff)
	}
}

// prompt precedes each command of a transcript.
const prompt = "$ "

// Transcript holds the commands of a session and their output.
type Transcript struct{ strings.Builder }

// Add appends a command and its output.
func (t *Transcript) Add(command, output string) {
	if t.Len() > 0 {
		t.WriteByte('\n')
	}
	t.WriteString(prompt + command + "\n" + Trimmed(strings.TrimRight(output, "\n")))
}

// Commands returns the commands of a transcript, without the prompt.
func Commands(transcript string) []string {
	var out []string
	for line := range strings.Lines(transcript) {
		if command, found := strings.CutPrefix(strings.TrimRight(line, "\n"), prompt); found {
			out = append(out, command)
		}
	}
	return out
}

// Trimmed removes trailing blanks from each line.
func Trimmed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return out.String()
}

// WithoutAges replaces the ages in the tables of `kubectl get`, because they differ from
// run to run. A blank line separates the tables of several kinds.
func WithoutAges(tables string) string {
	var out strings.Builder
	from, to := -1, -1
	header := true
	for line := range strings.Lines(tables) {
		line = strings.TrimRight(line, "\n")
		if header {
			from, to = ageColumn(line)
		}
		header = line == ""
		out.WriteString(withoutAge(line, from, to, strings.HasPrefix(line, "NAME ")) + "\n")
	}
	return out.String()
}

// ageColumn returns the offsets of the column AGE and of the next column, -1 if there is none.
func ageColumn(header string) (from, to int) {
	from = strings.Index(header, " AGE") + 1
	if from == 0 {
		return -1, -1
	}
	rest := header[from+len("AGE"):]
	next := strings.TrimLeft(rest, " ")
	if next == "" {
		return from, -1
	}
	return from, len(header) - len(next)
}

func withoutAge(line string, from, to int, header bool) string {
	if from < 0 || len(line) < from {
		return line
	}
	age := "-  "
	if header {
		age = "AGE"
	}
	if to < 0 || len(line) < to {
		return line[:from] + strings.TrimRight(age, " ")
	}
	return line[:from] + age + "   " + line[to:]
}
