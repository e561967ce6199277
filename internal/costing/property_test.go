// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// randomOwner returns the printer of the guides with random figures and gang forms.
func randomOwner(source *rand.Rand) authority.Content {
	c, online, known := finishingPrinter(), onlinePrinter(), len(printer().Devices)
	c.Policy.Case, c.GangForms, c.Adhesives = online.Policy.Case, online.GangForms, online.Adhesives
	c.Devices, c.Services = append(c.Devices, online.Devices[known:]...), append(c.Services, online.Services...)
	for i := range c.GangForms {
		f := &c.GangForms[i]
		first := 1 + source.Int64N(500)
		f.Positions, f.Runs = 1+source.Int64N(f.Positions), []int64{first, first + 1 + source.Int64N(10_000)}
		if source.IntN(3) == 0 {
			f.FrontVarnish, f.BackVarnish = "aqueous", "aqueous"
		}
		if source.IntN(3) == 0 {
			f.Back = nil
		}
	}
	scaled := func(d *money.Decimal, low, high int64) {
		*d = money.Decimal(money.MulDiv(int64(*d), low+source.Int64N(high-low), 1000))
	}
	for i := range c.Devices {
		d := &c.Devices[i]
		scaled(&d.Speed, 200, 3000)
		scaled(&d.SetupMinutes, 0, 3000)
		scaled(&d.HourlyRate, 0, 3000)
		scaled(&d.WastePercent, 0, 5000)
		d.SetupWaste = source.Int64N(200)
		if source.IntN(2) == 0 {
			d.WasteFrom = []int64{1 + source.Int64N(500), 501 + source.Int64N(2000)}
			d.WasteThen = []money.Decimal{money.Decimal(source.Int64N(5)) * money.One, money.Decimal(source.Int64N(5)) * money.One}
		}
	}
	for i := range c.Media {
		scaled(&c.Media[i].Price.Amount, 0, 4000)
		scaled(&c.Media[i].Thickness, 500, 2000)
		c.Media[i].Grain = []authority.Grain{authority.GrainX, authority.GrainY, authority.GrainUnknown}[source.IntN(3)]
	}
	c.Policy.Gutter = money.Decimal(source.Int64N(6)) * money.One
	c.Policy.Bleed = money.Decimal(source.Int64N(6)) * money.One
	c.Policy.GrainAlongSpine = source.IntN(2) == 0
	c.Currency = []string{"EUR", "JPY", "KWD"}[source.IntN(3)]
	return c
}

// randomJob returns an example of the guide with a random size, colours and so on.
func randomJob(source *rand.Rand, names []string) (name string, change func(object)) {
	name = names[source.IntN(len(names))]
	width, height, pages := 60+source.IntN(250), 60+source.IntN(350), 4*(1+source.IntN(60))
	if source.IntN(2) == 0 { // cards, which fit on gang forms
		width, height = 50+source.IntN(60), 50+source.IntN(60)
	}
	black, coated := source.IntN(3) == 0, source.IntN(3) == 0
	return name, func(d object) {
		for i := range list(d, "ProductList", "Product") {
			layout := intent(d, "LayoutIntent", i)
			if layout == nil {
				continue
			}
			layout["FinishedDimensions"] = []any{float64(width) * 72 / 25.4, float64(height) * 72 / 25.4, 0}
			if given, present := layout["Pages"].(float64); present && given > 6 {
				layout["Pages"] = pages
			}
			for _, side := range list(intent(d, "ColorIntent", i), "SurfaceColor") {
				if black && len(list(side.(object), "ColorsUsed")) > 0 {
					side.(object)["ColorsUsed"] = []any{"Black"}
				}
				if coated {
					side.(object)["Coatings"] = []any{"Aqueous"}
				}
			}
		}
	}
}

func units(tb testing.TB, text string) *big.Rat {
	tb.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		tb.Fatalf("%q is no number", text)
	}
	return r
}

// consistent checks the invariants of every result.
func consistent(tb testing.TB, result *costing.Result) {
	tb.Helper()
	for _, b := range result.Breaks {
		sum := new(big.Rat)
		for _, l := range b.Lines {
			amount := units(tb, l.Amount.Amount())
			if amount.Sign() < 0 || strings.HasPrefix(l.Quantity, "-") || strings.HasPrefix(l.Rate, "-") {
				tb.Errorf("a negative line: %+v", l)
			}
			if _, places, _ := strings.Cut(l.Quantity, "."); len(places) > 4 {
				tb.Errorf("the quantity %s has more than 4 places", l.Quantity)
			}
			exact := new(big.Rat).Mul(units(tb, l.Quantity), units(tb, l.Rate))
			if want := exact.FloatString(int(l.Amount.Currency().Decimals())); l.Amount.Amount() != want {
				tb.Errorf("%s x %s is %s, want %s", l.Quantity, l.Rate, l.Amount, want)
			}
			if l.Resource.ID == "" || l.Resource.Family == "" || l.Unit == "" {
				tb.Errorf("a line of nothing: %+v", l)
			}
			sum.Add(sum, amount)
		}
		if sum.Cmp(units(tb, b.Total.Amount())) != 0 {
			tb.Errorf("the total is %s, the lines are %s", b.Total, sum.FloatString(4))
		}
		if unit := new(big.Rat).Quo(sum, new(big.Rat).SetInt64(b.Quantity)).FloatString(6); b.UnitCost.Amount() != unit {
			tb.Errorf("the unit cost is %s, want %s", b.UnitCost, unit)
		}
		for _, a := range b.Alternatives {
			if a.Total != nil && units(tb, a.Total.Amount()).Cmp(sum) < 0 {
				tb.Errorf("%s would cost %s, less than %s", a.Press, a.Total, b.Total)
			}
			if (a.Total == nil) == (a.Reason == "") {
				tb.Errorf("%s has neither a total nor a reason, or both", a.Press)
			}
		}
	}
}

