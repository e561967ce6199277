// SPDX-License-Identifier: Apache-2.0

// Package authority holds the costed resources of production: L4 of the master data.
//
// A [Snapshot] holds the costed resources of one organization or of the platform: media,
// devices, inks and other consumables. Each has a rate and the canonical identifier that
// XJDF documents use. A snapshot is immutable, identified by the digest of its content,
// loaded as a whole, and replaced but never patched.
//
// Identifiers are XML names without a colon, so they are valid XJDF IDs and cannot equal
// the uid of a catalog product (L2). Names, product codes and grammage are descriptions;
// no lookup uses them.
package authority

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/money"
)

// Bounds of a snapshot.
const (
	MaxMedia   = 100_000
	MaxDevices = 1_000
	// MaxOthers bounds each of the other families.
	MaxOthers = 10_000
	// MaxBreaks bounds the quantities of [Policy.QuantityBreaks].
	MaxBreaks = 20
)

// Platform is the owner of the marketplace's own resources. Every other owner is the id of
// an organization.
const Platform = "platform"

// Content is the content of a snapshot in its stored form.
type Content struct {
	// Owner is [Platform] or an organization.
	Owner string `json:"owner"`
	// Currency is the ISO 4217 code of every rate.
	Currency    string        `json:"currency"`
	Policy      Policy        `json:"policy"`
	Media       []Media       `json:"media"`
	Devices     []Device      `json:"devices"`
	Inks        []Ink         `json:"inks"`
	Laminations []Lamination  `json:"laminations"`
	Varnishes   []Varnish     `json:"varnishes"`
	Plates      []Plate       `json:"plates"`
	Adhesives   []Adhesive    `json:"adhesives"`
	Electricity []Electricity `json:"electricity"`
	Labor       []Labor       `json:"labor"`
	// Services may be missing, so that older snapshots keep their digests.
	Services []Service `json:"services,omitempty"`
	// GangForms may be missing for the same reason.
	GangForms []GangForm `json:"gangForms,omitempty"`
}

// Snapshot is checked and indexed content. It is safe for concurrent use.
type Snapshot struct {
	id       string
	content  Content
	currency money.Currency
	// index finds a resource of any family: identifiers are unique among all.
	index map[string]position
}

type position struct {
	family Family
	at     int
}

// New checks and indexes content. The caller must not change the content afterwards,
// because New sorts its lists by identifier. Equal content in any order has an equal id.
// Errors are [*InvalidError].
func New(c Content) (*Snapshot, error) {
	s := &Snapshot{content: c, currency: money.Currency(c.Currency)}
	if err := check(&s.content); err != nil {
		return nil, err
	}
	s.content.sort()
	c = s.content
	c.Media, c.Devices, c.Inks = orEmpty(c.Media), orEmpty(c.Devices), orEmpty(c.Inks)
	c.Laminations, c.Varnishes, c.Plates = orEmpty(c.Laminations), orEmpty(c.Varnishes), orEmpty(c.Plates)
	c.Adhesives, c.Electricity, c.Labor = orEmpty(c.Adhesives), orEmpty(c.Electricity), orEmpty(c.Labor)
	s.content = c
	s.index = s.content.positions()
	text, err := json.Marshal(&s.content)
	if err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	digest := sha256.Sum256(text)
	s.id = "sha256:" + hex.EncodeToString(digest[:])
	return s, nil
}

func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// positions returns the family and the index of each identifier.
func (c *Content) positions() map[string]position {
	index := make(map[string]position, len(c.Media)+len(c.Devices)+len(c.Inks))
	locate(index, FamilyMedia, c.Media, func(m *Media) string { return m.ID })
	locate(index, FamilyDevice, c.Devices, func(d *Device) string { return d.ID })
	locate(index, FamilyInk, c.Inks, func(i *Ink) string { return i.ID })
	locate(index, FamilyLamination, c.Laminations, func(l *Lamination) string { return l.ID })
	locate(index, FamilyVarnish, c.Varnishes, func(v *Varnish) string { return v.ID })
	locate(index, FamilyPlate, c.Plates, func(p *Plate) string { return p.ID })
	locate(index, FamilyAdhesive, c.Adhesives, func(a *Adhesive) string { return a.ID })
	locate(index, FamilyElectricity, c.Electricity, func(e *Electricity) string { return e.ID })
	locate(index, FamilyLabor, c.Labor, func(l *Labor) string { return l.ID })
	locate(index, FamilyService, c.Services, func(s *Service) string { return s.ID })
	locate(index, FamilyGangForm, c.GangForms, func(f *GangForm) string { return f.ID })
	return index
}

