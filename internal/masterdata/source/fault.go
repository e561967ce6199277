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

// MaxFaults bounds an [InvalidError]: whoever has more has one mistake in all of
// them.
const MaxFaults = 100

// Fault is one thing that is wrong, and where.
type Fault struct {
	File string `json:"file,omitempty"`
	// Line and Column are from 1; 0: it is about the file, or about the line.
	// Columns are of bytes.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Family is empty for what is about the whole.
	Family string `json:"family,omitempty"`
	// ID is the identifier, as far as there is one to show.
	ID string `json:"id,omitempty"`
	// Field is the path, such as price.amount; empty for the whole entry.
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason"`
}

// String is the fault as compilers write theirs, so that editors find the place.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.where())
	if f.Family != "" {
		b.WriteString(strings.TrimSpace(f.Family+" "+f.ID) + ": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Reason
}

func (f Fault) where() string {
	switch {
	case f.File == "" && f.Line == 0:
		return ""
	case f.File == "":
		return fmt.Sprintf("line %d: ", f.Line)
	case f.Line == 0:
		return f.File + ": "
	case f.Column == 0:
		return fmt.Sprintf("%s:%d: ", f.File, f.Line)
	default:
		return fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Column)
	}
}

// InvalidError says why files are no master data.
type InvalidError struct {
	// Faults are at most [MaxFaults], in the order of the files and their lines.
	Faults []Fault
	// More is set if there were others.
	More bool
}

// Error tells the first.
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

// spot is where something stands: a line and a column from 1, or zeros.
type spot struct{ line, column uint32 }

// place is a spot in a file, by the number of the file.
type place struct {
	file int
	spot
}

// finding is a fault whose entry may not be known by its identifier yet.
type finding struct {
	at     place
	table  *table
	row    int
	field  string
	reason string
}

// findings collects what is wrong.
type findings struct {
	all  []finding
	more bool
	// known are the cells that something is wrong with.
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

// told reports whether something is known to be wrong with a field, with what it is
// part of, or with a part of it.
func (f *findings) told(t *table, row int, field string) bool {
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

// error is an [*InvalidError] about what was found, or nil.
func (f *findings) error(files []string) error {
	if len(f.all) == 0 {
		return nil
	}
	slices.SortStableFunc(f.all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	out := &InvalidError{More: f.more}
	for _, one := range f.all {
		out.Faults = append(out.Faults, one.fault(files))
	}
	return out
}

func (f finding) fault(files []string) Fault {
	fault := Fault{Line: int(f.at.line), Column: int(f.at.column), Field: f.field, Reason: f.reason}
	if f.at.file < len(files) {
		fault.File = files[f.at.file]
	}
	if f.table != nil && f.table.member != "" {
		fault.Family = f.table.family
		if f.row >= 0 && f.row < f.table.size() {
			fault.ID = shown(f.table.id(f.row))
		}
	}
	return fault
}

// shown is an identifier as far as it can be shown.
func shown(id string) string {
	const most = 128
	if id == "" || len(id) <= most && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return id
	}
	return fmt.Sprintf("%.60q", id)
}

// meant adds to a name that nobody knows the one that it may have been.
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

// editDistance is how many bytes must be put in, taken out, replaced, or swapped
// with the next.
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
