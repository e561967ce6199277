// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// faults returns the faults of content as "family id field".
func faults(t *testing.T, c authority.Content) []string {
	t.Helper()
	_, err := authority.New(c)
	if err == nil {
		return nil
	}
	var invalid *authority.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Faults) == 0 {
		t.Fatalf("an error without faults: %v", err)
	}
	var all []string
	for _, f := range invalid.Faults {
		if f.Reason == "" || !strings.Contains(f.String(), f.Reason) {
			t.Errorf("a fault without a reason: %+v", f)
		}
		all = append(all, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", f.Family, f.ID, f.Field)), " "))
	}
	return all
}

func TestFaultsNameResourceAndField(t *testing.T) {
	t.Parallel()
	type content = authority.Content
	for name, tc := range map[string]struct {
		change func(*content)
		want   []string
	}{
		"nothing":                            {func(*content) {}, nil},
		"no owner":                           {func(c *content) { c.Owner = "" }, []string{"owner"}},
		"an unknown owner":                   {func(c *content) { c.Owner = "acme" }, []string{"owner"}},
		"an owner with a line break":         {func(c *content) { c.Owner = "org_acme01\n" }, []string{"owner"}},
		"no currency":                        {func(c *content) { c.Currency = "" }, []string{"currency"}},
		"a currency that there isn't":        {func(c *content) { c.Currency = "ZZZ" }, []string{"currency"}},
		"a currency in lower case":           {func(c *content) { c.Currency = "eur" }, []string{"currency"}},
		"a negative bleed":                   {func(c *content) { c.Policy.Bleed = -1 }, []string{"policy.bleed"}},
		"a gutter of a yard":                 {func(c *content) { c.Policy.Gutter = 101 * money.One }, []string{"policy.gutter"}},
		"a spine that is milled away":        {func(c *content) { c.Policy.SpineMilling = 100*money.One + 1 }, []string{"policy.spineMilling"}},
		"more ink than paper":                {func(c *content) { c.Policy.InkCoverage = 100*money.One + 1 }, []string{"policy.inkCoverage"}},
		"a negative total":                   {func(c *content) { c.Policy.MaxTotal = -1 }, []string{"policy.maxTotal"}},
		"a total above the readable maximum": {func(c *content) { c.Policy.MaxTotal = money.Max + 1 }, []string{"policy.maxTotal"}},
		"too large a quantity":               {func(c *content) { c.Policy.MaxQuantity = authority.MaxQuantity + 1 }, []string{"policy.maxQuantity"}},
		"no quantity of a break":             {func(c *content) { c.Policy.QuantityBreaks = []int64{0} }, []string{"policy.quantityBreaks"}},
		"too large a break":                  {func(c *content) { c.Policy.QuantityBreaks = []int64{authority.MaxQuantity + 1} }, []string{"policy.quantityBreaks"}},
		"a break twice":                      {func(c *content) { c.Policy.QuantityBreaks = []int64{5, 5} }, []string{"policy.quantityBreaks"}},
		"a break twice, not in a row":        {func(c *content) { c.Policy.QuantityBreaks = []int64{5, 7, 5} }, []string{"policy.quantityBreaks"}},
		"no name":                            {func(c *content) { c.Media[0].Name = "" }, []string{"media silk name"}},
		"a name of two lines":                {func(c *content) { c.Media[0].Name = "a\nb" }, []string{"media silk name"}},
		"a name that is not UTF-8":           {func(c *content) { c.Media[0].Name = "\xff" }, []string{"media silk name"}},
		"a name of 201 characters":           {func(c *content) { c.Inks[0].Name = strings.Repeat("ä", 201) }, []string{"ink cyan name"}},
		"a product code of two lines":        {func(c *content) { c.Media[0].ProductCode = "a\tb" }, []string{"media silk productCode"}},
		"a maker of 201 characters":          {func(c *content) { c.Media[0].Manufacturer = strings.Repeat("x", 201) }, []string{"media silk manufacturer"}},
		"a medium of no kind":                {func(c *content) { c.Media[0].MediaType = "Plate" }, []string{"media silk mediaType"}},
		"a medium without a width":           {func(c *content) { c.Media[0].Width = 0 }, []string{"media silk width"}},
		"a medium of 10 m and a bit":         {func(c *content) { c.Media[0].Height = 10_000*money.One + 1 }, []string{"media silk height"}},
		"a medium without a weight":          {func(c *content) { c.Media[0].Weight = -1 }, []string{"media silk weight"}},
		"a medium as thick as a hand":        {func(c *content) { c.Media[0].Thickness = 20_001 * money.One }, []string{"media silk thickness"}},
		"fibres of no direction":             {func(c *content) { c.Media[0].Grain = "ZDirection" }, []string{"media silk grain"}},
		"coatings that there aren't":         {func(c *content) { c.Media[0].Coating, c.Media[0].BackCoating = "HighGloss", "x" }, []string{"media silk coating", "media silk backCoating"}},
		"a negative price":                   {func(c *content) { c.Media[0].Price.Amount = -1 }, []string{"media silk price.amount"}},
		"a price of more than a rate":        {func(c *content) { c.Labor[0].Price.Amount = 1_000_000*money.One + 1 }, []string{"labor trade price.amount"}},
		"a price for another unit":           {func(c *content) { c.Media[0].Price.Per = authority.PerHour }, []string{"media silk price.per"}},
		"a price for no unit":                {func(c *content) { c.Plates[0].Price.Per = "" }, []string{"plate plate price.per"}},
		"an ink that is not used":            {func(c *content) { c.Inks[0].Consumption = 0 }, []string{"ink cyan consumption"}},
		"an ink of no colour":                {func(c *content) { c.Inks[0].Separation = "" }, []string{"ink cyan separation"}},
		"a film of no texture":               {func(c *content) { c.Laminations[0].Texture = "" }, []string{"lamination film texture"}},
		"a film of no thickness":             {func(c *content) { c.Laminations[0].Thickness = 0 }, []string{"lamination film thickness"}},
		"a varnish of no kind":               {func(c *content) { c.Varnishes[0].Coating = "" }, []string{"varnish uv coating"}},
		"a varnish without measure":          {func(c *content) { c.Varnishes[0].Consumption = 1_001 * money.One }, []string{"varnish uv consumption"}},
		"a plate without a size":             {func(c *content) { c.Plates[0].Width, c.Plates[0].Height = 0, -1 }, []string{"plate plate width", "plate plate height"}},
		"a glue that is not used":            {func(c *content) { c.Adhesives[0].Consumption = 0 }, []string{"adhesive glue consumption"}},
		"a trade that does nothing":          {func(c *content) { c.Labor[0].LaborType = "" }, []string{"labor trade laborType"}},
		"power by the hour":                  {func(c *content) { c.Electricity[0].Price.Per = authority.PerHour }, []string{"electricity grid price.per"}},
		"an identifier with a colon":         {func(c *content) { c.Media[0].ID = "print:flyers:a5" }, []string{`media "print:flyers:a5" id`}},
		"an identifier with a space":         {func(c *content) { c.Media[0].ID = "a b" }, []string{`media "a b" id`}},
		"no identifier":                      {func(c *content) { c.Media[0].ID = "" }, []string{`media "" id`}},
		"an identifier of 129":               {func(c *content) { c.Media[0].ID = strings.Repeat("a", 129) }, []string{`media "` + strings.Repeat("a", 60) + `" id`}},
		"an identifier with a digit":         {func(c *content) { c.Media[0].ID = "1a" }, []string{`media "1a" id`}},
		"a second of its family":             {func(c *content) { c.Media[1].ID = "silk" }, []string{"media silk id"}},
		"a second of another":                {func(c *content) { c.Labor[0].ID = "grid" }, orphans("labor", "labor grid id")},
		"a tariff of another family":         {func(c *content) { c.Devices[0].Electricity = "trade" }, []string{"device d-ConventionalPrinting electricity"}},
		"a plate that is not there":          {func(c *content) { c.Devices[0].Plate = "plate-2" }, []string{"device d-ConventionalPrinting plate"}},
		"a glue that is a plate":             {func(c *content) { c.Devices[8].Adhesive = "plate" }, []string{"device d-CoverApplication adhesive"}},
		"a trade that is a medium":           {func(c *content) { c.Devices[3].Labor = "silk" }, []string{"device d-Creasing labor"}},
		"several faults of one":              {func(c *content) { c.Inks[0] = authority.Ink{ID: "cyan"} }, []string{"ink cyan name", "ink cyan separation", "ink cyan consumption", "ink cyan price.per"}},
		"the largest that there may be":      {func(c *content) { c.Media[0].Price.Amount, c.Media[0].Width = 1_000_000*money.One, 10_000*money.One }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole()
			tc.change(&c)
			if diff := cmp.Diff(tc.want, faults(t, c)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// orphans appends the faults of all devices with a dangling reference to others.
func orphans(field string, others ...string) []string {
	for _, process := range authority.Processes() {
		others = append(others, fmt.Sprintf("device d-%s %s", process, field))
	}
	return others
}

func TestIdentifiersAreUniqueAmongAllFamilies(t *testing.T) {
	t.Parallel()
	c := whole()
	c.Varnishes[0].ID, c.Adhesives[0].ID = "silk", "silk"
	c.Devices = nil
	_, err := authority.New(c)
	var invalid *authority.InvalidError
	if !errors.As(err, &invalid) || !invalid.Duplicate() || len(invalid.Faults) != 2 {
		t.Fatalf("error %v", err)
	}
	for i, f := range invalid.Faults {
		if !f.Duplicate || f.ID != "silk" || f.Index != 0 || f.Family != []authority.Family{authority.FamilyVarnish, authority.FamilyAdhesive}[i] {
			t.Errorf("fault %+v", f)
		}
	}
	c = whole()
	c.Owner = ""
	if _, err := authority.New(c); !errors.As(err, &invalid) || invalid.Duplicate() || err.Error() != "authority: "+invalid.Faults[0].String() {
		t.Errorf("error %v", err)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	c := authority.Content{Owner: "org_acme01", Currency: "EUR"}
	for range authority.MaxFaults {
		c.Labor = append(c.Labor, authority.Labor{ID: fmt.Sprintf("l-%d", len(c.Labor)), LaborType: "x", Price: price(1, authority.PerHour)})
	}
	var invalid *authority.InvalidError
	if _, err := authority.New(c); !errors.As(err, &invalid) || len(invalid.Faults) != authority.MaxFaults || invalid.More {
		t.Errorf("content with MaxFaults faults: %d faults, more is %t", len(invalid.Faults), invalid.More)
	}
	c.Labor[0].LaborType = ""
	if _, err := authority.New(c); !errors.As(err, &invalid) || len(invalid.Faults) != authority.MaxFaults || !invalid.More || !strings.Contains(err.Error(), "and more") {
		t.Errorf("content with one more fault: %d faults, more is %t", len(invalid.Faults), invalid.More)
	}
}

func TestSnapshotIsBounded(t *testing.T) {
	t.Parallel()
	grow := func(n int) authority.Content {
		c := whole()
		for i := range n - 1 {
			c.Electricity = append(c.Electricity, authority.Electricity{ID: fmt.Sprintf("e-%d", i), Name: "E", Price: price(1, authority.PerKilowattHour)})
		}
		return c
	}
	if got := faults(t, grow(authority.MaxOthers)); got != nil {
		t.Errorf("list of the maximum length: faults are %v, want none", got)
	}
	if got := faults(t, grow(authority.MaxOthers+1)); len(got) == 0 || got[0] != "electricity" {
		t.Errorf("list above the maximum length: faults are %v", got)
	}
	c := whole()
	c.Media = slices.Repeat(c.Media[:1], authority.MaxMedia+1)
	if got := faults(t, c); len(got) != 1 || got[0] != "media" {
		t.Errorf("too many media: %v", got)
	}
	c = whole()
	c.Devices = slices.Repeat(c.Devices[:1], authority.MaxDevices+1)
	if got := faults(t, c); len(got) == 0 || got[0] != "device" {
		t.Errorf("too many devices: %v", got)
	}
	c = whole()
	c.Policy.QuantityBreaks = nil
	for i := range authority.MaxBreaks + 1 {
		c.Policy.QuantityBreaks = append(c.Policy.QuantityBreaks, int64(i+1))
	}
	if got := faults(t, c); len(got) != 1 || got[0] != "policy.quantityBreaks" {
		t.Errorf("too many breaks: %v", got)
	}
	c.Policy.QuantityBreaks = c.Policy.QuantityBreaks[1:]
	if got := faults(t, c); got != nil {
		t.Errorf("maximum number of breaks: faults are %v, want none", got)
	}
}
