// SPDX-License-Identifier: Apache-2.0

// Package source reads and writes master data: a catalog, or the costed resources of an
// owner. The form is one YAML or JSON file, or a directory with a YAML, JSON or CSV file for
// each list.
//
// A [Document] is complete and accepted by packages catalog and authority. Otherwise all
// faults are reported at once, each with its file and line. Texts and numbers are taken
// byte by byte from the file: in every format `no` is a text and 1e3 is not a number. The
// sizes of files, lists and texts are bounded before they are read. YAML anchors, aliases
// and tags are rejected.
package source

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

// Bounds of files and values.
const (
	// MaxFile and MaxTotal bound one file, and the files of a directory, in bytes.
	MaxFile  = 64 << 20
	MaxTotal = 128 << 20
	// MaxScalar bounds a value in bytes.
	MaxScalar = 4 << 10
	// MaxEntry bounds an entry of a list in CSV or YAML, in bytes.
	MaxEntry = 128 << 10
	// maxPart is the size in bytes of the parts in which YAML is parsed.
	maxPart = 64 << 10
)

// ErrLevel means that a document has the other level.
var ErrLevel = errors.New("master data of another level")

// Provenance is the origin of a document. The id of the content does not depend on it.
type Provenance struct {
	// Source is the system or the file of origin. It is required.
	Source string `json:"source"`
	// Reference is the name at the origin, such as an export or a ticket.
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

// FromCatalog returns a catalog as a document to write.
func FromCatalog(c *catalog.Catalog, p Provenance) *Document {
	return &Document{level: LevelCatalog, provenance: p, catalog: c}
}

// FromAuthority returns costed resources as a document to write.
func FromAuthority(s *authority.Snapshot, p Provenance) *Document {
	return &Document{level: LevelResources, provenance: p, resources: s}
}

// Level returns the level of the document.
func (d *Document) Level() Level { return d.level }

// Owner returns [authority.Platform] or an organization. Catalogs belong to the platform.
func (d *Document) Owner() string {
	if d.resources == nil {
		return authority.Platform
	}
	return d.resources.Owner()
}

// Provenance returns the origin of the document.
func (d *Document) Provenance() Provenance { return d.provenance }

// ID returns "sha256:" and the digest of the content.
func (d *Document) ID() string {
	if d.resources == nil {
		return d.catalog.ID()
	}
	return d.resources.ID()
}

// Catalog returns the catalog, or [ErrLevel] for a document of resources.
func (d *Document) Catalog() (*catalog.Catalog, error) {
	if d.catalog == nil {
		return nil, ErrLevel
	}
	return d.catalog, nil
}

// Authority returns the costed resources, or [ErrLevel] for a catalog.
func (d *Document) Authority() (*authority.Snapshot, error) {
	if d.resources == nil {
		return nil, ErrLevel
	}
	return d.resources, nil
}

// Count is the length of a list.
type Count struct {
	List    string `json:"list"`
	Entries int    `json:"entries"`
}

// Counts returns the lengths of the lists that have entries.
func (d *Document) Counts() []Count {
	var counts []Count
	for _, l := range d.lists() {
		if l.rows.Len() > 0 {
			counts = append(counts, Count{l.member, l.rows.Len()})
		}
	}
	return counts
}

// list is a list of a document, sorted by identifier.
type list struct {
	member, family string
	shape          *shape
	rows           reflect.Value
}

// lists returns the lists of the document's level, without the header.
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

// header returns the header of the document.
func (d *Document) header() header {
	h := header{Level: d.level, Owner: d.Owner(), Provenance: d.provenance}
	if d.resources != nil {
		h.Currency, h.Policy = string(d.resources.Currency()), d.resources.Policy()
	}
	return h
}

// JSON returns the document in the form for transmission, which [ReadJSON] reads.
func (d *Document) JSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d.form()); err != nil {
		return nil, fmt.Errorf("master data: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// Compressed returns the result of [Document.JSON] as gzip.
func (d *Document) Compressed() ([]byte, error) {
	text, err := d.JSON()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// form returns the document as a value for the JSON encoder.
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

// Column describes a value of the entries of a list.
type Column struct {
	// List is the name of the list, or empty for the header.
	List string
	// Path is the column name in CSV. In YAML and JSON, each point begins a nested mapping.
	Path string
	// Kind is the kind of the value as text, such as decimal or texts.
	Kind string
	// Required is set if every entry must have the value.
	Required bool
}

// Columns returns the columns of all lists of a level, in the order of writing.
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
