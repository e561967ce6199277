// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

func TestGangFormFitsItsPressAndMedium(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*authority.GangForm)
		want   []string
	}{
		// The sheet of 700 x 1000 mm is turned in the press, so that 690 x 990 mm are printed.
		"all positions that fit":   {func(*authority.GangForm) {}, nil},
		"one position more":        {func(f *authority.GangForm) { f.Positions++ }, []string{"gangForm cards positions"}},
		"half a sheet":             {func(f *authority.GangForm) { f.Rows = 2 }, []string{"gangForm cards positions"}},
		"no positions":             {func(f *authority.GangForm) { f.Positions = 0 }, []string{"gangForm cards positions"}},
		"a position without width": {func(f *authority.GangForm) { f.Position.Width = 0 }, []string{"gangForm cards position.width"}},
		"no division":              {func(f *authority.GangForm) { f.Columns = 0 }, []string{"gangForm cards columns"}},
		"no run":                   {func(f *authority.GangForm) { f.Runs = nil }, []string{"gangForm cards runs"}},
		"runs that descend":        {func(f *authority.GangForm) { f.Runs = []int64{500, 100} }, []string{"gangForm cards runs"}},
		"no colours":               {func(f *authority.GangForm) { f.Front = nil }, []string{"gangForm cards front"}},
		"a colour twice":           {func(f *authority.GangForm) { f.Back = []string{"Black", "Black"} }, []string{"gangForm cards back"}},
		"more colours than units":  {func(f *authority.GangForm) { f.Back = []string{"1", "2", "3", "4", "5"} }, []string{"gangForm cards front"}},
		"a digital press":          {func(f *authority.GangForm) { f.Press = "d-DigitalPrinting" }, []string{"gangForm cards press"}},
		"an unknown medium":        {func(f *authority.GangForm) { f.Media = "cyan" }, []string{"gangForm cards media"}},
		"a varnish and a film":     {func(f *authority.GangForm) { f.FrontVarnish, f.BackFilm = "uv", "film" }, nil},
		"a film as a varnish":      {func(f *authority.GangForm) { f.BackVarnish = "film" }, []string{"gangForm cards backVarnish"}},
		"an unknown film":          {func(f *authority.GangForm) { f.FrontFilm = "gloss" }, []string{"gangForm cards frontFilm"}},
		"the identifier of an ink": {func(f *authority.GangForm) { f.ID = "cyan" }, []string{"gangForm cyan id"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole()
			f := authority.GangForm{
				ID: "cards", Name: "Cards", Press: "d-ConventionalPrinting", Media: "silk", Columns: 1, Rows: 1, Position: area(90, 60),
				Positions: 7 * 16, Runs: []int64{500, 1000}, Front: []string{"Cyan", "Black"}, Back: []string{"Black"},
			}
			tc.change(&f)
			c.GangForms = []authority.GangForm{f}
			if diff := cmp.Diff(tc.want, faults(t, c)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGangFormNeedsDevicesForItsMediumAndItsCoatings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *authority.Content, press *authority.Device)
		want   []string
	}{
		"the lightest medium": {func(_ *authority.Content, d *authority.Device) {
			d.Weight = authority.Range{Min: 135 * money.One, Max: 200 * money.One}
		}, nil},
		"the heaviest medium": {func(_ *authority.Content, d *authority.Device) { d.Weight = authority.Range{Max: 135 * money.One} }, nil},
		"a medium that is too heavy": {
			func(_ *authority.Content, d *authority.Device) { d.Weight = authority.Range{Max: 134 * money.One} }, []string{"gangForm cards media"},
		},
		"a medium that is too light": {
			func(_ *authority.Content, d *authority.Device) {
				d.Weight = authority.Range{Min: 136 * money.One, Max: 200 * money.One}
			}, []string{"gangForm cards media"},
		},
		"a coater in the press": {func(c *authority.Content, d *authority.Device) {
			d.Coater = true
			c.Devices = without(c.Devices, authority.Varnishing)
		}, nil},
		"no device that varnishes": {
			func(c *authority.Content, d *authority.Device) {
				d.Coater = false
				c.Devices = without(c.Devices, authority.Varnishing)
			}, []string{"gangForm cards frontVarnish"},
		},
		"no laminator": {func(c *authority.Content, _ *authority.Device) { c.Devices = without(c.Devices, authority.Laminating) }, []string{"gangForm cards backFilm"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole()
			c.GangForms = []authority.GangForm{{
				ID: "cards", Name: "Cards", Press: "d-ConventionalPrinting", Media: "silk", Columns: 1, Rows: 1, Position: area(90, 60),
				Positions: 20, Runs: []int64{500}, Front: []string{"Black"}, FrontVarnish: "uv", BackFilm: "film",
			}}
			tc.change(&c, &c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.Process == authority.ConventionalPrinting })])
			if diff := cmp.Diff(tc.want, faults(t, c)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// without returns the devices of other processes.
func without(devices []authority.Device, process authority.Process) []authority.Device {
	return slices.DeleteFunc(devices, func(d authority.Device) bool { return d.Process == process })
}

func TestGangFormsAreCountedAndChangeTheDigest(t *testing.T) {
	t.Parallel()
	c := whole()
	before := snapshot(t, c).ID()
	c.GangForms = []authority.GangForm{{
		ID: "cards", Name: "Cards", Press: "d-ConventionalPrinting", Media: "silk", Columns: 1, Rows: 1,
		Position: authority.Area{Width: 90 * money.One, Height: 60 * money.One}, Positions: 20, Runs: []int64{500}, Front: []string{"Black"},
	}}
	if s := snapshot(t, c); s.ID() == before || s.Count(authority.FamilyGangForm) != 1 {
		t.Errorf("%d gang forms with the digest %s, want 1 with another digest than %s", s.Count(authority.FamilyGangForm), s.ID(), before)
	}
}
