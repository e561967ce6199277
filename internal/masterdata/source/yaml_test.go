// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

const power = "electricity: [{id: power, name: Power, price: {amount: 0.2, per: KilowattHour}}]\n"

func TestUsualYAMLFormsAreAccepted(t *testing.T) {
	t.Parallel()
	want, err := files{"all.yaml": head + power}.read(t, "all.yaml")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	lines := head + "electricity:\n  - id: power\n    name: Power\n    price:\n      amount: 0.2\n      per: KilowattHour\n"
	for name, text := range map[string]string{
		"lines":                         lines,
		"lines without indentation":     head + "electricity: # of the day\n- id: power\n  name: Power\n  price: {amount: 0.2, per: KilowattHour}\n",
		"a dash with its line":          strings.Replace(lines, "- id", "-\n    id", 1),
		"a beginning of the document":   "# rates\n---\n" + lines,
		"the same with a comment":       "--- # rates\n" + lines,
		"lines that end with CR LF":     strings.ReplaceAll(lines, "\n", "\r\n"),
		"comments and blank lines":      "\n# a\n" + strings.ReplaceAll(lines, "\n", "\n\n# x\n    # y\n"),
		"quotes":                        strings.NewReplacer("Power", `"Power"`, "0.2", "'0.20'").Replace(lines),
		"names in quotes":               strings.Replace(lines, "electricity:", `"electricity":`, 1),
		"brackets over lines":           head + "electricity: [\n  {id: power, name: Power,\n   price: {amount: 0.2, per: KilowattHour}}\n]\n",
		"brackets below the name":       head + "electricity:\n  [{id: power, name: Power, price: {amount: 0.2, per: KilowattHour}}]\n",
		"one mapping":                   "{level: resources, owner: org_acme01, currency: EUR, provenance: {source: x}, policy: {bleed: 3, gutter: 4},\n " + strings.TrimSpace(power) + "}\n",
		"JSON":                          `{"level": "resources", "owner": "org_acme01", "currency": "EUR", "provenance": {"source": "x"}, "policy": {"bleed": 3, "gutter": 4}, "electricity": [{"id": "power", "name": "Power", "price": {"amount": 0.2, "per": "KilowattHour"}}]}`,
		"the list before the header":    power + head,
		"a text in the form of a block": strings.Replace(lines, "name: Power", "name: >-\n      Power", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := files{"all.yaml": text}.read(t, "all.yaml")
			if err != nil {
				t.Fatalf("unexpected faults:\n%s", faults(err))
			}
			if got.ID() != want.ID() {
				t.Errorf("id %s, want %s", got.ID(), want.ID())
			}
		})
	}
}

// TestTextsAreReadAsWritten uses texts that YAML 1.1 interprets as other types.
func TestTextsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"no", "yes", "on", "y", "true", "False", "1.10", "0x1F", "017", "1_000", "12:30", "2026-01-01", "1e3", ".inf", "5", "+5", "2026-01-01T00:00:00Z", "=", "nullable"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			d, err := files{"all.yaml": head + strings.Replace(power, "name: Power", "name: "+text, 1)}.read(t, "all.yaml")
			if err != nil {
				t.Fatalf("unexpected faults:\n%s", faults(err))
			}
			s, err := d.Authority()
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if e, _ := s.Electricity("power"); e.Name != text {
				t.Errorf("read as %q", e.Name)
			}
		})
	}
}

