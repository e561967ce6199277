// SPDX-License-Identifier: Apache-2.0

// Package terminal has what tests keep of a session at a terminal: commands with
// what they printed, as golden files that a reader takes for documentation. What
// differs from run to run, the ages of objects, is not in them.
package terminal

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares a text with a file, or writes the file anew.
func Golden(tb testing.TB, path, got string, update bool) {
	tb.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s (-file +got; -update writes it):\n%s", path, diff)
	}
}

// prompt precedes a command.
const prompt = "$ "

// Transcript is a session: each command with what it prints.
type Transcript struct{ strings.Builder }

// Add adds a command and its output.
func (t *Transcript) Add(command, output string) {
	if t.Len() > 0 {
		t.WriteByte('\n')
	}
	t.WriteString(prompt + command + "\n" + Trimmed(strings.TrimRight(output, "\n")))
}

// Commands are those of a transcript, to be typed again.
func Commands(transcript string) []string {
	var out []string
	for line := range strings.Lines(transcript) {
		if command, found := strings.CutPrefix(strings.TrimRight(line, "\n"), prompt); found {
			out = append(out, command)
		}
	}
	return out
}

// Trimmed is a text without spaces at the ends of lines.
func Trimmed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return out.String()
}

// Ageless replaces the ages in what kubectl get prints. A blank line separates
// the tables of several kinds.
func Ageless(tables string) string {
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

// ageColumn is where the column begins and where the next one does, if any.
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
