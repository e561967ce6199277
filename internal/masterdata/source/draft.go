// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// errStop ends the reading: what is wrong is among the findings, and to go on would
// only cost.
var errStop = errors.New("no more is read")

// draft is a document that is being read: what each format puts its entries into.
type draft struct {
	content content
	tables  []*table
	// files are the names in errors; a place has an index of it.
	files []string
	findings
	// broken is set if entries are missing that somebody wrote, so that it cannot be
	// said what the rest of them lack.
	broken bool

	ctx      context.Context //nolint:containedctx // of one call of Read, whose draft this is
	progress func(done int64)
	reported int64
}

func newDraft(ctx context.Context, progress func(done int64)) *draft {
	d := &draft{ctx: ctx, progress: progress}
	d.tables = d.content.tables()
	return d
}

func (d *draft) header() *table { return d.tables[0] }

// table finds a list by its name.
func (d *draft) table(member string) *table {
	if i := slices.IndexFunc(d.tables, func(t *table) bool { return t.member == member }); i > 0 {
		return d.tables[i]
	}
	return nil
}

// members are the names that the top of a document may have.
func (d *draft) members() []string {
	names := slices.Clone(d.header().shape.root.names)
	for _, t := range d.tables[1:] {
		names = append(names, t.member)
	}
	return names
}

// open begins a list, which may be in one place only.
func (d *draft) open(t *table, at place) bool {
	if t.from != nil {
		d.fail(at, fmt.Sprintf("%s are in %s already", t.member, d.named(*t.from)))
		return false
	}
	t.from = &at
	return true
}

// named is a place as a sentence has it.
func (d *draft) named(at place) string {
	return fmt.Sprintf("%s:%d", d.files[at.file], at.line)
}

// begin begins an entry. The only error is [errStop]'s, or the context's.
func (d *draft) begin(t *table, at place) error {
	if !t.begin(at) {
		d.add(finding{at: at, table: t, row: -1, reason: fmt.Sprintf("more than %d; no more are taken", t.most)})
		d.broken = true
		return errStop
	}
	return nil
}

// put writes a value of the entry that was begun last.
func (d *draft) put(t *table, column int, v value, at spot) {
	if reason := t.put(column, v, at); reason != "" {
		d.refuse(t, t.shape.columns[column].path, reason, at)
	}
}

// refuse says what is wrong with a field of the entry that was begun last.
func (d *draft) refuse(t *table, field, reason string, at spot) {
	row := t.size() - 1
	d.add(finding{at: place{t.rows[row].file, at}, table: t, row: row, field: field, reason: reason})
}

// end says what the entry that was begun last lacks.
func (d *draft) end(t *table) {
	row := t.size() - 1
	for _, path := range t.missing() {
		if !d.told(t, row, path) {
			d.refuse(t, path, "must be there", t.rows[row].spot)
		}
	}
}

// fail says that a part of a file cannot be read.
func (d *draft) fail(at place, reason string) {
	d.broken = true
	d.add(finding{at: at, row: -1, reason: reason})
}

// advance tells how far a file has been read. Its error is that of a context that
// has ended, and [errStop] when nobody wants to know of more faults.
func (d *draft) advance(offset int64) error {
	const step = 64 << 10
	if d.more {
		return errStop
	}
	if offset-d.reported < step && offset >= d.reported {
		return nil
	}
	d.reported = offset
	d.progress(offset)
	return d.ctx.Err()
}