// properties runs a test on random jobs of random owners.
func properties(t *testing.T, rounds int, test func(t *testing.T, source *rand.Rand, c authority.Content, name string, change func(object))) {
	t.Helper()
	names := append(exampleNames(t), "finishing/flyer", "finishing/notebook", "online/cards", "online/matt-cards", "online/sewn-book")
	for seed := range uint64(rounds) {
		source := rand.New(rand.NewPCG(seed, 7))
		c := randomOwner(source)
		name, change := randomJob(source, names)
		test(t, source, c, name, change)
		if t.Failed() {
			t.Fatalf("seed %d, %s", seed, name)
		}
	}
}

func TestMoreCopiesNeverCostLess(t *testing.T) {
	t.Parallel()
	figures, forms := 0, 0
	properties(t, 60, func(t *testing.T, source *rand.Rand, c authority.Content, name string, change func(object)) {
		t.Helper()
		c.Policy.QuantityBreaks = nil
		for len(c.Policy.QuantityBreaks) < 10 {
			if n := 1 + source.Int64N(1+source.Int64N(20_000)); !slices.Contains(c.Policy.QuantityBreaks, n) {
				c.Policy.QuantityBreaks = append(c.Policy.QuantityBreaks, n)
			}
		}
		amount := 1 + source.Int64N(20_000)
		body := edited(t, name, func(d object) {
			change(d)
			product(d, 0)["Amount"], product(d, 0)["MinAmount"], product(d, 0)["MaxAmount"] = amount, 1, 20_001
		})
		result, _, err := outcome(t, body, c)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if result == nil {
			return
		}
		figures++
		for i, b := range result.Breaks[1:] {
			before := result.Breaks[i]
			if b.Plan[0].Gang != nil {
				forms++
			}
			if units(t, b.Total.Amount()).Cmp(units(t, before.Total.Amount())) < 0 || b.Quantity <= before.Quantity {
				t.Errorf("%d copies cost %s, but %d cost %s", before.Quantity, before.Total, b.Quantity, b.Total)
			}
		}
		consistent(t, result)
	})
	if figures < 20 || forms < 10 {
		t.Errorf("only %d of the random jobs had figures, and %d quantities were printed on gang forms", figures, forms)
	}
}

func TestOrderOfMasterDataDoesNotMatter(t *testing.T) {
	t.Parallel()
	properties(t, 40, func(t *testing.T, source *rand.Rand, c authority.Content, name string, change func(object)) {
		t.Helper()
		body := edited(t, name, change)
		first, firstCodes, err := outcome(t, body, c)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		source.Shuffle(len(c.Devices), func(i, j int) { c.Devices[i], c.Devices[j] = c.Devices[j], c.Devices[i] })
		source.Shuffle(len(c.Inks), func(i, j int) { c.Inks[i], c.Inks[j] = c.Inks[j], c.Inks[i] })
		source.Shuffle(len(c.GangForms), func(i, j int) { c.GangForms[i], c.GangForms[j] = c.GangForms[j], c.GangForms[i] })
		source.Shuffle(len(c.Media), func(i, j int) { c.Media[i], c.Media[j] = c.Media[j], c.Media[i] })
		second, secondCodes, err := outcome(t, body, c)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if diff := cmp.Diff(string(written(t, first))+join(firstCodes), string(written(t, second))+join(secondCodes)); diff != "" {
			t.Errorf("difference (-want +got):\n%s", diff)
		}
	})
}

func join(codes []costing.Code) string {
	text := ""
	for _, code := range codes {
		text += " " + string(code)
	}
	return text
}

