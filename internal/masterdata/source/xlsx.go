// SPDX-License-Identifier: Apache-2.0

package source

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a sheet, as every spreadsheet has them.
const (
	maxSheetRow    = 1 << 20
	maxSheetColumn = 1 << 14
)

// sheet reads a list from a sheet of a workbook.
type sheet struct {
	rows
	book *workbook
	file int
	// size is the size of the workbook in bytes, to which its progress is scaled.
	size int64
	// row and column are the numbers of the current cell, cells the cells of the row that
	// have a value.
	row, column uint32
	cells       []sheetCell
	// index maps the number of a column to its index in the row of paths.
	index map[uint32]int
	// incomplete is set if a required column is missing, so that no entry is read.
	incomplete bool
}

// sheetCell is a cell, or the reason why it is not read.
type sheetCell struct {
	column uint32
	value  value
	fault  string
}

// readXLSX reads a workbook, which has a sheet for the header and for each list.
func (d *draft) readXLSX(file int, data []byte) error {
	book, err := openWorkbook(data)
	var broken workbookError
	if errors.As(err, &broken) {
		d.fail(place{file, spot{}}, string(broken))
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range book.sheets {
		i := len(d.files)
		d.files = append(d.files, origin{d.files[file].file, s.name})
		t := d.table(s.name)
		if s.name == headerName {
			t = d.header()
		}
		if t == nil {
			d.fail(place{i, spot{}}, "sheet "+meant(s.name, d.sheets()))
			continue
		}
		if !d.open(t, place{i, spot{1, 1}}) {
			continue
		}
		r := &sheet{rows: rows{draft: d, table: t}, book: book, file: i, size: int64(len(data))}
		err := book.each(s.part, r.element)
		if err == nil {
			err = r.endRow()
		}
		switch {
		case errors.As(err, &broken):
			r.fail(place{i, spot{r.row, 0}}, string(broken))
		case err != nil:
			return err
		case r.columns == nil:
			r.fail(place{i, spot{1, 0}}, "the first row, which names the columns, is missing")
		}
	}
	return nil
}

// sheets returns the names of the sheets that a workbook may have.
func (d *draft) sheets() []string {
	names := []string{headerName}
	for _, t := range d.tables[1:] {
		names = append(names, t.member)
	}
	return names
}

// element reads an element of the sheet.
func (s *sheet) element(p *partReader, e *xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		if err := s.endRow(); err != nil {
			return err
		}
		row := uint64(s.row) + 1
		if r := attribute(e, "r"); r != "" {
			n, err := strconv.ParseUint(r, 10, 32)
			if err != nil || n < row {
				return workbookError(fmt.Sprintf("the row %.20q follows row %d", r, s.row))
			}
			row = n
		}
		if row > maxSheetRow {
			return workbookError(fmt.Sprintf("more than %d rows", maxSheetRow))
		}
		s.row, s.column = uint32(row), 0
	case "c":
		return s.readCell(p, e)
	case "mergeCell":
		s.fail(place{s.file, spot{}}, fmt.Sprintf("the cells %.20s are merged; a value belongs to one cell", attribute(e, "ref")))
	}
	return nil
}

// readCell reads a cell with its content.
func (s *sheet) readCell(p *partReader, e *xml.StartElement) error {
	s.column++
	if r := attribute(e, "r"); r != "" {
		letters := strings.TrimRight(r, "0123456789")
		column := columnNumber(letters)
		if column < s.column || r[len(letters):] != strconv.FormatUint(uint64(s.row), 10) {
			return workbookError(fmt.Sprintf("the cell %.20q is not in its place", r))
		}
		s.column = column
	}
	if s.column > maxSheetColumn {
		return workbookError(fmt.Sprintf("more than %d columns", maxSheetColumn))
	}
	var content cellContent
	for end := p.depth - 1; p.depth > end; {
		token, err := p.next()
		if err != nil {
			return err
		}
		child, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch child.Name.Local {
		case "f":
			content.formula = true
		case "v", "is":
			content.stored = true
			content.text, err = p.text()
		}
		if err != nil {
			return err
		}
	}
	cell := sheetCell{column: s.column}
	cell.value, cell.fault = s.book.value(attribute(e, "t"), attribute(e, "s"), content)
	if cell.value.text != "" || cell.fault != "" {
		s.cells = append(s.cells, cell)
	}
	return nil
}

// cellContent is the content of a cell in a file.
type cellContent struct {
	text string
	// stored is set if there is a value, formula if there is a formula.
	stored, formula bool
}

