// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

func TestIDDependsOnContentAndNotOnOrder(t *testing.T) {
	t.Parallel()
	want := snapshot(t, whole())
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(want.ID()) {
		t.Errorf("id %q", want.ID())
	}
	r := rand.New(rand.NewPCG(20261122, 1))
	for range 50 {
		c := whole()
		r.Shuffle(len(c.Policy.QuantityBreaks), reflect.Swapper(c.Policy.QuantityBreaks))
		shuffle(r, c.Media)
		shuffle(r, c.Devices)
		got := snapshot(t, c)
		if got.ID() != want.ID() {
			t.Fatalf("another order has the id %s, want %s", got.ID(), want.ID())
		}
		if diff := cmp.Diff(want.Content(), got.Content()); diff != "" {
			t.Fatalf("content (-want +got):\n%s", diff)
		}
	}
}

func shuffle[T any](r *rand.Rand, all []T) { r.Shuffle(len(all), reflect.Swapper(all)) }

func TestDifferentContentHasDifferentID(t *testing.T) {
	t.Parallel()
	seen := map[string]string{snapshot(t, whole()).ID(): "nothing"}
	for name, change := range map[string]func(*authority.Content){
		"the owner":      func(c *authority.Content) { c.Owner = "org_stark1" },
		"the platform":   func(c *authority.Content) { c.Owner = authority.Platform },
		"the currency":   func(c *authority.Content) { c.Currency = "CHF" },
		"a millionth":    func(c *authority.Content) { c.Media[0].Price.Amount++ },
		"a unit":         func(c *authority.Content) { c.Media[0].Price.Per = authority.PerThousandSheets },
		"a name":         func(c *authority.Content) { c.Labor[0].Name = "l" },
		"an identifier":  func(c *authority.Content) { c.Media[1].ID = "board" },
		"a break":        func(c *authority.Content) { c.Policy.QuantityBreaks = c.Policy.QuantityBreaks[:2] },
		"one more":       func(c *authority.Content) { c.Inks = append(c.Inks, c.Inks[0]); c.Inks[1].ID = "black" },
		"one less":       func(c *authority.Content) { c.Varnishes = nil },
		"an assumption":  func(c *authority.Content) { c.Policy.GrainAlongSpine = true },
		"a press option": func(c *authority.Content) { c.Devices[0].Perfecting = true },
	} {
		c := whole()
		change(&c)
		id := snapshot(t, c).ID()
		if former, taken := seen[id]; taken {
			t.Errorf("%s and %s give the same id", name, former)
		}
		seen[id] = name
	}
}

// TestEncodedContentGivesSameSnapshot checks the property that stores rely on.
func TestEncodedContentGivesSameSnapshot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]authority.Content{"everything": whole(), "nothing": {Owner: authority.Platform, Currency: "JPY"}} {
		want := snapshot(t, c)
		text, err := json.Marshal(want.Content())
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if strings.Contains(string(text), "null") {
			t.Errorf("%s: a missing list is encoded as null, want []: %s", name, text)
		}
		var read authority.Content
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if got := snapshot(t, read); got.ID() != want.ID() {
			t.Errorf("%s: reads back as %s, was %s", name, got.ID(), want.ID())
		}
	}
}

func TestAResourceIsFoundByItsExactIdentifierAndFamily(t *testing.T) {
	t.Parallel()
	s := snapshot(t, whole())
	finds := map[authority.Family]func(string) (string, bool){
		authority.FamilyMedia:       func(id string) (string, bool) { m, ok := s.Media(id); return m.ID, ok },
		authority.FamilyDevice:      func(id string) (string, bool) { d, ok := s.Device(id); return d.ID, ok },
		authority.FamilyInk:         func(id string) (string, bool) { i, ok := s.Ink(id); return i.ID, ok },
		authority.FamilyLamination:  func(id string) (string, bool) { l, ok := s.Lamination(id); return l.ID, ok },
		authority.FamilyVarnish:     func(id string) (string, bool) { v, ok := s.Varnish(id); return v.ID, ok },
		authority.FamilyPlate:       func(id string) (string, bool) { p, ok := s.Plate(id); return p.ID, ok },
		authority.FamilyAdhesive:    func(id string) (string, bool) { a, ok := s.Adhesive(id); return a.ID, ok },
		authority.FamilyElectricity: func(id string) (string, bool) { e, ok := s.Electricity(id); return e.ID, ok },
		authority.FamilyLabor:       func(id string) (string, bool) { l, ok := s.Labor(id); return l.ID, ok },
	}
	there := map[authority.Family]string{
		authority.FamilyMedia: "Board", authority.FamilyDevice: "d-Cutting", authority.FamilyInk: "cyan", authority.FamilyLamination: "film",
		authority.FamilyVarnish: "uv", authority.FamilyPlate: "plate", authority.FamilyAdhesive: "glue", authority.FamilyElectricity: "grid", authority.FamilyLabor: "trade",
	}
	total := 0
	for _, family := range authority.Families() {
		for of, id := range there {
			if got, found := finds[family](id); found != (of == family) || found && got != id {
				t.Errorf("the %s %q is found as %q, %t", family, id, got, found)
			}
		}
		for _, id := range []string{"", "board", "BOARD", "Board ", " Board", "Silk", "print:flyers:a5"} {
			if got, found := finds[family](id); found {
				t.Errorf("the %s %q is found as %q", family, id, got)
			}
		}
		total += s.Count(family)
		if parsed, known := authority.ParseFamily(string(family)); !known || parsed != family {
			t.Errorf("the family %s is not known by its name", family)
		}
	}
	if _, known := authority.ParseFamily("Media"); known || s.Count("Media") != 0 {
		t.Error("a family is known by another name")
	}
	if s.Size() != total || total != 9+len(authority.Processes()) {
		t.Errorf("%d resources, %d by family", s.Size(), total)
	}
	if s.Owner() != "org_acme01" || s.Currency() != "EUR" || s.Policy().MaxQuantity != 10 {
		t.Errorf("snapshot of %s in %s: %+v", s.Owner(), s.Currency(), s.Policy())
	}
}

