// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// ErrTooLarge means that a document would exceed the size that [Read] accepts.
var ErrTooLarge = errors.New("more bytes than are read of a file")

// Format is the format of one file.
type Format string

// The formats of a file with the whole document. [WriteDirectory] writes CSV.
const (
	YAML Format = "yaml"
	JSON Format = "json"
	XLSX Format = "xlsx"
)

// Write writes a document as one file, from which [Read] reads the same document. Entries
// are sorted by identifier and have lines of their own, so that versions can be compared.
func Write(w io.Writer, d *Document, f Format) error {
	most := MaxFile
	if f == XLSX {
		most = MaxWorkbook
	}
	return limited(w, most, func(w *bufio.Writer) error {
		switch f {
		case YAML:
			writeYAML(w, d, d.lists())
			return nil
		case JSON:
			return writeJSON(w, d)
		case XLSX:
			return writeXLSX(w, d)
		default:
			return fmt.Errorf("%.20q is none of %s, %s and %s", string(f), YAML, JSON, XLSX)
		}
	})
}

// WriteDirectory writes a document as the files of a directory: the header in YAML, each
// list in CSV. It calls create for every file; create calls write with the opened file.
func WriteDirectory(d *Document, create func(name string, write func(io.Writer) error) error) error {
	err := create(headerFile, func(w io.Writer) error {
		return limited(w, MaxFile, func(w *bufio.Writer) error { writeYAML(w, d, nil); return nil })
	})
	if err != nil {
		return err
	}
	for _, l := range d.lists() {
		if l.rows.Len() == 0 {
			continue
		}
		err := create(l.member+".csv", func(w io.Writer) error {
			return limited(w, MaxFile, func(w *bufio.Writer) error { return writeCSV(w, l) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// limited writes a file of at most a number of bytes.
func limited(w io.Writer, most int, write func(*bufio.Writer) error) error {
	l := &limitWriter{to: w, left: most}
	b := bufio.NewWriter(l)
	if err := errors.Join(write(b), b.Flush()); err != nil {
		return fmt.Errorf("master data: %w", err)
	}
	return nil
}

type limitWriter struct {
	to   io.Writer
	left int
}

func (l *limitWriter) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, ErrTooLarge
	}
	return l.to.Write(b)
}

// A bufio.Writer keeps its first error until Flush, where limited checks it. The functions
// below therefore ignore the errors of single writes.

func writeJSON(w *bufio.Writer, d *Document) error {
	text, err := json.Marshal(d.head())
	if err != nil {
		return err
	}
	var head bytes.Buffer
	if err := json.Indent(&head, text, "", "  "); err != nil {
		return err
	}
	_, _ = w.Write(bytes.TrimSuffix(head.Bytes(), []byte("\n}")))
	for _, l := range d.lists() {
		_, _ = fmt.Fprintf(w, ",\n  %q: [", l.member)
		for i := range l.rows.Len() {
			row, err := json.Marshal(l.rows.Index(i).Interface())
			if err != nil {
				return err
			}
			if i > 0 {
				_ = w.WriteByte(',')
			}
			_, _ = w.WriteString("\n    ")
			_, _ = w.Write(row)
		}
		_, _ = w.WriteString("\n  ]")
	}
	_, _ = w.WriteString("\n}\n")
	return nil
}

// head returns the header for JSON. Resources have the whole policy, a catalog has none.
func (d *Document) head() any {
	h := d.header()
	if d.level == LevelCatalog {
		return h
	}
	return struct {
		Level      Level            `json:"level"`
		Owner      string           `json:"owner"`
		Currency   string           `json:"currency"`
		Provenance Provenance       `json:"provenance"`
		Policy     authority.Policy `json:"policy"`
	}(h)
}

func writeYAML(w *bufio.Writer, d *Document, lists []list) {
	s := headerShape(d.level)
	y := yamlWriter{w, s, reflect.ValueOf(d.header())}
	y.mapping(s.root, "")
	for _, l := range lists {
		if l.rows.Len() == 0 {
			continue
		}
		_, _ = w.WriteString(l.member + ":\n")
		for i := range l.rows.Len() {
			// Indent the mapping, and put its first name behind the dash.
			var text bytes.Buffer
			entry := yamlWriter{bufio.NewWriter(&text), l.shape, l.rows.Index(i)}
			entry.mapping(l.shape.root, "    ")
			_ = entry.Flush() // into memory
			_, _ = w.WriteString("  -")
			_, _ = w.Write(bytes.TrimPrefix(text.Bytes(), []byte("   ")))
		}
	}
}

// yamlWriter writes one entry.
type yamlWriter struct {
	*bufio.Writer
	shape *shape
	from  reflect.Value
}

// mapping writes the values of a mapping.
func (y *yamlWriter) mapping(m *member, indent string) {
	for _, name := range m.names {
		below := m.members[name]
		switch {
		case below.column < 0 && y.has(below):
			_, _ = y.WriteString(indent + name + ":\n")
			y.mapping(below, indent+"  ")
		case below.column >= 0:
			texts, ok := y.shape.get(y.from, below.column)
			if !ok {
				continue
			}
			k := y.shape.columns[below.column].kind
			if k == textKind || k == textsKind {
				for i, text := range texts {
					texts[i] = yamlText(text)
				}
			}
			text := texts[0]
			if k.list() {
				text = "[" + strings.Join(texts, ", ") + "]"
			}
			_, _ = y.WriteString(indent + name + ": " + text + "\n")
		}
	}
}

// has reports whether a mapping has a value to write.
func (y *yamlWriter) has(m *member) bool {
	for _, below := range m.members {
		if below.column < 0 && y.has(below) {
			return true
		}
		if below.column >= 0 {
			if _, ok := y.shape.get(y.from, below.column); ok {
				return true
			}
		}
	}
	return false
}

// bare matches a text that every YAML reader takes for a text without quotes.
var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

func yamlText(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
	default:
		if bare.MatchString(text) {
			return text
		}
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string, into memory
	return strings.TrimSuffix(quoted.String(), "\n")
}

// used returns the columns that any entry has.
func (l list) used() []int {
	var used []int
	for i := range l.shape.columns {
		for row := range l.rows.Len() {
			if _, ok := l.shape.get(l.rows.Index(row), i); ok {
				used = append(used, i)
				break
			}
		}
	}
	return used
}

// writeCSV writes a list with the columns that any entry uses.
func writeCSV(w *bufio.Writer, l list) error {
	used := l.used()
	cells := make([]string, len(used))
	for i, column := range used {
		cells[i] = l.shape.columns[column].path
	}
	out := csv.NewWriter(w)
	if err := out.Write(cells); err != nil {
		return err
	}
	for row := range l.rows.Len() {
		for i, column := range used {
			texts, _ := l.shape.get(l.rows.Index(row), column)
			cells[i] = strings.Join(texts, itemSeparator)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
