// SPDX-License-Identifier: Apache-2.0

package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// errStop ends the reading early; the findings already explain the fault.
var errStop = errors.New("no more is read")

// draft is a document under construction. The reader of each format adds its entries.
type draft struct {
	content content
	tables  []*table
	// files lists the files and sheets for errors; a place holds an index into it.
	files []origin
	findings
	// broken is set if a part of the files could not be read, so that missing entries are
	// not faults.
	broken bool

	ctx      context.Context //nolint:containedctx // of one call of Read, whose draft this is
	progress func(done int64)
	// progressed is the offset of the last progress report.
	progressed int64
}

func newDraft(ctx context.Context, progress func(done int64)) *draft {
	d := &draft{ctx: ctx, progress: progress}
	d.tables = d.content.tables()
	return d
}

func (d *draft) header() *table { return d.tables[0] }

// table returns the list with a name, or nil.
func (d *draft) table(member string) *table {
	if i := slices.IndexFunc(d.tables, func(t *table) bool { return t.member == member }); i > 0 {
		return d.tables[i]
	}
	return nil
}

// members returns the names allowed at the top of a document.
func (d *draft) members() []string {
	names := slices.Clone(d.header().shape.root.names)
	for _, t := range d.tables[1:] {
		names = append(names, t.member)
	}
	return names
}

// open begins a list, and reports false if the list is already in another place.
func (d *draft) open(t *table, at place) bool {
	if t.from != nil {
		d.fail(at, fmt.Sprintf("%s are in %s already", cmp.Or(t.member, headerName), d.named(*t.from)))
		return false
	}
	t.from = &at
	return true
}

// named formats a place for messages.
func (d *draft) named(at place) string {
	of := d.files[at.file]
	if of.sheet != "" {
		return fmt.Sprintf("%s!%s%d", shown(of.sheet), columnLetters(int(at.column)), at.line)
	}
	return fmt.Sprintf("%s:%d", of.file, at.line)
}

// begin begins an entry. Its only error is [errStop].
func (d *draft) begin(t *table, at place) error {
	if !t.begin(at) {
		d.add(finding{at: at, table: t, row: -1, reason: fmt.Sprintf("more than %d; no more are taken", t.most)})
		d.broken = true
		return errStop
	}
	return nil
}

// put sets a value of the last entry.
func (d *draft) put(t *table, column int, v value, at spot) {
	if reason := t.put(column, v, at); reason != "" {
		d.refuse(t, t.shape.columns[column].path, reason, at)
	}
}

// refuse adds a fault of a field of the last entry.
func (d *draft) refuse(t *table, field, reason string, at spot) {
	row := t.size() - 1
	d.add(finding{at: place{t.rows[row].file, at}, table: t, row: row, field: field, reason: reason})
}

// end reports the missing required fields of the last entry.
func (d *draft) end(t *table) {
	row := t.size() - 1
	for left := t.shape.required &^ t.set; left != 0; left &= left - 1 {
		path := t.shape.columns[bits.TrailingZeros64(left)].path
		if !d.reported(t, row, path) {
			d.refuse(t, path, "must be there", t.rows[row].spot)
		}
	}
}

// fail reports that a part of a file cannot be read.
func (d *draft) fail(at place, reason string) {
	d.broken = true
	d.add(finding{at: at, row: -1, reason: reason})
}

// advance reports the progress in a file. It returns the error of an ended context, or
// [errStop] when the bound of faults is exceeded.
func (d *draft) advance(offset int64) error {
	const step = 64 << 10
	if d.more {
		return errStop
	}
	if offset-d.progressed < step && offset >= d.progressed {
		return nil
	}
	d.progressed = offset
	d.progress(offset)
	return d.ctx.Err()
}
