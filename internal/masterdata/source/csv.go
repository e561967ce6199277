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

// sheet reads a list of comma-separated values (RFC 4180): a row of paths, and a row for
// each entry. An empty cell means that the value is missing.
type sheet struct {
	*draft
	table *table
	file  int
	rows  *csv.Reader
	data  []byte
	// columns maps each cell of a row to its column, or to -1 if it is unknown.
	columns []int
}

func (d *draft) readCSV(file int, data []byte, t *table) error {
	if !d.open(t, place{file, spot{1, 1}}) {
		return nil
	}
	s := &sheet{draft: d, table: t, file: file, data: data, rows: csv.NewReader(bytes.NewReader(data))}
	// The most frequent separator of the first line.
	line, _, _ := bytes.Cut(data, []byte("\n"))
	most := 0
	for _, candidate := range []rune{',', ';', '\t'} {
		if n := bytes.Count(line, []byte(string(candidate))); n > most {
			s.rows.Comma, most = candidate, n
		}
	}
	s.rows.ReuseRecord = true
	if !s.header() {
		return nil
	}
	for {
		before := s.rows.InputOffset()
		cells, err := s.rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, csv.ErrFieldCount):
			err = s.misaligned(cells)
		case err != nil:
			s.syntax(err)
			return nil
		case s.rows.InputOffset()-before > MaxEntry:
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

// header reads the row of paths, and reports whether the required columns are present.
func (s *sheet) header() bool {
	if line, _, _ := bytes.Cut(s.data, []byte("\n")); len(line) > MaxEntry {
		s.fail(place{s.file, spot{1, 0}}, fmt.Sprintf("a first line of more than %d bytes", MaxEntry))
		return false
	}
	paths, err := s.rows.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			s.fail(place{s.file, spot{1, 0}}, "the first line, which names the columns, is missing")
		} else {
			s.syntax(err)
		}
		return false
	}
	var seen uint64
	for i, path := range paths {
		c := s.table.shape.column(path)
		switch {
		case c < 0:
			s.fail(s.at(i), "column "+meant(path, s.table.shape.paths()))
		case seen&(1<<c) != 0:
			s.fail(s.at(i), fmt.Sprintf("column %s is there twice", path))
			c = -1
		default:
			seen |= 1 << c
		}
		s.columns = append(s.columns, c)
	}
	complete := true
	for i, c := range s.table.shape.columns {
		if s.table.shape.required&(1<<i) != 0 && !slices.Contains(paths, c.path) {
			s.fail(place{s.file, spot{1, 0}}, fmt.Sprintf("column %s must be there", c.path))
			complete = false
		}
	}
	return complete
}

func (s *sheet) at(field int) place {
	line, column := s.rows.FieldPos(field)
	return place{s.file, spot{uint32(line), uint32(column)}}
}

func (s *sheet) entry(cells []string) error {
	if err := s.begin(s.table, s.at(0)); err != nil {
		return err
	}
	for i, cell := range cells {
		c := s.columns[i]
		if cell == "" || c < 0 {
			continue
		}
		v := value{form: plain, text: cell}
		if s.table.shape.columns[c].kind.list() {
			v = value{form: sequence}
			for item := range strings.SplitSeq(cell, itemSeparator) {
				v.items = append(v.items, value{form: plain, text: item})
			}
		}
		s.put(s.table, c, v, s.at(i).spot)
	}
	s.end(s.table)
	return s.advance(s.rows.InputOffset())
}

// misaligned reports a row whose number of cells differs from the first line. It keeps only
// the identifier, if that is in the first column, because other entries may refer to it.
func (s *sheet) misaligned(cells []string) error {
	if err := s.begin(s.table, s.at(0)); err != nil {
		return err
	}
	if s.columns[0] == s.table.shape.id {
		s.put(s.table, s.columns[0], value{form: plain, text: cells[0]}, s.at(0).spot)
	}
	s.refuse(s.table, wholeEntry, fmt.Sprintf("%d cells; the first line has %d", len(cells), len(s.columns)), s.at(0).spot)
	return s.advance(s.rows.InputOffset())
}

// syntax reports the syntax error that ends the reading of the file.
func (s *sheet) syntax(err error) {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		s.fail(place{s.file, spot{}}, err.Error())
		return
	}
	s.fail(place{s.file, spot{uint32(parse.Line), uint32(parse.Column)}}, parse.Err.Error())
}