// value returns the value of a cell of a type and a style, or the reason why it has none.
func (w *workbook) value(kind, style string, c cellContent) (v value, fault string) {
	if c.formula && !c.stored {
		return v, "a formula without its result; open the workbook in a spreadsheet, and save it again"
	}
	if c.text == "" {
		return v, ""
	}
	switch kind {
	case "s":
		i, err := strconv.ParseUint(c.text, 10, 32)
		if err != nil || i >= uint64(len(w.texts)) {
			return v, fmt.Sprintf("the shared text %.20q is missing", c.text)
		}
		w.unpacked += int64(len(w.texts[i])) // many cells can share one large text
		return value{form: plain, text: w.texts[i]}, ""
	case "inlineStr", "str":
		return value{form: plain, text: c.text}, ""
	case "b":
		return value{form: boolean, text: strconv.FormatBool(c.text == "1" || c.text == "true")}, ""
	case "e":
		return v, fmt.Sprintf("the error %.20s", c.text)
	case "d":
		return v, "is a date"
	case "n", "":
	default:
		return v, fmt.Sprintf("the type %.20q of a cell is unknown", kind)
	}
	format := "General"
	if style != "" {
		i, err := strconv.ParseUint(style, 10, 32)
		if err != nil || i >= uint64(len(w.formats)) {
			return v, fmt.Sprintf("the style %.20q is missing", style)
		}
		format = w.formats[i]
	}
	if showsOther(format) {
		return v, fmt.Sprintf("the format %.60q shows another number than the cell stores; use the format General", format)
	}
	text, ok := storedNumber(c.text)
	if !ok {
		return v, fmt.Sprintf("the number %.60q has more than 15 digits; round it", c.text)
	}
	return value{form: number, text: text}, ""
}

// storedNumber returns the decimal number that a spreadsheet stores as text of a binary
// one. Spreadsheets keep 15 digits of a number, but may write 17: 1.1 becomes
// 1.1000000000000001. The shortest decimal number with the same binary number is the
// original one. ok is false for a number that needs more than 15 digits, such as the
// result 0.30000000000000004.
func storedNumber(text string) (decimal string, ok bool) {
	const digits = 15
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXnN_") {
		return "", false
	}
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	return strconv.FormatFloat(n, 'f', -1, 64), len(strings.Trim(mantissa, "-")) <= digits+len(".")
}

// endRow reads the cells of a row.
func (s *sheet) endRow() error {
	cells := s.cells
	s.cells = s.cells[:0]
	if len(cells) == 0 || s.incomplete {
		return nil
	}
	at := func(i int) place { return place{s.file, spot{s.row, cells[i].column}} }
	if s.columns == nil {
		var paths []string
		s.index = map[uint32]int{}
		for i, c := range cells {
			if c.fault != "" {
				s.fail(at(i), c.fault)
			}
			s.index[c.column], paths = i, append(paths, c.value.text)
		}
		s.incomplete = !s.names(paths, place{s.file, spot{s.row, 0}}, at)
		return nil
	}
	if err := s.begin(s.table, at(0)); err != nil {
		return err
	}
	for i, c := range cells {
		cell, named := s.index[c.column]
		switch {
		case !named:
			s.refuse(s.table, wholeEntry, "a value in a column without a name", at(i).spot)
			continue
		case s.columns[cell] < 0: // the first row has a fault
			continue
		}
		column := s.table.shape.columns[s.columns[cell]]
		if c.value.form != plain && (column.kind == textKind || column.kind == textsKind) {
			c.fault = "is a text; give the cell the format Text, and enter the value again"
		}
		if c.fault != "" {
			s.refuse(s.table, column.path, c.fault, at(i).spot)
			continue
		}
		s.set(cell, c.value, at(i).spot)
	}
	if s.table != s.header() {
		s.end(s.table)
	}
	return s.advance(min(s.size, s.size*s.book.unpacked/s.book.total))
}

// columnNumber returns the number of a column from its letters: 1 for A, 27 for AA. It
// returns 0 for other texts.
func columnNumber(letters string) uint32 {
	if len(letters) > 3 {
		return 0
	}
	n := uint32(0)
	for _, letter := range []byte(letters) {
		if letter < 'A' || letter > 'Z' {
			return 0
		}
		n = n*26 + uint32(letter-'A') + 1
	}
	return n
}

// columnLetters returns the letters of a column from its number.
func columnLetters(n int) string {
	text := ""
	for ; n > 0; n = (n - 1) / 26 {
		text = string(rune('A'+(n-1)%26)) + text
	}
	return text
}
