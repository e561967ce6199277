// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
)

// size is the maximum size of request bodies of partners, in bytes.
const size = 64 << 10

// hostileBodies returns bodies of the maximum size that are, or could be, far more expensive
// than valid ones.
func hostileBodies() map[string]string {
	list := func(open, end string, element func(i int) string) string {
		text := open + element(0)
		for i := 1; len(text)+len(element(i))+1+len(end) <= size; i++ {
			text += "," + element(i)
		}
		return text + end
	}
	same := func(element string) func(int) string { return func(int) string { return element } }
	var group strings.Builder
	for i := range 90 {
		fmt.Fprintf(&group, `%c"m%d":0`, "{,"[min(i, 1)], i)
	}
	group.WriteString("}")
	return map[string]string{
		"unknown members":               list("{", "}", func(i int) string { return fmt.Sprintf(`"m%05d":0`, i) }),
		"unknown members in groups":     list("[", "]", same(group.String())),
		"elements":                      list("[", "]", same("0")),
		"elements of a member":          list(`{"title":[`, "]}", same("{}")),
		"digits":                        `{"quantity":1` + strings.Repeat("7", size-32) + `}`,
		"digits of a fraction":          `{"quantity":0.` + strings.Repeat("7", size-32) + `}`,
		"numbers with many digits":      list(`{"quantity":[`, "]}", same("1"+strings.Repeat("7", 900))),
		"numbers of many zeros":         list(`{"quantity":[`, "]}", same("1e308")),
		"numbers out of range":          list(`{"quantity":[`, "]}", same("1e999999")),
		"depth":                         list("[", "]", same(strings.Repeat("[", 30)+strings.Repeat("]", 30))),
		"escapes":                       `{"title":"` + strings.Repeat(`\u00e9`, size/6-8) + `"}`,
		"the maximum number of values":  list("[", "]", same(`{"a":"`+strings.Repeat("x", 310)+`","b":1,"c":2}`)),
		"the maximum number of members": list("{", "}", func(i int) string { return fmt.Sprintf(`"%0*d":0`, 660, i) }),
		"members to be escaped":         list("{", "}", func(i int) string { return fmt.Sprintf(`"%d%s":0`, i, strings.Repeat("~ ", 330)) }),
		"a long name":                   `{"` + strings.Repeat(`/`, size-32) + `":1}`,
	}
}

// hostileOffers returns offers within the limits of the decoder with many violations.
func hostileOffers() map[string]string {
	breaks := func(one string) string { return `{"priceBreaks":[` + strings.Repeat(one+",", 190) + one + `]}` }
	return map[string]string{
		"price breaks of wrong values":    breaks(`{"quantity":1e308,"unitPrice":{"amount":"x","currency":"y"}}`),
		"price breaks of unknown members": breaks(`{"a":1,"b":1,"c":1}`),
		"price breaks of long numbers":    breaks(`{"quantity":1.` + strings.Repeat("7", 300) + `e308}`),
		"assumptions that are numbers":    `{"assumptions":[` + strings.Repeat("1,", 190) + `1]}`,
	}
}

// refuse processes a body until it is rejected.
func refuse(create *contracts.Schema, body []byte) bool {
	value, err := gate.DecodeJSON(body)
	return err != nil || len(create.Violations(value)) > 0
}

func TestHostileBodiesAreRefused(t *testing.T) {
	t.Parallel()
	create := schema(t, published(t), contracts.Partner, "RfqCreate")
	for name, body := range hostileBodies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(body) > size || len(body) < size-2<<10 {
				t.Errorf("the body has %d bytes, want about %d", len(body), size)
			}
			if !refuse(create, []byte(body)) {
				t.Error("the body was accepted")
			}
		})
	}
}

func TestHostileOffersAreRefusedWithTheirFault(t *testing.T) {
	t.Parallel()
	offer := schema(t, published(t), contracts.Platform, "Offer")
	for name, body := range hostileOffers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if found := offer.Violations(decode(t, body)); len(found) < contracts.MaxViolations/2 || len(found) > contracts.MaxViolations {
				t.Errorf("%d violations, want 1 to %d", len(found), contracts.MaxViolations)
			}
		})
	}
}

func BenchmarkOffers(b *testing.B) {
	offer := schema(b, published(b), contracts.Platform, "Offer")
	for name, body := range hostileOffers() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				refuse(offer, []byte(body))
			}
		})
	}
}

func BenchmarkBodies(b *testing.B) {
	create := schema(b, published(b), contracts.Partner, "RfqCreate")
	bodies := hostileBodies()
	bodies["(a valid body)"] = `{"catalogProductUid":"print:flyers:a5","title":"t","category":"c","quantity":5e3,"deliveryCity":"d"}`
	bodies["(a valid body with a long text)"] = `{"catalogProductUid":"` + strings.Repeat("a", size-200) + `","title":"t","category":"c","quantity":5e3,"deliveryCity":"d"}`
	for name, body := range bodies {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				refuse(create, []byte(body))
			}
		})
	}
}
