// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

// wholeEntry is the field of what is wrong with an entry as a whole.
const wholeEntry = ""

// document makes of a draft what it says, or an [*InvalidError].
func (d *draft) document() (*Document, error) {
	out := d.whole()
	if out != nil && !d.broken {
		switch out.level {
		case LevelCatalog:
			d.checkCatalog(out)
		case LevelResources:
			d.checkResources(out)
		}
	}
	if err := d.error(d.files); err != nil {
		return nil, err
	}
	return out, nil
}

// whole checks what is about the whole; nil: it cannot be said what the document is.
func (d *draft) whole() *Document {
	t := d.header()
	if t.size() == 0 {
		if !d.broken {
			d.fail(place{}, "no level, owner and provenance; they stand at the top, or in "+headerFile)
		}
		return nil
	}
	h := &d.content.header[0]
	if !d.broken {
		d.end(t)
	}
	d.checkText("provenance.source", h.Provenance.Source, !d.broken)
	d.checkText("provenance.reference", h.Provenance.Reference, false)
	d.checkText("provenance.note", h.Provenance.Note, false)
	if h.Level != LevelCatalog && h.Level != LevelResources {
		if h.Level != "" {
			d.about("level", fmt.Sprintf("%.60q is neither %s nor %s", string(h.Level), LevelCatalog, LevelResources))
		}
		return nil
	}
	d.checkHeader(h)
	for _, other := range d.tables[1:] {
		if other.from != nil && other.level != h.Level {
			d.add(finding{at: *other.from, row: -1, reason: fmt.Sprintf("%s are not of the level %s", other.member, h.Level)})
		}
	}
	return &Document{level: h.Level, provenance: h.Provenance}
}

// checkHeader checks what a level has alone.
func (d *draft) checkHeader(h *header) {
	if h.Level == LevelResources {
		for _, field := range resourceFields {
			if !d.broken && !d.said(field) {
				d.about(field, "must be there")
			}
		}
		return
	}
	if h.Owner != authority.Platform && d.said("owner") {
		d.about("owner", fmt.Sprintf("%.60q is not %s, whose every catalog is", h.Owner, authority.Platform))
	}
	for _, c := range d.header().shape.columns {
		if ofResources(c.path) && d.said(c.path) {
			d.about(c.path, "a catalog has none")
		}
	}
}

// resourceFields are those of the header that no resources may leave out.
var resourceFields = [...]string{"currency", "policy.bleed", "policy.gutter"}

// ofResources reports a field of the header that no catalog has.
func ofResources(path string) bool {
	return path == "currency" || strings.HasPrefix(path, "policy.")
}

// headerShape is what the header of a level says.
func headerShape(l Level) *shape {
	s := shapeOf(reflect.TypeFor[header]())
	if l == LevelResources {
		for _, field := range resourceFields {
			s.required |= 1 << s.column(field)
		}
	}
	return s
}

// said reports whether the header has a field.
func (d *draft) said(field string) bool {
	t := d.header()
	return t.set&(1<<t.shape.column(field)) != 0
}

// about says what is wrong with a field of the header.
func (d *draft) about(field, reason string) { d.blame(d.header(), 0, field, reason) }

// blame says what is wrong with a field of any entry, unless that follows from what
// was found where the entry was read.
func (d *draft) blame(t *table, row int, field, reason string) {
	if !d.told(t, row, field) {
		d.add(finding{at: t.find(row, field), table: t, row: row, field: field, reason: reason})
	}
}

func (d *draft) checkText(field, text string, required bool) {
	const most = 500
	if required && text == "" || utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		d.about(field, fmt.Sprintf("a text is 1 to %d printable characters", most))
	}
}

func (d *draft) checkCatalog(out *Document) {
	made, err := catalog.NewCatalog(d.content.groups, d.content.products)
	var invalid *catalog.InvalidError
	if !errors.As(err, &invalid) {
		out.catalog = made
		return
	}
	for _, f := range invalid.Faults {
		d.fault(f.Family, f.Index, f.Field, f.Reason, f.Duplicate)
	}
	d.more = d.more || invalid.More
}

func (d *draft) checkResources(out *Document) {
	h := &d.content.header[0]
	d.content.resources.Owner, d.content.resources.Currency, d.content.resources.Policy = h.Owner, h.Currency, h.Policy
	made, err := authority.New(d.content.resources)
	var invalid *authority.InvalidError
	if !errors.As(err, &invalid) {
		out.resources = made
		return
	}
	for _, f := range invalid.Faults {
		d.fault(string(f.Family), f.Index, f.Field, f.Reason, f.Duplicate)
	}
	d.more = d.more || invalid.More
}

// fault tells where something stands that a package of content has found.
func (d *draft) fault(family string, index int, field, reason string, duplicate bool) {
	for _, t := range d.tables {
		if t.family != family {
			continue
		}
		if index >= t.size() {
			break // it is about the list, which may be empty
		}
		if duplicate {
			reason += d.first(t, index)
		}
		d.blame(t, index, field, reason)
		return
	}
	d.add(finding{row: -1, field: field, reason: reason})
}

// first is where the identifier of an entry stands already, as the end of a
// sentence. Identifiers of resources are unique among all families, uids of the
// catalog in their own.
func (d *draft) first(t *table, row int) string {
	id := t.id(row)
	for _, other := range d.tables[1:] {
		if other.level != t.level || other != t && t.level == LevelCatalog {
			continue
		}
		for i := range other.size() {
			if other == t && i == row {
				return ""
			}
			if other.id(i) == id {
				return ", at " + d.named(other.rows[i])
			}
		}
	}
	return ""
}
