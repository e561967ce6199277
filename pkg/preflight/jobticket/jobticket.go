// SPDX-License-Identifier: Apache-2.0

// Package jobticket describes the parts of an order that a PDF can be compared with:
// pages, trim size, bleed, colours of both sides, binding, spine, stock, varnish, quantity.
package jobticket

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Ticket is an order. A zero field is not part of the order.
type Ticket struct {
	// TrimSize is the finished size of a page as a viewer shows it.
	TrimSize *Size `json:"trimSize,omitempty"`
	// Pages is the number of pages of one copy, 1 to [MaxPages].
	Pages Count `json:"pages,omitempty"`
	// Colors are the ordered inks; those of the front if BackColors is set.
	Colors *Colors `json:"colors,omitempty"`
	Product
	// Quantity is the number of ordered copies, 1 to [MaxQuantity]. A file of Pages
	// times Quantity pages contains variable data.
	Quantity Count `json:"quantity,omitempty"`
	// RFQID is the id of the request for quotation that Quantity comes from, for
	// reports; at most 64 bytes.
	RFQID string `json:"rfqId,omitempty"`
}

// Product holds the members of a [Ticket] that requests and reports have as an object of its own:
// the contract has closed the object of the others. A zero field is not part of the order.
type Product struct {
	// BackColors are the inks of the back of each sheet, which has the even pages. No ink at all
	// means that the back stays white.
	BackColors *Colors `json:"backColors,omitempty"`
	// Bleed is the width of the bleed on every side in millimetres, from 0 for none to [MaxBleed]; nil if
	// the order does not say.
	Bleed *float64 `json:"bleed,omitempty"`
	// Binding is how the pages are bound, "" if the order does not say.
	Binding Binding `json:"binding,omitempty"`
	// Part is the part of a bound product that the file holds, "" for all of it.
	Part Part `json:"part,omitempty"`
	// Spine is the width of the spine in millimetres, at most [MaxSpine].
	Spine float64 `json:"spine,omitempty"`
	// Stock is what the product is printed on.
	Stock *Stock `json:"stock,omitempty"`
	// Varnish is the ordered varnish, "" if the order does not say.
	Varnish Varnish `json:"varnish,omitempty"`
}

// With returns a ticket with the members of a product. Both may be nil.
func (t *Ticket) With(p *Product) *Ticket {
	if p == nil {
		return t
	}
	made := Ticket{}
	if t != nil {
		made = *t
	}
	made.Product = *p
	return &made
}

// Split returns the ticket without its product, and the product; nil for those that are empty.
func (t *Ticket) Split() (*Ticket, *Product) {
	if t == nil || t.Product == (Product{}) {
		return t, nil
	}
	rest, product := *t, t.Product
	if rest.Product = (Product{}); rest.Empty() {
		return nil, &product
	}
	return &rest, &product
}

// Binding is a kind of binding, by the names of XJDF (BindingIntent/@BindingType).
type Binding string

// The kinds of binding that the comparison distinguishes.
const (
	SaddleStitch Binding = "SaddleStitch"
	SoftCover    Binding = "SoftCover"
	HardCover    Binding = "HardCover"
	WireComb     Binding = "WireComb"
	PlasticComb  Binding = "PlasticComb"
	CoilBinding  Binding = "CoilBinding"
	LooseBinding Binding = "LooseBinding"
)

// Bindings lists the kinds of binding.
func Bindings() []Binding {
	return []Binding{SaddleStitch, SoftCover, HardCover, WireComb, PlasticComb, CoilBinding, LooseBinding}
}

// Multiple returns the number of which the pages of a bound product are a multiple: a saddle
// stitch holds sheets of four pages, other bindings leaves of two.
func (b Binding) Multiple() int {
	switch b {
	case "", LooseBinding:
		return 1
	case SaddleStitch:
		return 4
	}
	return 2
}

// Part is a part of a bound product.
type Part string

// The parts.
const (
	Cover Part = "cover"
	Body  Part = "body"
)

// Stock is paper or board. A zero field is not part of the order.
type Stock struct {
	// Surface decides which printing conditions the stock is for.
	Surface Surface `json:"surface,omitempty"`
	// Weight is in grams for a square metre, at most [MaxWeight].
	Weight float64 `json:"weight,omitempty"`
}

// Surface is the surface of a stock.
type Surface string

// The surfaces.
const (
	Coated   Surface = "coated"
	Uncoated Surface = "uncoated"
)

// Varnish is the part of the surface that is varnished.
type Varnish string

// The kinds of varnish. An ink of the file states where a spot varnish is.
const (
	NoVarnish   Varnish = "none"
	FullVarnish Varnish = "full"
	SpotVarnish Varnish = "spot"
)

// Varnishes lists the kinds of varnish.
func Varnishes() []Varnish { return []Varnish{NoVarnish, FullVarnish, SpotVarnish} }

// Size is in millimetres, each more than 0 and at most [MaxLength].
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// ParseSize reads a size in millimetres like 148x210, or 148.5 x 210 mm.
func ParseSize(text string) (Size, error) {
	width, height, found := strings.Cut(strings.TrimSuffix(strings.ToLower(text), "mm"), "x")
	w, errWidth := strconv.ParseFloat(strings.TrimSpace(width), 64)
	h, errHeight := strconv.ParseFloat(strings.TrimSpace(height), 64)
	if !found || errWidth != nil || errHeight != nil {
		return Size{}, fmt.Errorf("trim size %q is not of the form 148x210", text)
	}
	return Size{Width: w, Height: h}, nil
}