func TestPagesOfMediaJoin(t *testing.T) {
	t.Parallel()
	c := whole()
	c.Media = nil
	for i := range 7 {
		m := whole().Media[0]
		m.ID = fmt.Sprintf("m-%d", 6-i)
		c.Media = append(c.Media, m)
	}
	s := snapshot(t, c)
	for _, tc := range []struct {
		offset, limit int
		want          string
	}{
		{0, 7, "0123456"},
		{0, 3, "012"},
		{3, 3, "345"},
		{6, 3, "6"},
		{7, 3, ""},
		{8, 3, ""},
		{0, 0, ""},
		{0, -1, ""},
		{-1, 2, "01"},
		{1 << 62, 1, ""},
		{0, 1 << 62, "0123456"},
		{5, 1<<63 - 1, "56"},
	} {
		got := ""
		for _, m := range s.MediaPage(tc.offset, tc.limit) {
			got += strings.TrimPrefix(m.ID, "m-")
		}
		if got != tc.want {
			t.Errorf("from %d, at most %d: %q, want %q", tc.offset, tc.limit, got, tc.want)
		}
	}
	page := s.MediaPage(0, 1)
	page[0].ID = "changed"
	if _, found := s.Media("m-0"); !found || s.MediaPage(0, 1)[0].ID != "m-0" {
		t.Error("who changes a page changes the snapshot")
	}
}

// New must not panic, and must accept an accepted content again.
func TestNewNeverPanics(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20261122, 2))
	taken := 0
	for range 3000 {
		c := whole()
		for range 1 + r.IntN(3) {
			spoil(r, reflect.ValueOf(&c).Elem())
		}
		s, err := authority.New(c)
		if err != nil {
			continue
		}
		taken++
		text, err := json.Marshal(s.Content())
		var read authority.Content
		if err != nil || json.Unmarshal(text, &read) != nil {
			t.Fatalf("content that was taken is not written, or not read: %v\n%s", err, text)
		}
		if again, err := authority.New(read); err != nil || again.ID() != s.ID() {
			t.Fatalf("content that was taken is %v the second time\n%s", err, text)
		}
	}
	if taken < 100 || taken > 2900 {
		t.Errorf("%d of 3000 are taken; the changes have lost their reach", taken)
	}
}

// spoil changes one value somewhere below.
func spoil(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		spoil(r, v.Field(r.IntN(v.NumField())))
	case reflect.Slice:
		spoilList(r, v)
	case reflect.String:
		values := []string{"", "x", "Paper", "silk", "plate", "Sheet", "EUR", "F4-1", "platform", "\x00", "\xff", strings.Repeat("ä", 300), "a:b", "XDirection"}
		v.SetString(values[r.IntN(len(values))])
	case reflect.Int64:
		values := []int64{0, 1, -1, 2, 100, int64(money.One), 1 << 40, 1<<63 - 1, -1 << 63}
		v.SetInt(values[r.IntN(len(values))])
	case reflect.Bool:
		v.SetBool(!v.Bool())
	}
}

func spoilList(r *rand.Rand, v reflect.Value) {
	switch n := v.Len(); {
	case n > 0 && r.IntN(4) == 0:
		v.Set(reflect.Append(v, v.Index(r.IntN(n))))
	case n > 0 && r.IntN(4) == 0:
		v.Set(v.Slice(0, n-1))
	case n > 0:
		spoil(r, v.Index(r.IntN(n)))
	}
}

func TestManyReadOneSnapshot(t *testing.T) {
	t.Parallel()
	s := snapshot(t, whole())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 500 {
				if m, found := s.Media("silk"); !found || m.Name != "Silk" || len(s.MediaPage(0, 2)) != 2 || s.Count(authority.FamilyDevice) != len(authority.Processes()) {
					t.Error("another snapshot")
					return
				}
			}
		})
	}
	readers.Wait()
}