func locate[T any](index map[string]position, family Family, all []T, id func(*T) string) {
	for i := range all {
		index[id(&all[i])] = position{family, i}
	}
}

func (c *Content) sort() {
	slices.SortStableFunc(c.Media, func(a, b Media) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Devices, func(a, b Device) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Inks, func(a, b Ink) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Laminations, func(a, b Lamination) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Varnishes, func(a, b Varnish) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Plates, func(a, b Plate) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Adhesives, func(a, b Adhesive) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Electricity, func(a, b Electricity) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Labor, func(a, b Labor) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.Services, func(a, b Service) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(c.GangForms, func(a, b GangForm) int { return cmp.Compare(a.ID, b.ID) })
	slices.Sort(c.Policy.QuantityBreaks)
}

// ID returns "sha256:" and the digest of the content, which results refer to.
func (s *Snapshot) ID() string { return s.id }

// Owner returns [Platform] or an organization.
func (s *Snapshot) Owner() string { return s.content.Owner }

// Currency returns the currency of every rate.
func (s *Snapshot) Currency() money.Currency { return s.currency }

// Policy returns the owner's rules for calculations.
func (s *Snapshot) Policy() Policy { return s.content.Policy }

// Content returns the content sorted by identifier. Callers must not change it.
func (s *Snapshot) Content() *Content { return &s.content }

// Count returns the number of resources of a family.
func (s *Snapshot) Count(f Family) int {
	c := &s.content
	switch f {
	case FamilyMedia:
		return len(c.Media)
	case FamilyDevice:
		return len(c.Devices)
	case FamilyInk:
		return len(c.Inks)
	case FamilyLamination:
		return len(c.Laminations)
	case FamilyVarnish:
		return len(c.Varnishes)
	case FamilyPlate:
		return len(c.Plates)
	case FamilyAdhesive:
		return len(c.Adhesives)
	case FamilyElectricity:
		return len(c.Electricity)
	case FamilyLabor:
		return len(c.Labor)
	case FamilyService:
		return len(c.Services)
	case FamilyGangForm:
		return len(c.GangForms)
	default:
		return 0
	}
}

// Size returns the number of all resources.
func (s *Snapshot) Size() int { return len(s.index) }

// MediaPage returns up to limit media from an offset, sorted by identifier. Its cost does
// not depend on the number of media.
func (s *Snapshot) MediaPage(offset, limit int) []Media {
	all := s.content.Media
	from := min(max(offset, 0), len(all))
	return slices.Clone(all[from : from+min(max(limit, 0), len(all)-from)])
}

// Media finds a medium by the exact bytes of its identifier.
func (s *Snapshot) Media(id string) (Media, bool) {
	return at(s, FamilyMedia, s.content.Media, id)
}

// Device finds a device.
func (s *Snapshot) Device(id string) (Device, bool) {
	return at(s, FamilyDevice, s.content.Devices, id)
}

// Ink finds an ink.
func (s *Snapshot) Ink(id string) (Ink, bool) { return at(s, FamilyInk, s.content.Inks, id) }

// Plate finds a plate.
func (s *Snapshot) Plate(id string) (Plate, bool) { return at(s, FamilyPlate, s.content.Plates, id) }

// Adhesive finds an adhesive.
func (s *Snapshot) Adhesive(id string) (Adhesive, bool) {
	return at(s, FamilyAdhesive, s.content.Adhesives, id)
}

// Electricity finds a tariff.
func (s *Snapshot) Electricity(id string) (Electricity, bool) {
	return at(s, FamilyElectricity, s.content.Electricity, id)
}

// Labor finds a trade.
func (s *Snapshot) Labor(id string) (Labor, bool) { return at(s, FamilyLabor, s.content.Labor, id) }

// Service finds a service.
func (s *Snapshot) Service(id string) (Service, bool) {
	return at(s, FamilyService, s.content.Services, id)
}

// Lamination finds a film.
func (s *Snapshot) Lamination(id string) (Lamination, bool) {
	return at(s, FamilyLamination, s.content.Laminations, id)
}

// Varnish finds a varnish.
func (s *Snapshot) Varnish(id string) (Varnish, bool) {
	return at(s, FamilyVarnish, s.content.Varnishes, id)
}

func at[T any](s *Snapshot, family Family, all []T, id string) (found T, ok bool) {
	p, ok := s.index[id]
	if !ok || p.family != family {
		return found, false
	}
	return all[p.at], true
}
