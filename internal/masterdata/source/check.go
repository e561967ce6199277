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

// wholeEntry is the field of a fault of an entry as a whole.
const wholeEntry = ""

// document returns the content of a draft, or an [*InvalidError].
func (d *draft) document() (*Document, error) {
	d.settle()
	out := d.whole()
	if out != nil && !d.broken {
		switch out.level {
		case LevelCatalog:
			made, err := catalog.NewCatalog(d.content.groups, d.content.products)
			var invalid *catalog.InvalidError
			if !errors.As(err, &invalid) {
				out.catalog = made
				break
			}
			for _, f := range invalid.Faults {
				d.fault(f.Family, f.Index, f.Field, f.Reason, f.Duplicate)
			}
			d.more = d.more || invalid.More
		case LevelResources:
			d.checkResources(out)
		}
	}
	d.settle()
	if err := d.error(d.files); err != nil {
		return nil, err
	}
	return out, nil
}

// whole checks the header. It returns nil if the level of the document is unknown.
func (d *draft) whole() *Document {
	t := d.header()
	if t.size() == 0 {
		if !d.broken {
			d.fail(place{}, "no level, owner and provenance; they stand at the top, in "+headerFile+", or in the sheet "+headerName)
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

// checkHeader checks the fields of the header that depend on the level.
func (d *draft) checkHeader(h *header) {
	if h.Level == LevelResources {
		for _, field := range resourceFields {
			if !d.broken && !d.present(field) {
				d.about(field, "must be there")
			}
		}
		return
	}
	if h.Owner != authority.Platform && d.present("owner") {
		d.about("owner", fmt.Sprintf("%.60q is not %s, whose every catalog is", h.Owner, authority.Platform))
	}
	for _, c := range d.header().shape.columns {
		if ofResources(c.path) && d.present(c.path) {
			d.about(c.path, "a catalog has none")
		}
	}
}

// resourceFields lists the fields of the header that resources require.
var resourceFields = [...]string{"currency", "policy.bleed", "policy.gutter"}

// ofResources reports whether a field of the header is for resources only.
func ofResources(path string) bool {
	return path == "currency" || strings.HasPrefix(path, "policy.")
}

// headerShape returns the shape of the header of a level.
func headerShape(l Level) *shape {
	s := shapeOf(reflect.TypeFor[header]())
	if l == LevelResources {
		for _, field := range resourceFields {
			s.required |= 1 << s.column(field)
		}
	}
	return s
}

// present reports whether the header has a field.
func (d *draft) present(field string) bool {
	t := d.header()
	return t.set&(1<<t.shape.column(field)) != 0
}

// about adds a fault of a field of the header.
func (d *draft) about(field, reason string) { d.blame(d.header(), 0, field, reason) }

// blame adds a fault of a field of an entry, unless a fault that was found when the entry
// was read already explains it.
func (d *draft) blame(t *table, row int, field, reason string) {
	if !d.reported(t, row, field) {
		d.add(finding{at: t.find(row, field), table: t, row: row, field: field, reason: reason})
	}
}

func (d *draft) checkText(field, text string, required bool) {
	const most = 500
	if required && text == "" || utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		d.about(field, fmt.Sprintf("a text is 1 to %d printable characters", most))
	}
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

// fault adds a fault that package catalog or authority found, with its place in the files.
func (d *draft) fault(family string, index int, field, reason string, duplicate bool) {
	for _, t := range d.tables {
		if t.family != family {
			continue
		}
		if index >= t.size() {
			break // a fault of the list, which may be empty
		}
		if duplicate {
			reason += d.first(t, index)
		}
		d.blame(t, index, field, reason)
		return
	}
	d.add(finding{row: -1, field: field, reason: reason})
}

// first returns the place of the first entry with the same identifier, as the end of a
// sentence. Identifiers of resources are unique among all families, uids of the catalog
// within their list.
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
