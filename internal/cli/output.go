// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/respond"
)

// printOutput writes a value as JSON or YAML, or as a table.
func printOutput(cmd *cobra.Command, output string, value any, table func(io.Writer)) error {
	switch output {
	case "json":
		return encodeJSON(cmd.OutOrStdout(), value)
	case "yaml":
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	default:
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
		table(w)
		return w.Flush()
	}
}

// encodeJSON writes a value for programs, all of it or nothing.
func encodeJSON(w io.Writer, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// line prints the cells of a row.
func line(w io.Writer, cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = io.WriteString(w, "\t")
		}
		_, _ = fmt.Fprint(w, printable(fmt.Sprint(cell)))
	}
	_, _ = io.WriteString(w, "\n")
}

// rows prints rows of cells.
func rows(w io.Writer, table [][]string) {
	for _, row := range table {
		cells := make([]any, len(row))
		for i := range row {
			cells[i] = row[i]
		}
		line(w, cells...)
	}
}

// printable replaces the control characters of a text, which would control the
// terminal or the direction of the text behind it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// details prints a line for each pair of a name and a value.
func details(w io.Writer, pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		line(w, pairs[i], pairs[i+1])
	}
}

// table describes how records are printed: the columns, and the cells of a record.
type table[T any] struct {
	columns []any
	cells   func(*T) []any
}

func (t table[T]) print(w io.Writer, records ...T) {
	line(w, t.columns...)
	for i := range records {
		line(w, t.cells(&records[i])...)
	}
}

// list prints a list of records, and one a single record.
func (t table[T]) list(w io.Writer, records []T) { t.print(w, records...) }
func (t table[T]) one(w io.Writer, record *T)    { t.print(w, *record) }

func stamp(at respond.Instant) string { return time.Time(at).UTC().Format(time.RFC3339) }

// stampOr returns a time, or a dash for none.
func stampOr(at *respond.Instant) string {
	if at == nil {
		return "-"
	}
	return stamp(*at)
}

// short cuts a text to 40 characters.
func short(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// given returns a text for an optional parameter; nil for the empty text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
