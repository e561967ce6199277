// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// itemSeparator separates the items of a list in a cell.
const itemSeparator = ";"

// rows reads the rows of a list in cells: a row of paths, and a row for each entry. An
// empty cell means that the value is missing.
type rows struct {
	*draft
	table *table
	// columns maps each cell of a row to its column, or to -1 if it is unknown.
	columns []int
}

// names reads the row of paths at top, and reports whether the required columns are
// present.
func (r *rows) names(paths []string, top place, at func(cell int) place) bool {
	var seen uint64
	for i, path := range paths {
		c := r.table.shape.column(path)
		switch {
		case c < 0:
			r.fail(at(i), "column "+meant(path, r.table.shape.paths()))
		case seen&(1<<c) != 0:
			r.fail(at(i), fmt.Sprintf("column %s is there twice", path))
			c = -1
		default:
			seen |= 1 << c
		}
		r.columns = append(r.columns, c)
	}
	complete := true
	for i, c := range r.table.shape.columns {
		if r.table.shape.required&(1<<i) != 0 && !slices.Contains(paths, c.path) {
			r.fail(top, fmt.Sprintf("column %s must be there", c.path))
			complete = false
		}
	}
	return complete
}

// set sets the value of a cell of the last entry.
func (r *rows) set(i int, v value, at spot) {
	c := r.columns[i]
	if v.text == "" || c < 0 {
		return
	}
	if r.table.shape.columns[c].kind.list() {
		list := value{form: sequence}
		for item := range strings.SplitSeq(v.text, itemSeparator) {
			list.items = append(list.items, value{form: v.form, text: item})
		}
		v = list
	}
	r.put(r.table, c, v, at)
}

// csvFile reads a list of comma-separated values (RFC 4180).
type csvFile struct {
	rows
	file   int
	data   []byte
	reader *csv.Reader
}

func (d *draft) readCSV(file int, data []byte, t *table) error {
	if !d.open(t, place{file, spot{1, 1}}) {
		return nil
	}
	s := &csvFile{rows: rows{draft: d, table: t}, file: file, data: data, reader: csv.NewReader(bytes.NewReader(data))}
	// The most frequent separator of the first line.
	line, _, _ := bytes.Cut(data, []byte("\n"))
	most := 0
	for _, candidate := range []rune{',', ';', '\t'} {
		if n := bytes.Count(line, []byte(string(candidate))); n > most {
			s.reader.Comma, most = candidate, n
		}
	}
	s.reader.ReuseRecord = true
	if !s.first() {
		return nil
	}
	for {
		before := s.reader.InputOffset()
		cells, err := s.reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, csv.ErrFieldCount):
			err = s.misaligned(cells)
		case err != nil:
			s.syntax(err)
			return nil
		case s.reader.InputOffset()-before > MaxEntry:
			s.fail(s.at(0), fmt.Sprintf("a row of more than %d bytes; is a quote missing?", MaxEntry))
			return nil
		default:
			err = s.entry(cells)
		}
		if err != nil {
			return err
		}
	}
}

// first reads the row of paths, and reports whether entries can be read.
func (s *csvFile) first() bool {
	top := place{s.file, spot{1, 0}}
	if line, _, _ := bytes.Cut(s.data, []byte("\n")); len(line) > MaxEntry {
		s.fail(top, fmt.Sprintf("a first line of more than %d bytes", MaxEntry))
		return false
	}
	paths, err := s.reader.Read()
	switch {
	case errors.Is(err, io.EOF):
		s.fail(top, "the first line, which names the columns, is missing")
		return false
	case err != nil:
		s.syntax(err)
		return false
	}
	return s.names(paths, top, s.at)
}

func (s *csvFile) at(field int) place {
	line, column := s.reader.FieldPos(field)
	return place{s.file, spot{uint32(line), uint32(column)}}
}

func (s *csvFile) entry(cells []string) error {
	if err := s.begin(s.table, s.at(0)); err != nil {
		return err
	}
	for i, text := range cells {
		s.set(i, value{form: plain, text: text}, s.at(i).spot)
	}
	s.end(s.table)
	return s.advance(s.reader.InputOffset())
}

// misaligned reports a row whose number of cells differs from the first line. It keeps only
// the identifier, if that is in the first column, because other entries may refer to it.
func (s *csvFile) misaligned(cells []string) error {
	if err := s.begin(s.table, s.at(0)); err != nil {
		return err
	}
	if s.columns[0] == s.table.shape.id {
		s.put(s.table, s.columns[0], value{form: plain, text: cells[0]}, s.at(0).spot)
	}
	s.refuse(s.table, wholeEntry, fmt.Sprintf("%d cells; the first line has %d", len(cells), len(s.columns)), s.at(0).spot)
	return s.advance(s.reader.InputOffset())
}

// syntax reports the syntax error that ends the reading of the file.
func (s *csvFile) syntax(err error) {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		s.fail(place{s.file, spot{}}, err.Error())
		return
	}
	s.fail(place{s.file, spot{uint32(parse.Line), uint32(parse.Column)}}, parse.Err.Error())
}
