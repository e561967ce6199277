// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/respond"
)

// printOutput writes a value as JSON or YAML, or as a table, of which a terminal gets as much
// as fits its width.
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
		out := cmd.OutOrStdout()
		page := sheet{wide: output == "wide"}
		if width, terminal := terminalWidth(out); terminal && output == "table" {
			page.width = width
		}
		table(&page)
		text := page.String()
		if page.width > 0 {
			text = fitted(text, page.width, page.prose)
		}
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		_, _ = io.WriteString(w, text) // Flush returns the error
		return w.Flush()
	}
}

// sheet collects the lines of tables, whose cells are separated by tabs.
type sheet struct {
	bytes.Buffer
	// wide asks for all columns.
	wide bool
	// width is the width of the terminal; 0 if the output is not fitted to one.
	width int
	// prose means that the last column is text that a reader needs in full.
	prose bool
}

// prose makes a terminal wrap the last column of the tables of w instead of shortening it.
func prose(w io.Writer) {
	if page, ok := w.(*sheet); ok {
		page.prose = true
	}
}

// overflows reports whether a table is wider than the terminal.
func overflows(w io.Writer, table [][]string) bool {
	page, ok := w.(*sheet)
	_, total := columnWidths(table)
	return ok && page.width > 0 && total > page.width
}

// The layout of tables: the space between columns, the width that a shortened column keeps, and
// the least width to which a column of prose is wrapped.
const (
	columnSpace = 2
	leastColumn = 11 // a date and an ellipsis
	leastProse  = 24
)

// fitted shortens cells of tables that are wider than a terminal, the widest columns first, and leaves
// out the last columns if that is not enough. The first column identifies a record and stays whole, and
// so do names with values, which are tables of two columns. If the last column is prose, it is wrapped
// and nothing is shortened.
func fitted(text string, width int, prose bool) string {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	for len(lines) > 0 {
		end := slices.IndexFunc(lines, func(line string) bool { return !strings.Contains(line, "\t") })
		if end < 0 {
			end = len(lines)
		}
		if end == 0 {
			out.WriteString(lines[0])
			lines = lines[1:]
			continue
		}
		table := make([][]string, end)
		for i, text := range lines[:end] {
			table[i] = strings.Split(strings.TrimSuffix(text, "\n"), "\t")
		}
		var omitted []string
		if prose {
			table = wrapped(table, width)
		} else {
			omitted = omit(table, width)
			shorten(table, width)
		}
		for _, row := range table {
			out.WriteString(strings.Join(row, "\t") + "\n")
		}
		if len(omitted) > 0 {
			out.WriteString("\nNot shown without -o wide: " + strings.Join(omitted, ", ") + "\n")
		}
		lines = lines[end:]
	}
	return out.String()
}

// columnWidths returns the width of each column and of the table, in characters.
func columnWidths(table [][]string) (widths []int, total int) {
	for _, row := range table {
		for column, cell := range row {
			if column == len(widths) {
				widths = append(widths, 0)
			}
			widths[column] = max(widths[column], utf8.RuneCountInString(cell))
		}
	}
	for _, each := range widths {
		total += each + columnSpace
	}
	return widths, max(0, total-columnSpace)
}

// omit removes the last columns of a table that is too wide even if all its columns are as short as
// shorten makes them, and returns their heads. Two columns remain. A table whose first column takes most
// of the terminal keeps all columns, and the terminal wraps its lines.
func omit(table [][]string, width int) (heads []string) {
	widths, _ := columnWidths(table)
	if widths[0] > width/2 {
		return nil
	}
	kept, total := 0, 0
	for column, each := range widths {
		if column > 0 {
			each = columnSpace + min(each, leastColumn)
		}
		if total += each; total > width && column > 1 {
			break
		}
		kept++
	}
	heads = slices.Clone(table[0][min(kept, len(table[0])):])
	for i, row := range table {
		table[i] = row[:min(kept, len(row))]
	}
	return heads
}