func TestAmbiguousYAMLIsRejected(t *testing.T) {
	t.Parallel()
	with := func(old, put string) string { return head + strings.Replace(power, old, put, 1) }
	decimal := func(text string) string {
		return fmt.Sprintf(`all.yaml:6:48: electricity power: price.amount: %q is no decimal number such as 12.5: digits, a point, at most 6 places`, text)
	}
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"an identifier that is a number": {with("id: power", "id: 1e3"), []string{
			`all.yaml:6:16: electricity 1e3: id: an identifier is 1 to 128 of A-Z a-z 0-9 . _ - and begins with a letter or _`,
		}},
		"an identifier that is null": {with("id: power", "id: null"), []string{
			`all.yaml:6:16: electricity: id: null is no value: leave it out, or write a text in quotes`,
		}},
		"an identifier that is not there": {with("id: power", "id: "), []string{
			`all.yaml:6:16: electricity: id: null is no value: leave it out, or write a text in quotes`,
		}},
		"an octal number":        {with("0.2", "017"), []string{decimal("017")}},
		"a hexadecimal number":   {with("0.2", "0x1F"), []string{decimal("0x1F")}},
		"a number of base 60":    {with("0.2", "12:30"), []string{decimal("12:30")}},
		"a number with _":        {with("0.2", "1_000"), []string{decimal("1_000")}},
		"a number with exponent": {with("0.2", "2e-1"), []string{decimal("2e-1")}},
		"too many places":        {with("0.2", "0.0000002"), []string{decimal("0.0000002")}},
		"infinity":               {with("0.2", ".inf"), []string{decimal(".inf")}},
		"a yes": {strings.Replace(head, "gutter: 4", "gutter: 4, grainAlongSpine: yes", 1), []string{
			`all.yaml:5:31: policy.grainAlongSpine: "yes" is neither true nor false`,
		}},
		"a whole number with a point": {strings.Replace(head, "gutter: 4", "gutter: 4, maxQuantity: 10.0", 1), []string{
			`all.yaml:5:31: policy.maxQuantity: "10.0" is no whole number`,
		}},
		"a list with an invalid number": {strings.Replace(head, "gutter: 4", "gutter: 4, quantityBreaks: [1, 010]", 1), []string{
			`all.yaml:5:31: policy.quantityBreaks: "010" is no whole number`,
		}},
		"a list in a list": {strings.Replace(head, "gutter: 4", "gutter: 4, quantityBreaks: [[1]]", 1), []string{
			`all.yaml:5:31: policy.quantityBreaks: is one whole number, not a list`,
		}},
		"a value for a list":    {strings.Replace(head, "gutter: 4", "gutter: 4, quantityBreaks: 1", 1), []string{`all.yaml:5:31: policy.quantityBreaks: is a list of whole numbers`}},
		"a list for a value":    {with("name: Power", "name: [Power]"), []string{`all.yaml:6:27: electricity power: name: is one text, not a list`}},
		"a mapping for a value": {with("name: Power", "name: {a: b}"), []string{`all.yaml:6:27: electricity power: name: is a value, not a mapping`}},
		"a value for a mapping": {with("{amount: 0.2, per: KilowattHour}", "0.2"), []string{`all.yaml:6:40: electricity power: price: is a mapping of amount, per`}},
		"a mapping for a list":  {head + "inks: {id: a}\n", []string{`all.yaml:6:7: inks is a list: its entries begin with "- "`}},
		"the same in lines":     {head + "inks:\n  id: a\n", []string{`all.yaml:7:3: inks is a list: its entries begin with "- "`}},
		"a list of texts":       {head + "inks: [cyan]\n", []string{`all.yaml:6:8: ink: is a mapping of id, name, separation, consumption, price`}},
		"a list with nothing":   {head + "inks:\n# none yet\n", []string{`all.yaml:6:1: inks has nothing in it: leave it out, or write []`}},
		"a list of a document":  {"- id: a\n", []string{`all.yaml:1:1: a document is a mapping of level, owner, currency, provenance, policy, groups, products, media, devices, inks, laminations, varnishes, plates, adhesives, electricity, labor, services, gangForms`}},
		"a name twice":          {with("name: Power", "name: Power, name: Power"), []string{`all.yaml:6:40: electricity power: name: is there already`}},
		"a mapping twice":       {with("}}", "}, price: {per: KilowattHour}}"), []string{`all.yaml:6:81: electricity power: price: is there already`}},
		"a list twice":          {head + power + power, []string{`all.yaml:7:1: electricity are in all.yaml:6 already`}},
		"a header's name twice": {head + "owner: platform\n", []string{`all.yaml:6:1: owner: is there already`}},
		"a name that is not":    {with("name: Power", "naem: Power"), []string{`all.yaml:6:15: electricity power: name: must be there`, `all.yaml:6:27: electricity power: naem: "naem" is not known here; did you mean name?`}},
		"a merge of another":    {with("name: Power", "<<: {name: Power}"), []string{`all.yaml:6:15: electricity power: name: must be there`, `all.yaml:6:27: electricity power: <<: "<<" is not known here`}},
		"an anchor":             {with("name: Power", "name: &a Power"), []string{`all.yaml:6:15: electricity power: name: must be there`, `all.yaml:6:33: anchors (&) and aliases (*) are not read`}},
		"an alias":              {with("name: Power", "name: *a"), []string{`all.yaml:6: no YAML: unknown anchor 'a' referenced`}},
		"a tag":                 {with("name: Power", "name: !!str 5"), []string{`all.yaml:6:15: electricity power: name: must be there`, `all.yaml:6:33: tags (!) are not read`}},
		"a list of aliases": {head + "inks: [&a [x, x], *a, *a]\n", []string{
			`all.yaml:6:8: anchors (&) and aliases (*) are not read`, `all.yaml:6:19: anchors (&) and aliases (*) are not read`, `all.yaml:6:23: anchors (&) and aliases (*) are not read`,
		}},
		"two documents":          {head + "---\n" + power, []string{`all.yaml:6: one document is read, not several`}},
		"an end of the document": {head + "...\n" + power, []string{`all.yaml:6: one document is read, not several`}},
		"lines behind the end":   {head + "inks:\n  - {id: a, name: A, separation: A, consumption: 1, price: {amount: 1, per: Kilogram}}\n : x\n  - {id: b}\n", nil},
		"a member further right": {" level: resources\n" + strings.TrimPrefix(head, "level: resources\n"), []string{`all.yaml:1:2: a member of the document begins in the first column`}},
		"a directive":            {"%YAML 1.1\n---\n" + head, []string{`all.yaml:1: directives (%) are not read`}},
		"no YAML":                {head + "inks:\n  - {id: a\n  - {id: b}\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.want == nil {
				_, err := files{"all.yaml": tc.text}.read(t, "all.yaml")
				if got := faults(err); !strings.HasPrefix(got, "all.yaml:") || !strings.Contains(got, "no YAML") {
					t.Errorf("faults: %s", got)
				}
				return
			}
			want(t, files{"all.yaml": tc.text}, tc.want...)
		})
	}
}

