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
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// ErrTooLarge means that a document would be larger than what is read.
var ErrTooLarge = fmt.Errorf("more than the %d bytes that are read of a file", MaxFile)

// Format is what one file is written in.
type Format string

// The formats of a file that has everything. Tables of CSV are written by
// [WriteDirectory].
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Write writes a document as one file, which [Read] makes the same document of. The
// order is that of identifiers and the entries have lines of their own, so that
// versions can be compared.
func Write(w io.Writer, d *Document, f Format) error {
	return limited(w, func(w *bufio.Writer) error {
		switch f {
		case YAML:
			writeYAML(w, d, d.lists())
			return nil
		case JSON:
			return writeJSON(w, d)
		default:
			return fmt.Errorf("%.20q is neither %s nor %s", string(f), YAML, JSON)
		}
	})
}

// WriteDirectory writes a document as the files of a directory: the header in YAML,
// each list in CSV. It hands every file to create, which has it written.
func WriteDirectory(d *Document, create func(name string, write func(io.Writer) error) error) error {
	err := create(headerFile, func(w io.Writer) error {
		return limited(w, func(w *bufio.Writer) error { writeYAML(w, d, nil); return nil })
	})
	if err != nil {
		return err
	}
	for _, l := range d.lists() {
		if l.rows.Len() == 0 {
			continue
		}
		err := create(l.member+".csv", func(w io.Writer) error {
			return limited(w, func(w *bufio.Writer) error { return writeCSV(w, l) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// limited writes a file, but none that cannot be read.
func limited(w io.Writer, write func(*bufio.Writer) error) error {
	l := &limitWriter{to: w}
	b := bufio.NewWriter(l)
	if err := errors.Join(write(b), b.Flush()); err != nil {
		return fmt.Errorf("master data: %w", err)
	}
	return nil
}

type limitWriter struct {
	to      io.Writer
	written int
}

func (l *limitWriter) Write(b []byte) (int, error) {
	if l.written += len(b); l.written > MaxFile {
		return 0, ErrTooLarge
	}
	return l.to.Write(b)
}

// Errors of a bufio.Writer stay until it is flushed, which is where they are
// looked at.

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

// head is the header as JSON has it: all of the policy, or nothing of it.
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
			_, _ = w.WriteString("  -")
			y := yamlWriter{w, l.shape, l.rows.Index(i)}
			y.entry()
		}
	}
}

// yamlWriter writes one entry.
type yamlWriter struct {
	*bufio.Writer
	shape *shape
	from  reflect.Value
}

// entry writes a mapping whose first name stands behind the dash.
func (y *yamlWriter) entry() {
	var text bytes.Buffer
	inner := yamlWriter{bufio.NewWriter(&text), y.shape, y.from}
	inner.mapping(y.shape.root, "    ")
	_ = inner.Flush() // into memory
	_, _ = y.Write(bytes.TrimPrefix(text.Bytes(), []byte("   ")))
}

func (y *yamlWriter) mapping(m *member, indent string) {
	for _, name := range m.names {
		below := m.members[name]
		switch {
		case below.column < 0 && y.has(below):
			_, _ = y.WriteString(indent + name + ":\n")
			y.mapping(below, indent+"  ")
		case below.column >= 0:
			if texts, ok := y.shape.get(y.from, below.column); ok {
				_, _ = y.WriteString(indent + name + ": " + yamlValue(y.shape.columns[below.column].kind, texts) + "\n")
			}
		}
	}
}

// has reports whether a mapping has anything to say.
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

func yamlValue(k kind, texts []string) string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		if k == textKind || k == textsKind {
			texts[i] = yamlText(text)
		}
	}
	if k.list() {
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return texts[0]
}

// bare is a text that needs no quotes: what every reader of YAML takes for a text.
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

// writeCSV writes the columns that any entry has.
func writeCSV(w *bufio.Writer, l list) error {
	var used []int
	var paths []string
	for i, c := range l.shape.columns {
		for row := range l.rows.Len() {
			if _, ok := l.shape.get(l.rows.Index(row), i); ok {
				used, paths = append(used, i), append(paths, c.path)
				break
			}
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(paths); err != nil {
		return err
	}
	for row := range l.rows.Len() {
		cells := make([]string, len(used))
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
