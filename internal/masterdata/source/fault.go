// SPDX-License-Identifier: Apache-2.0

package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxFaults bounds the faults of an [InvalidError]. More faults usually share one cause.
const MaxFaults = 100

// Fault is one fault and its place.
type Fault struct {
	File string `json:"file,omitempty"`
	// Sheet is the sheet of a workbook, where Line is the row and Column counts cells.
	Sheet string `json:"sheet,omitempty"`
	// Line and Column count from 1, columns in bytes. A zero Line stands for the whole
	// file or sheet, a zero Column for the whole line.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Family is empty for a fault of the document as a whole.
	Family string `json:"family,omitempty"`
	// ID is the identifier, quoted and shortened if it is not printable.
	ID string `json:"id,omitempty"`
	// Field is the path, such as price.amount, or empty for the whole entry.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason"`
}

// String formats the fault like a compiler error, so that editors find the place.
func (f Fault) String() string {
	var b strings.Builder
	if at := f.Place(); at != "" {
		b.WriteString(at + ": ")
	}
	if f.Family != "" {
		b.WriteString(strings.TrimSpace(f.Family+" "+f.ID) + ": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Reason
}

// Place returns the place of the fault, such as media.csv:3:32 or prices.xlsx: media!N3; empty
// for the document as a whole.
func (f Fault) Place() string {
	switch {
	case f.Sheet != "" && f.Line == 0:
		return fmt.Sprintf("%s: %s", f.File, f.Sheet)
	case f.Sheet != "":
		return fmt.Sprintf("%s: %s!%s%d", f.File, f.Sheet, columnLetters(f.Column), f.Line)
	case f.File == "" && f.Line == 0:
		return ""
	case f.File == "":
		return fmt.Sprintf("line %d", f.Line)
	case f.Line == 0:
		return f.File
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
}

// InvalidError lists the faults of invalid master data.
type InvalidError struct {
	// Faults has at most [MaxFaults] entries, in the order of files and lines.
	Faults []Fault
	// More is set if there are further faults.
	More bool
}

// Error returns the first fault.
func (e *InvalidError) Error() string {
	switch {
	case len(e.Faults) == 0:
		return "master data: invalid"
	case len(e.Faults) == 1 && !e.More:
		return "master data: " + e.Faults[0].String()
	default:
		return fmt.Sprintf("master data: %s (and more)", e.Faults[0])
	}
}

// spot is a line and a column, both from 1 or zero if unknown.
type spot struct{ line, column uint32 }

// origin is a file, or a sheet of a workbook.
type origin struct{ file, sheet string }

// place is a spot in an origin, which is given by its index.
type place struct {
	file int
	spot
}

// finding is a fault whose entry may not have an identifier yet.
type finding struct {
	at     place
	table  *table
	row    int
	field  string
	reason string
	// id is the identifier, set by settle.
	id string
}

// findings collects the faults of a document.
type findings struct {
	all  []finding
	more bool
	// known is the set of cells with a fault.
	known map[cell]bool
}

type cell struct {
	table *table
	row   int
	field string
}

func (f *findings) add(one finding) {
	if len(f.all) == MaxFaults {
		f.more = true
		return
	}
	if f.known == nil {
		f.known = map[cell]bool{}
	}
	f.known[cell{one.table, one.row, one.field}] = true
	f.all = append(f.all, one)
}

// settle sets the identifiers of findings. It must run before the entries are sorted by
// identifier, because rows count in the order of the files.
func (f *findings) settle() {
	for i := range f.all {
		one := &f.all[i]
		if one.id == "" && one.table != nil && one.row >= 0 && one.row < one.table.size() {
			one.id = one.table.id(one.row)
		}
	}
}

// reported reports whether a fault is known for a field, for its parent, or for a part of
// it.
func (f *findings) reported(t *table, row int, field string) bool {
	for c := range f.known {
		if c.table != t || c.row != row {
			continue
		}
		if c.field == wholeEntry || c.field == field || strings.HasPrefix(field, c.field+".") || strings.HasPrefix(c.field, field+".") {
			return true
		}
	}
	return false
}

// error returns the findings as an [*InvalidError], or nil.
func (f *findings) error(files []origin) error {
	if len(f.all) == 0 {
		return nil
	}
	slices.SortStableFunc(f.all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	out := &InvalidError{More: f.more}
	for _, one := range f.all {
		fault := Fault{Line: int(one.at.line), Column: int(one.at.column), Field: one.field, Reason: one.reason}
		if one.at.file < len(files) {
			fault.File, fault.Sheet = files[one.at.file].file, shown(files[one.at.file].sheet)
		}
		if one.table != nil && one.table.member != "" {
			fault.Family = one.table.family
			fault.ID = shown(one.id)
		}
		out.Faults = append(out.Faults, fault)
	}
	return out
}

// shown returns an identifier, quoted and shortened if it is long or not printable.
func shown(id string) string {
	const most = 128
	if id == "" || len(id) <= most && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return id
	}
	return fmt.Sprintf("%.60q", id)
}

// meant returns the message about an unknown name, with the most similar known name.
func meant(name string, known []string) string {
	const longest = 64
	best, distance := "", 1+len(name)/3
	for _, candidate := range known {
		if len(name) > longest {
			break
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d <= distance && (best == "" || d < distance) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return fmt.Sprintf("%.60q is not known here", name)
	}
	return fmt.Sprintf("%.60q is not known here; did you mean %s?", name, best)
}

// editDistance returns the number of bytes to insert, delete, replace or swap with the next.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