func TestHigherRateNeverCostsLess(t *testing.T) {
	t.Parallel()
	properties(t, 50, func(t *testing.T, source *rand.Rand, c authority.Content, name string, change func(object)) {
		t.Helper()
		body := edited(t, name, change)
		cheap, _, err := outcome(t, body, c)
		if err != nil || cheap == nil {
			return
		}
		c.Devices[source.IntN(len(c.Devices))].HourlyRate += 20 * money.One
		c.Media[source.IntN(len(c.Media))].Price.Amount += money.One
		dear, _, err := outcome(t, body, c)
		if err != nil || dear == nil {
			t.Fatalf("calculation with a higher rate failed: %v", err)
		}
		for i := range cheap.Breaks {
			if units(t, dear.Breaks[i].Total.Amount()).Cmp(units(t, cheap.Breaks[i].Total.Amount())) < 0 {
				t.Errorf("the total fell with a higher rate, from %s to %s", cheap.Breaks[i].Total, dear.Breaks[i].Total)
			}
		}
	})
}

func TestAdditionalDeviceNeverCostsMore(t *testing.T) {
	t.Parallel()
	properties(t, 100, func(t *testing.T, source *rand.Rand, c authority.Content, name string, change func(object)) {
		t.Helper()
		body := edited(t, name, change)
		few, _, err := outcome(t, body, c)
		if err != nil || few == nil {
			return
		}
		for i := range 1 + source.IntN(5) {
			one := c.Devices[source.IntN(len(c.Devices))]
			one.ID = strconv.Itoa(i)
			one.ID = string(rune('a'+source.IntN(26))) + one.ID
			for _, figure := range []*money.Decimal{&one.Speed, &one.HourlyRate, &one.SetupMinutes, &one.StackHeight} {
				*figure = money.Decimal(money.MulDiv(int64(*figure), 500+source.Int64N(600), 1000))
			}
			if source.IntN(2) == 0 {
				one.WastePercent = 20 * money.One
			}
			if source.IntN(2) == 0 && one.Crew > 0 {
				one.Crew = 9 * money.One
			}
			if source.IntN(2) == 0 && one.Power > 0 {
				one.Power = 900 * money.One
			}
			one.SetupWaste = source.Int64N(300)
			c.Devices = append(c.Devices, one)
		}
		more, _, err := outcome(t, body, c)
		if err != nil || more == nil {
			t.Fatalf("calculation with more devices failed: %v", err)
		}
		for i := range few.Breaks {
			if units(t, more.Breaks[i].Total.Amount()).Cmp(units(t, few.Breaks[i].Total.Amount())) > 0 {
				t.Errorf("the total rose with one more device, from %s to %s", few.Breaks[i].Total, more.Breaks[i].Total)
			}
		}
		consistent(t, more)
	})
}

func TestEncodingOfDocumentDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, name := range exampleNames(t) {
		want, err := calculate(t, example(t, name))
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		d := parse(t, example(t, name))
		var markup bytes.Buffer
		if err := xjdf.WriteXML(&markup, d.Root); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		attributes := strings.NewReplacer(`"Amount":`, `"@Amount":`, `"Pages":`, `"@Pages":`, `"FinishedDimensions":`, `"@FinishedDimensions":`).Replace(string(example(t, name)))
		for encoding, body := range map[string][]byte{"XML": markup.Bytes(), "JSON with some attributes marked": []byte(attributes)} {
			got, err := calculate(t, body)
			if err != nil {
				t.Errorf("%s of %s: %v", encoding, name, err)
				continue
			}
			if diff := cmp.Diff(string(written(t, want)), string(written(t, got))); diff != "" {
				t.Errorf("%s of %s:\n%s", encoding, name, diff)
			}
		}
	}
}

func TestSpellingOfNumberDoesNotMatter(t *testing.T) {
	t.Parallel()
	want, err := calculate(t, example(t, "flyer"))
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	for _, change := range [][2]string{
		{"419.528", "4.19528e2"},
		{"419.528", "419.52800000"},
		{"419.528", "419.5277"},
		{`"Amount": 5000`, `"Amount": 5000.0`},
		{"8.504", "0.8504E1"},
	} {
		body := strings.Replace(string(example(t, "flyer")), change[0], change[1], 1)
		got, err := calculate(t, []byte(body))
		if err != nil {
			t.Errorf("%v: %v", change, err)
			continue
		}
		if diff := cmp.Diff(string(written(t, want)), string(written(t, got))); diff != "" {
			t.Errorf("%v:\n%s", change, diff)
		}
	}
}

func TestBreaksAreAmountBoundsAndPolicyBreaksBetween(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		low, high any
		want      string
	}{
		"no bounds":                      {nil, nil, "5000"},
		"a lower bound":                  {900, nil, "900 1000 2500 5000"},
		"an upper bound":                 {nil, 10_000, "5000 10000"},
		"two bounds":                     {1000, 12_000, "1000 2500 5000 10000 12000"},
		"bounds that are the quantity":   {5000, 5000, "5000"},
		"bounds with nothing in between": {4999, 5001, "4999 5000 5001"},
	} {
		result, err := calculate(t, edited(t, "flyer", func(d object) {
			if tc.low != nil {
				product(d, 0)["MinAmount"] = tc.low
			}
			if tc.high != nil {
				product(d, 0)["MaxAmount"] = tc.high
			}
		}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, b := range result.Breaks {
			got = append(got, strconv.FormatInt(b.Quantity, 10))
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
