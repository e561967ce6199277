// SPDX-License-Identifier: Apache-2.0

package masterdata

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// maxContent bounds stored content in bytes. It is above the size of the largest snapshot.
const maxContent = 256 << 20

// catalogContent is a catalog in its stored form.
type catalogContent struct {
	Groups   []catalog.Group   `json:"groups"`
	Products []catalog.Product `json:"products"`
}

// DraftOf returns a document as a draft to import.
func DraftOf(d *source.Document) Draft {
	draft := Draft{Provenance: d.Provenance()}
	// A document holds one of the two; the other call returns nil and an error.
	draft.Catalog, _ = d.Catalog()
	draft.Resources, _ = d.Authority()
	return draft
}

// About returns the level and the owner of the draft.
func (d Draft) About() Filter {
	if d.Catalog != nil {
		return Filter{Catalog, authority.Platform}
	}
	return Filter{Resources, d.Resources.Owner()}
}

// Document returns the draft as a document to write.
func (d Draft) Document() *source.Document {
	if d.Catalog != nil {
		return source.FromCatalog(d.Catalog, d.Provenance)
	}
	return source.FromAuthority(d.Resources, d.Provenance)
}

// encode returns the stored form of a draft's content, and sets the fields of the record
// that describe it.
func encode(d Draft, record *Snapshot) ([]byte, error) {
	var content any
	if d.Catalog != nil {
		groups, products := d.Catalog.Groups(), d.Catalog.Products("")
		record.ID, record.Level, record.Owner = d.Catalog.ID(), Catalog, authority.Platform
		record.Counts = map[string]int{"groups": len(groups), "products": len(products)}
		content = catalogContent{groups, products}
	} else {
		s := d.Resources
		record.ID, record.Level, record.Owner, record.Currency = s.ID(), Resources, s.Owner(), string(s.Currency())
		record.Counts = map[string]int{}
		for _, family := range authority.Families() {
			record.Counts[family.Plural()] = s.Count(family)
		}
		for _, family := range []authority.Family{authority.FamilyService, authority.FamilyGangForm} {
			if n := s.Count(family); n > 0 {
				record.Counts[family.Plural()] = n
			}
		}
		content = s.Content()
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(w).Encode(content), w.Close()); err != nil {
		return nil, fmt.Errorf("encode master data: %w", err)
	}
	return packed.Bytes(), nil
}

// decode reads stored content and verifies that its digest is the id. Errors wrap those of
// package timeline.
func decode(level Level, id string, packed []byte) (Draft, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Draft{}, damaged(id, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxContent))
	if err != nil {
		return Draft{}, damaged(id, err)
	}
	var d Draft
	held := ""
	if level == Catalog {
		var c catalogContent
		if err = json.Unmarshal(text, &c); err == nil {
			d.Catalog, err = catalog.NewCatalog(c.Groups, c.Products)
		}
		if err == nil {
			held = d.Catalog.ID()
		}
	} else {
		var c authority.Content
		if err = json.Unmarshal(text, &c); err == nil {
			d.Resources, err = authority.New(c)
		}
		if err == nil {
			held = d.Resources.ID()
		}
	}
	if err != nil {
		return Draft{}, damaged(id, err)
	}
	if held != id {
		return Draft{}, damaged(id, fmt.Errorf("its digest is %s", held))
	}
	return d, nil
}

// damaged returns the error for stored content that cannot be used.
func damaged(id string, err error) error {
	why := timeline.ErrIntegrity
	if invalid := (*authority.InvalidError)(nil); errors.As(err, &invalid) && invalid.Duplicate() {
		why = timeline.ErrDuplicate
	}
	return fmt.Errorf("snapshot %s: %w: %w", id, why, err)
}

// audit returns the audit entry of an action. Actions on platform data are recorded for the
// organization of the actor.
func (s *Service) audit(verb transaction.Verb, owner, subject string, by Instruction) (transaction.AuditEntry, error) {
	if owner == authority.Platform {
		owner = by.Actor.Organization
	}
	return transaction.NewAuditEntry(transaction.AuditEntry{
		At: s.now(), Actor: by.Actor, Verb: verb, Owner: tenant.ID{Organization: owner, Mode: tenant.Live}, Subject: subject, Reason: by.Note,
	}, s.config.Random)
}
