// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

const document = `{
 "level": "resources", "owner": "org_acme01", "currency": "EUR",
 "provenance": {"source": "a test"}, "policy": {"bleed": 3, "gutter": 4},
 "electricity": [
  {"id": "power", "name": "Power", "price": {"amount": 0.20, "per": "KilowattHour"}}
 ]
}
`

func TestInvalidJSONIsRejected(t *testing.T) {
	t.Parallel()
	with := func(old, put string) string { return strings.Replace(document, old, put, 1) }
	for name, tc := range map[string]struct{ text, want string }{
		"nothing at all":          {"", `all.json:1:1: no JSON: there is nothing`},
		"a list":                  {"[]", `all.json:1:1: a document is an object of level, owner, currency, provenance, policy, groups, products, media, devices, inks, laminations, varnishes, plates, adhesives, electricity, labor, services, gangForms`},
		"two values":              {document + "{}", `all.json:8:2: more than one value`},
		"half of it":              {document[:len(document)/2], `all.json:3:58: no JSON: unexpected EOF`},
		"a comma too many":        {with("}}\n", "}},\n"), `all.json:5:85: no JSON: invalid character ',' at start of value`},
		"a name twice":            {with(`"name": "Power"`, `"name": "Power", "name": "Power"`), `all.json:5:36: this name is there already`},
		"a member twice":          {with(`"currency"`, `"owner": "platform", "currency"`), `all.json:2:47: this name is there already`},
		"half a character":        {with("Power", `Po\ud800wer`), `all.json:5:30: no JSON: invalid surrogate pair "\\ud800wer\", " in string`},
		"a name that is not":      {with(`"name"`, `"naem"`), `all.json:5:3: electricity power: name: must be there` + "\n" + `all.json:5:19: electricity power: naem: "naem" is not known here; did you mean name?`},
		"a member that is not":    {with(`"policy"`, `"polcy"`), `all.json:3:38: "polcy" is not known here; did you mean policy?`},
		"a number for a text":     {with(`"Power"`, `5`), `all.json:5:19: electricity power: name: is a text, which stands in quotes`},
		"null for a text":         {with(`"Power"`, `null`), `all.json:5:19: electricity power: name: null is no value: leave it out, or write a text in quotes`},
		"an object for a text":    {with(`"Power"`, `{"a": 1}`), `all.json:5:19: electricity power: name: is a value, not an object`},
		"an array for a text":     {with(`"Power"`, `["a"]`), `all.json:5:19: electricity power: name: is one text, not a list`},
		"a value for an object":   {with(`{"amount": 0.20, "per": "KilowattHour"}`, "0.20"), `all.json:5:36: electricity power: price: is an object of amount, per`},
		"a value for an entry":    {with(`"electricity": [`, `"electricity": [5,`), `all.json:4:18: electricity: is an object of id, name, price`},
		"an object for a list":    {with(`"policy"`, `"inks": {}, "policy"`), `all.json:3:46: inks is an array`},
		"an exponent":             {with("0.20", "2e-1"), `all.json:5:46: electricity power: price.amount: "2e-1" is no decimal number such as 12.5: digits, a point, at most 6 places`},
		"true for a number":       {with("0.20", "true"), `all.json:5:46: electricity power: price.amount: "true" is no decimal number such as 12.5: digits, a point, at most 6 places`},
		"a text for true":         {with(`"gutter": 4`, `"gutter": 4, "grainAlongSpine": "true"`), `all.json:3:74: policy.grainAlongSpine: "true" is neither true nor false`},
		"a list that is too long": {with(`"gutter": 4`, `"gutter": 4, "quantityBreaks": [`+strings.Repeat("1,", 500)+"1]"), `all.json:3:74: policy.quantityBreaks: 101 of them; at most 100 are taken`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := files{"all.json": tc.text}.read(t, "all.json")
			if diff := cmp.Diff(tc.want+"\n", faults(err)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONNumbersAreExact(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0.1", `"0.1"`, "999999.999999", "0.000001", "0"} {
		d, err := files{"all.json": strings.Replace(document, "0.20", number, 1)}.read(t, "all.json")
		if err != nil {
			t.Errorf("%s: %s", number, faults(err))
			continue
		}
		s, _ := d.Authority()
		if e, _ := s.Electricity("power"); e.Price.Amount.String() != strings.Trim(number, `"`) {
			t.Errorf("%s was read as %s", number, e.Price.Amount)
		}
	}
}

func TestJSONReadsBackAsSameDocument(t *testing.T) {
	t.Parallel()
	for _, name := range demos() {
		d := mustRead(t, name)
		text, err := d.JSON()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		again, err := source.ReadJSON(t.Context(), strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("unexpected faults:\n%s", faults(err))
		}
		if again.ID() != d.ID() || again.Provenance() != d.Provenance() || again.Level() != d.Level() || again.Owner() != d.Owner() {
			t.Errorf("%s: %s of %s, %+v", name, again.Level(), again.Owner(), again.Provenance())
		}
	}
}

// TestFaultWithoutFileHasLine reads a document that has no file name.
func TestFaultWithoutFileHasLine(t *testing.T) {
	t.Parallel()
	_, err := source.ReadJSON(t.Context(), strings.NewReader(strings.Replace(document, "0.20", "-1", 1)))
	if got := faults(err); got != "line 5: electricity power: price.amount: -1 is not between 0 and 1000000\n" {
		t.Errorf("faults: %s", got)
	}
}
