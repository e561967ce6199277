// SPDX-License-Identifier: Apache-2.0

// Package source reads and writes master data: a catalog or the costed resources
// of an owner, as one file of YAML or JSON, or as a directory in which lists have
// files of their own, CSV among them.
//
// Nothing is taken in half: a [Document] is a whole that packages catalog and
// authority accept, and everything that is wrong with it is told at once, each
// fault with its file and line. Texts and numbers are those that the file has, byte
// by byte; no format gets to say that `no` is false or 1e3 a thousand. How much is
// read is bounded before it is read, by the size of files, the lengths of lists and
// of texts; YAML has no anchors, aliases or tags.
package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

// Bounds of what is read.
const (
	// MaxFile and MaxTotal bound one file, and the files of a directory, in bytes.
	MaxFile  = 64 << 20
	MaxTotal = 128 << 20
	// MaxScalar bounds a value in bytes.
	MaxScalar = 4 << 10
	// MaxEntry bounds an entry of a list as it is written in CSV or YAML, in bytes.
	MaxEntry = 128 << 10
	// maxPart is how much YAML is read at once.
	maxPart = 64 << 10
)

// ErrLevel means that a document is of the other level.
var ErrLevel = errors.New("master data of another level")

// Provenance is where a document comes from. It is kept beside the content, whose id
// does not depend on it.
type Provenance struct {
	// Source is the system or the file that it is from. A document needs one.
	Source string `json:"source"`
	// Reference is what it is called there, such as an export or a ticket.
	Reference string `json:"reference,omitempty"`
	Note      string `json:"note,omitempty"`
}

// Document is a catalog or the resources of an owner. It is immutable.
type Document struct {
	level      Level
	provenance Provenance
	catalog    *catalog.Catalog
	resources  *authority.Snapshot
}

// FromCatalog makes a document of a catalog, to be written.
func FromCatalog(c *catalog.Catalog, p Provenance) *Document {
	return &Document{level: LevelCatalog, provenance: p, catalog: c}
}

// FromAuthority makes a document of costed resources, to be written.
func FromAuthority(s *authority.Snapshot, p Provenance) *Document {
	return &Document{level: LevelResources, provenance: p, resources: s}
}

// Level is what the document is about.
func (d *Document) Level() Level { return d.level }

// Owner is [authority.Platform] or an organization; catalogs are the platform's.
func (d *Document) Owner() string {
	if d.resources == nil {
		return authority.Platform
	}
	return d.resources.Owner()
}

// Provenance is where the document comes from.
func (d *Document) Provenance() Provenance { return d.provenance }

// ID is "sha256:" and the digest of the content.
func (d *Document) ID() string {
	if d.resources == nil {
		return d.catalog.ID()
	}
	return d.resources.ID()
}

// Catalog is the content of a catalog; else the error is [ErrLevel].
func (d *Document) Catalog() (*catalog.Catalog, error) {
	if d.catalog == nil {
		return nil, ErrLevel
	}
	return d.catalog, nil
}

// Authority is the content of costed resources; else the error is [ErrLevel].
func (d *Document) Authority() (*authority.Snapshot, error) {
	if d.resources == nil {
		return nil, ErrLevel
	}
	return d.resources, nil
}

// Count is how long a list is.
type Count struct {
	List    string `json:"list"`
	Entries int    `json:"entries"`
}

// Counts are those of the lists that have entries.
func (d *Document) Counts() []Count {
	var counts []Count
	for _, l := range d.lists() {
		if l.rows.Len() > 0 {
			counts = append(counts, Count{l.member, l.rows.Len()})
		}
	}
	return counts
}

// list is one of a document, in the order of identifiers.
type list struct {
	member, family string
	shape          *shape
	rows           reflect.Value
}

// lists are those of the level; the header is not among them.
func (d *Document) lists() []list {
	var c content
	if d.catalog != nil {
		c.groups, c.products = d.catalog.Groups(), d.catalog.Products("")
	} else {
		c.resources = *d.resources.Content()
	}
	var lists []list
	for _, t := range c.tables()[1:] {
		if t.level == d.level {
			lists = append(lists, list{t.member, t.family, t.shape, t.list})
		}
	}
	return lists
}

// header is what the document says about the whole.
func (d *Document) header() header {
	h := header{Level: d.level, Owner: d.Owner(), Provenance: d.provenance}
	if d.resources != nil {
		h.Currency, h.Policy = string(d.resources.Currency()), d.resources.Policy()
	}
	return h
}

// JSON is the document in the form in which it is sent: [ReadJSON] makes it again.
func (d *Document) JSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d.form()); err != nil {
		return nil, fmt.Errorf("master data: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// form is what JSON writes.
func (d *Document) form() any {
	if d.resources != nil {
		return struct {
			Level      Level      `json:"level"`
			Provenance Provenance `json:"provenance"`
			*authority.Content
		}{d.level, d.provenance, d.resources.Content()}
	}
	return struct {
		Level      Level             `json:"level"`
		Owner      string            `json:"owner"`
		Provenance Provenance        `json:"provenance"`
		Groups     []catalog.Group   `json:"groups"`
		Products   []catalog.Product `json:"products"`
	}{d.level, d.Owner(), d.provenance, d.catalog.Groups(), d.catalog.Products("")}
}

// Column is a value that entries of a list may have.
type Column struct {
	// List is the name of the list, empty for what is about the whole.
	List string
	// Path is the column of CSV; in YAML and JSON its points are mappings.
	Path string
	// Kind is text, decimal, whole number, or true or false, or a list of such.
	Kind string
	// Required is set if no entry may leave it out.
	Required bool
}

// Columns are those of all lists of a level, in the order in which they are
// written.
func Columns(l Level) []Column {
	var columns []Column
	for _, t := range new(content).tables() {
		s := t.shape
		if t.member == "" {
			s = headerShape(l)
		} else if t.level != l {
			continue
		}
		for i, c := range s.columns {
			if t.member == "" && l == LevelCatalog && ofResources(c.path) {
				continue
			}
			columns = append(columns, Column{t.member, c.path, c.kind.String(), s.required&(1<<i) != 0})
		}
	}
	return columns
}