// TestFaultInLongListHasLineOfFile reads a file in several parts.
func TestFaultInLongListHasLineOfFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(head + "inks:\n")
	const n = 2_000
	for i := range n {
		fmt.Fprintf(&b, "  # number %d\n  - id: ink-%d\n    name: Ink\n    separation: Cyan\n    consumption: 1\n    price: {amount: 1, per: Kilogram}\n", i, i)
	}
	d, err := files{"all.yaml": b.String()}.read(t, "all.yaml")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	if s, _ := d.Authority(); s.Size() != n {
		t.Errorf("%d inks, want %d", s.Size(), n)
	}
	text := strings.Replace(b.String(), "id: ink-1500\n    name: Ink", "id: ink-1500\n    naem: Ink", 1)
	want(t, files{"all.yaml": text},
		`all.yaml:9008:5: ink ink-1500: name: must be there`,
		`all.yaml:9009:5: ink ink-1500: naem: "naem" is not known here; did you mean name?`)
}

func TestYAMLEntryIsBounded(t *testing.T) {
	t.Parallel()
	_, err := files{"all.yaml": head + "inks: [\n" + strings.Repeat("  {id: a},\n", 20_000) + "]\n"}.read(t, "all.yaml")
	if got := faults(err); !strings.Contains(got, "an entry of more than 131072 bytes") {
		t.Errorf("faults: %s", got)
	}
	deep := head + "inks: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n"
	if _, err := (files{"all.yaml": deep}).read(t, "all.yaml"); err == nil {
		t.Error("a deeply nested list was accepted")
	}
	text := head + strings.Replace(power, "name: Power", "name: "+strings.Repeat("x", source.MaxScalar+1), 1)
	want(t, files{"all.yaml": text}, `all.yaml:6:27: electricity power: name: 4097 bytes; at most 4096 are read`)
}
