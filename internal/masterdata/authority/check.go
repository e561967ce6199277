// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/tenant"
)

// isIdentifier reports whether an id is an ASCII XML name without a colon, as an XJDF ID requires.
func isIdentifier(id string) bool { return len(id) <= 128 && identifier.MatchString(id) }

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9._-]*$`)

// country is a country of [Service.Countries].
var country = regexp.MustCompile(`^[A-Z]{2}$`)

// IsOwner reports whether a name is a valid owner: [Platform] or an organization. An
// organization has the same resources in both modes.
func IsOwner(name string) bool {
	_, err := tenant.New(name, tenant.Live)
	return name == Platform || err == nil
}

// Bounds of values.
const (
	maxText      = 200
	maxSide      = 10_000 * money.One // mm
	maxWeight    = 2_000 * money.One  // g/m2
	maxThickness = 20_000 * money.One // micrometres
	maxRate      = 1_000_000 * money.One
	maxSpeed     = 1_000_000 * money.One
	maxSetup     = 10_000 * money.One // minutes
	maxCrew      = 100 * money.One
	maxPower     = 10_000 * money.One // kW
	maxUse       = 1_000 * money.One  // g/m2, g/m
	maxWaste     = 50 * money.One     // percent
	maxPieces    = 100_000
	maxPages     = 10_000
	maxSmall     = 100 * money.One // mm: bleed, gutter, milling
	maxFolds     = 100
	maxSteps     = 10
	maxCountries = 300
	maxPackage   = 10_000 * money.One // kg
	maxBoard     = 10_000 * money.One // g/m2 of a board
	maxDivisions = 10                 // columns, and rows, of a bought sheet of a gang form
	// MaxQuantity is the largest quantity that can be calculated.
	MaxQuantity = 10_000_000
)

// checker collects the faults of one content.
type checker struct {
	faults  []Fault
	more    bool
	content *Content
	// families maps the identifiers seen so far to their families.
	families map[string]Family
	// at describes the resource under check.
	at Fault
}

func check(c *Content) error {
	k := &checker{content: c, families: make(map[string]Family, len(c.Media))}
	k.whole()
	each(k, FamilyMedia, MaxMedia, c.Media, func(m *Media) string { return m.ID }, func(m *Media) string { return m.Name }, k.media)
	each(k, FamilyDevice, MaxDevices, c.Devices, func(d *Device) string { return d.ID }, func(d *Device) string { return d.Name }, k.deviceAlone)
	each(k, FamilyInk, MaxOthers, c.Inks, func(i *Ink) string { return i.ID }, func(i *Ink) string { return i.Name }, func(i *Ink) {
		k.text("separation", i.Separation, true)
		k.positive("consumption", i.Consumption, maxUse)
		k.price(i.Price, PerKilogram)
	})
	each(k, FamilyLamination, MaxOthers, c.Laminations, func(l *Lamination) string { return l.ID }, func(l *Lamination) string { return l.Name }, func(l *Lamination) {
		k.text("texture", l.Texture, true)
		k.positive("thickness", l.Thickness, maxThickness)
		k.price(l.Price, PerSquareMetre)
	})
	each(k, FamilyVarnish, MaxOthers, c.Varnishes, func(v *Varnish) string { return v.ID }, func(v *Varnish) string { return v.Name }, func(v *Varnish) {
		k.text("coating", v.Coating, true)
		k.positive("consumption", v.Consumption, maxUse)
		k.price(v.Price, PerKilogram)
	})
	each(k, FamilyPlate, MaxOthers, c.Plates, func(p *Plate) string { return p.ID }, func(p *Plate) string { return p.Name }, func(p *Plate) {
		k.positive("width", p.Width, maxSide)
		k.positive("height", p.Height, maxSide)
		k.price(p.Price, PerPiece)
	})
	each(k, FamilyAdhesive, MaxOthers, c.Adhesives, func(a *Adhesive) string { return a.ID }, func(a *Adhesive) string { return a.Name }, func(a *Adhesive) {
		k.positive("consumption", a.Consumption, maxUse)
		k.price(a.Price, PerKilogram)
	})
	each(k, FamilyElectricity, MaxOthers, c.Electricity, func(e *Electricity) string { return e.ID }, func(e *Electricity) string { return e.Name }, func(e *Electricity) {
		k.price(e.Price, PerKilowattHour)
	})
	each(k, FamilyLabor, MaxOthers, c.Labor, func(l *Labor) string { return l.ID }, func(l *Labor) string { return l.Name }, func(l *Labor) {
		k.text("laborType", l.LaborType, true)
		k.price(l.Price, PerHour)
	})
	each(k, FamilyService, MaxOthers, c.Services, func(s *Service) string { return s.ID }, func(s *Service) string { return s.Name }, k.service)
	each(k, FamilyGangForm, MaxOthers, c.GangForms, func(f *GangForm) string { return f.ID }, func(f *GangForm) string { return f.Name }, k.gangForm)
	k.references()
	k.policyServices()
	if len(k.faults) > 0 {
		return &InvalidError{Faults: k.faults, More: k.more}
	}
	return nil
}

// each checks one family: its size, identifiers, names and resources.
func each[T any](k *checker, family Family, most int, all []T, id, name func(*T) string, one func(*T)) {
	k.at = Fault{Family: family}
	if len(all) > most {
		k.at = Fault{}
		k.fault(string(family), fmt.Sprintf("%d of them; at most %d are taken", len(all), most))
		return
	}
	for i := range all {
		k.at = Fault{Family: family, Index: i, ID: shown(id(&all[i]))}
		k.identify(id(&all[i]))
		k.text("name", name(&all[i]), true)
		one(&all[i])
	}
}

// identify reports an identifier that is invalid or already used.
func (k *checker) identify(id string) {
	if !isIdentifier(id) {
		k.fault("id", "an identifier is 1 to 128 of A-Z a-z 0-9 . _ - and begins with a letter or _")
		return
	}
	if former, taken := k.families[id]; taken {
		f := k.at
		f.Field, f.Duplicate, f.Reason = "id", true, fmt.Sprintf("this identifier is that of a %s already", former)
		k.add(f)
		return
	}
	k.families[id] = k.at.Family
}

// fault adds a fault of a field of the current resource.
func (k *checker) fault(field, reason string) {
	f := k.at
	f.Field, f.Reason = field, reason
	k.add(f)
}

func (k *checker) add(f Fault) {
	if len(k.faults) == MaxFaults {
		k.more = true
		return
	}
	k.faults = append(k.faults, f)
}

// shown returns an identifier, quoted and shortened if it is invalid.
func shown(id string) string {
	if isIdentifier(id) {
		return id
	}
	return fmt.Sprintf("%.60q", id)
}

func (k *checker) text(field, value string, required bool) {
	if value == "" && !required {
		return
	}
	if value == "" || utf8.RuneCountInString(value) > maxText || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		k.fault(field, fmt.Sprintf("a text is 1 to %d printable characters", maxText))
	}
}

func (k *checker) upTo(field string, value, high money.Decimal) {
	if value < 0 || value > high {
		k.fault(field, fmt.Sprintf("%s is not between 0 and %s", value, high))
	}
}

// positive reports a value that is not above 0 and at most high.
func (k *checker) positive(field string, value, high money.Decimal) {
	if value <= 0 || value > high {
		k.fault(field, fmt.Sprintf("%s is not more than 0 and at most %s", value, high))
	}
}

func (k *checker) count(field string, value, high int64) {
	if value < 0 || value > high {
		k.fault(field, fmt.Sprintf("%d is not between 0 and %d", value, high))
	}
}

func oneOf[T ~string](k *checker, field string, value T, allowed []T) {
	if !slices.Contains(allowed, value) {
		var texts []string
		for _, one := range allowed {
			if one != "" { // the empty value means that the field is missing
				texts = append(texts, string(one))
			}
		}
		k.fault(field, fmt.Sprintf("%.60q is not one of %s", string(value), strings.Join(texts, ", ")))
	}
}

func (k *checker) price(p Price, units ...Unit) {
	k.upTo("price.amount", p.Amount, maxRate)
	oneOf(k, "price.per", p.Per, units)
}

// whole checks the owner, the currency and the policy.
func (k *checker) whole() {
	c := k.content
	if !IsOwner(c.Owner) {
		k.fault("owner", fmt.Sprintf("%.60q is neither platform nor an organization like org_acme01", c.Owner))
	}
	if _, err := money.ParseCurrency(c.Currency); err != nil {
		k.fault("currency", fmt.Sprintf("%.10q is no ISO 4217 code", c.Currency))
	}
	p := &c.Policy
	k.upTo("policy.bleed", p.Bleed, maxSmall)
	k.upTo("policy.gutter", p.Gutter, maxSmall)
	k.upTo("policy.spineMilling", p.SpineMilling, maxSmall)
	k.upTo("policy.inkCoverage", p.InkCoverage, 100*money.One)
	k.upTo("policy.maxTotal", p.MaxTotal, money.Max)
	k.upTo("policy.case.square", p.Case.Square, maxSmall)
	k.upTo("policy.case.joint", p.Case.Joint, maxSmall)
	k.upTo("policy.case.turnIn", p.Case.TurnIn, maxSmall)
	k.count("policy.maxQuantity", p.MaxQuantity, MaxQuantity)
	if len(p.QuantityBreaks) > MaxBreaks {
		k.fault("policy.quantityBreaks", fmt.Sprintf("%d of them; at most %d are taken", len(p.QuantityBreaks), MaxBreaks))
	}
	for i, quantity := range p.QuantityBreaks {
		if quantity < 1 || quantity > MaxQuantity || slices.Contains(p.QuantityBreaks[:min(i, MaxBreaks)], quantity) {
			k.fault("policy.quantityBreaks", fmt.Sprintf("%d is there twice, or not between 1 and %d", quantity, MaxQuantity))
		}
	}
}