// Colors are the inks of an order.
type Colors struct {
	// Process is 4 for CMYK, 1 for black and 0 for none.
	Process Count `json:"process"`
	// Spots are the names of spot colours, at most [MaxSpots].
	Spots []string `json:"spots,omitempty"`
}

// The bounds of a ticket.
const (
	MaxPages    = 100_000
	MaxQuantity = 1_000_000_000
	MaxLength   = 100_000.0
	MaxSpots    = 16
	MaxBleed    = 100.0
	MaxSpine    = 500.0
	MaxWeight   = 5_000.0
	maxName     = 200 // characters, as the contract counts
	maxID       = 64
)

// ErrInvalid is the error of an invalid ticket.
var ErrInvalid = errors.New("invalid job ticket")

// WhiteBack reports whether the back of each sheet stays white.
func (t *Ticket) WhiteBack() bool {
	return t.BackColors != nil && t.BackColors.Process == 0 && len(t.BackColors.Spots) == 0
}

// Empty reports whether the ticket orders nothing.
func (t *Ticket) Empty() bool {
	return t == nil || t.TrimSize == nil && t.Pages == 0 && t.Colors == nil && t.Quantity == 0 && t.RFQID == "" && t.Product == (Product{})
}

// Check returns [ErrInvalid] for a ticket that is out of bounds or contradicts itself. A nil ticket is valid.
func (t *Ticket) Check() error {
	switch {
	case t == nil:
		return nil
	case t.Pages < 0 || t.Pages > MaxPages:
		return fmt.Errorf("%w: pages must be 1 to %d", ErrInvalid, MaxPages)
	case t.Quantity < 0 || t.Quantity > MaxQuantity:
		return fmt.Errorf("%w: quantity must be 1 to %d", ErrInvalid, MaxQuantity)
	case len(t.RFQID) > maxID || !utf8.ValidString(t.RFQID):
		return fmt.Errorf("%w: rfqId is too long", ErrInvalid)
	case t.TrimSize != nil && !(length(t.TrimSize.Width) && length(t.TrimSize.Height)):
		return fmt.Errorf("%w: trimSize must be more than 0 and at most %.0f mm", ErrInvalid, MaxLength)
	case t.Bleed != nil && !(*t.Bleed >= 0 && *t.Bleed <= MaxBleed):
		return fmt.Errorf("%w: bleed must be 0 to %.0f mm", ErrInvalid, MaxBleed)
	case t.Spine != 0 && !(length(t.Spine) && t.Spine <= MaxSpine):
		return fmt.Errorf("%w: spine must be more than 0 and at most %.0f mm", ErrInvalid, MaxSpine)
	case t.Binding != "" && !slices.Contains(Bindings(), t.Binding):
		return fmt.Errorf("%w: unknown binding", ErrInvalid)
	case t.Part != "" && t.Part != Cover && t.Part != Body:
		return fmt.Errorf("%w: part must be cover or body", ErrInvalid)
	case t.Varnish != "" && !slices.Contains(Varnishes(), t.Varnish):
		return fmt.Errorf("%w: varnish must be none, full or spot", ErrInvalid)
	case t.Stock != nil && t.Stock.Surface != "" && t.Stock.Surface != Coated && t.Stock.Surface != Uncoated:
		return fmt.Errorf("%w: stock.surface must be coated or uncoated", ErrInvalid)
	case t.Stock != nil && t.Stock.Weight != 0 && !(length(t.Stock.Weight) && t.Stock.Weight <= MaxWeight):
		return fmt.Errorf("%w: stock.weight must be more than 0 and at most %.0f g/m2", ErrInvalid, MaxWeight)
	}
	return errors.Join(t.Colors.check("colors"), t.BackColors.check("backColors"))
}

func (c *Colors) check(member string) error {
	switch {
	case c == nil:
		return nil
	case c.Process != 0 && c.Process != 1 && c.Process != 4:
		return fmt.Errorf("%w: %s.process must be 0, 1 or 4", ErrInvalid, member)
	case len(c.Spots) > MaxSpots:
		return fmt.Errorf("%w: %s.spots has more than %d spot colours", ErrInvalid, member, MaxSpots)
	}
	for _, name := range c.Spots {
		if name == "" || utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) {
			return fmt.Errorf("%w: the name of a spot colour must have 1 to %d characters", ErrInvalid, maxName)
		}
	}
	return nil
}

func length(v float64) bool { return !math.IsNaN(v) && v > 0 && v <= MaxLength }

// maxText bounds the JSON of a ticket in bytes. Names of the greatest length take 19 KiB
// when each of their characters is escaped.
const maxText = 32 << 10

// Parse reads a ticket from JSON. It returns [ErrInvalid] for unknown members and for a
// ticket out of bounds.
func Parse(text []byte) (*Ticket, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, maxText)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var t Ticket
	if err := dec.Decode(&t); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if dec.More() {
		return nil, fmt.Errorf("%w: data after the ticket", ErrInvalid)
	}
	return &t, t.Check()
}

// Value implements [driver.Valuer]: JSON, or NULL for a nil ticket.
func (t *Ticket) Value() (driver.Value, error) {
	if t == nil {
		return nil, nil
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode job ticket: %w", err)
	}
	return string(text), nil
}

// Scan implements the Scanner of database/sql. It ignores the members of later releases
// and does not check bounds, which were checked before storing: a job whose row cannot
// be read could never end.
func (t *Ticket) Scan(source any) error {
	var text []byte
	switch v := source.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	default:
		return fmt.Errorf("%w: stored as %T", ErrInvalid, source)
	}
	var read Ticket
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	*t = read
	return nil
}