// shorten shortens the cells of one table.
func shorten(table [][]string, width int) {
	widths, total := columnWidths(table)
	for ; total > width && len(widths) > 2; total-- {
		widest := 1
		for column := range widths {
			if column > 0 && widths[column] > widths[widest] {
				widest = column
			}
		}
		if widths[widest] <= leastColumn {
			break
		}
		widths[widest]--
	}
	for _, row := range table {
		for column, cell := range row {
			if runes := []rune(cell); len(runes) > widths[column] {
				row[column] = string(runes[:widths[column]-1]) + "…"
			}
		}
	}
}

// wrapped wraps the last column of a table. A continuation line has the indentation of the cell. A
// terminal that is too narrow for a column of prose gets the lines as they are.
func wrapped(table [][]string, width int) (out [][]string) {
	widths, total := columnWidths(table)
	last := len(widths) - 1
	room := width - total + widths[last]
	if room < leastProse {
		return table
	}
	for _, row := range table {
		if len(row) <= last {
			out = append(out, row)
			continue
		}
		line := ""
		for word := range strings.FieldsSeq(row[last]) {
			if line != "" && utf8.RuneCountInString(line+" "+word) > room {
				out = append(out, append(row[:last:last], line))
				row, line = make([]string, last+1), ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		out = append(out, append(row[:last:last], line))
	}
	return out
}

// encodeJSON writes a value for programs, all of it or nothing.
func encodeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w) // writes the whole value at once
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
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

// lines prints texts, each in a line.
func lines(w io.Writer, texts []string) error {
	var text strings.Builder
	for _, each := range texts {
		line(&text, each)
	}
	_, err := io.WriteString(w, text.String())
	return err
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

// table describes how records are printed: the columns, and the cells of a record. The output wide
// has further columns. The cells are those of all columns.
type table[T any] struct {
	columns []any
	cells   func(*T) []any
	wide    []any
}

func (t table[T]) print(w io.Writer, records ...T) {
	columns := t.columns
	if page, isSheet := w.(*sheet); isSheet && page.wide {
		columns = slices.Concat(columns, t.wide)
	}
	line(w, columns...)
	for i := range records {
		line(w, t.cells(&records[i])[:len(columns)]...)
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

// given returns a text for an optional parameter; nil for the empty text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// terminalWidth returns the width of the terminal behind a writer, in characters; false
// without a terminal. A terminal with an unknown width gets the default width.
func terminalWidth(w io.Writer) (int, bool) {
	const usual = 80
	file, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return cmp.Or(width, usual), err == nil
}

// progressBar is a line of a terminal with the progress of an inspection, or of the
// reading of a large file.
type progressBar struct {
	out   io.Writer
	width int
	name  string
	// unit names what is counted; pages if it is empty.
	unit  string
	shown string
}

// progressOn returns a function that shows the progress of a command on the terminal of its
// standard error, and a function that erases it. The first is nil without a terminal.
func progressOn(cmd *cobra.Command, unit, name string) (show func(done, total int), erase func()) {
	width, terminal := terminalWidth(cmd.ErrOrStderr())
	if !terminal || os.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	bar := &progressBar{out: cmd.ErrOrStderr(), width: width, name: name, unit: unit}
	return bar.show, bar.clear
}

// show draws the line if it has changed.
func (b *progressBar) show(done, total int) {
	line := b.line(done, total)
	if line == b.shown {
		return
	}
	b.shown = line
	_, _ = io.WriteString(b.out, "\r\x1b[K"+line) // a bar that cannot be drawn harms nothing
}

// line returns a bar, numbers and the name, if there is room for it.
func (b *progressBar) line(done, total int) string {
	const cells = 24
	filled := 0
	if total > 0 {
		filled = min(cells, cells*done/total)
	}
	unit := cmp.Or(b.unit, "pages")
	line := fmt.Sprintf("[%s%s] %d of %d %s", strings.Repeat("=", filled), strings.Repeat(" ", cells-filled), done, total, unit)
	room := max(b.width-1, 0) // the last column would break the line
	if len(line) > room {
		return line[:room]
	}
	if len(line)+2+utf8.RuneCountInString(b.name) <= room {
		line += "  " + b.name
	}
	return line
}

// clear erases the line.
func (b *progressBar) clear() {
	if b.shown != "" {
		_, _ = io.WriteString(b.out, "\r\x1b[K") // see show
	}
}
