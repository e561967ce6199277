// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// attacks returns functions that make a document of about the given length. A naive reader
// needs quadratic time for it.
func attacks() map[string]func(length int) string {
	numbered := func(head, item, tail string) func(int) string {
		return func(length int) string {
			var out strings.Builder
			out.WriteString(head)
			for i := 0; out.Len() < length; i++ {
				out.WriteString(strings.ReplaceAll(item, "%", strconv.Itoa(i)))
			}
			return out.String() + tail
		}
	}
	// The middle of a document of the given length.
	middle := func(head, item, tail string) func(int) string {
		return func(length int) string { return head + strings.Repeat(item, length/len(item)) + tail }
	}
	return map[string]func(int) string{
		"XML attributes on one element":           numbered("<a", ` a%="x"`, "/>"),
		"XML attributes with line breaks":         numbered("<a", " a%=\"x\ny&#10;\"", "/>"),
		"XML declarations of namespaces":          numbered("<a", ` xmlns:p%="urn:x%"`, "/>"),
		"XML declarations, one on each element":   numbered(`<a xmlns:q="urn:q">`, `<q:b xmlns:p%="urn:x"/>`, "</a>"),
		"XML siblings":                            numbered("<a>", `<b%/>`, "</a>"),
		"XML siblings of one name":                middle("<a>", `<b/>`, "</a>"),
		"XML text in pieces":                      middle("<a>", `x<!---->`, "</a>"),
		"XML references":                          middle("<a>", `&amp;`, "</a>"),
		"XML comments":                            middle("<a>", `<!-- x -->`, "</a>"),
		"a long XML name":                         middle("<", "a", "/>"),
		"a long XML value":                        middle(`<a b="`, "x", `"/>`),
		"a long list in XML":                      middle(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Types="`, "x\n", `"/>`),
		"JSON members":                            numbered(`{"a":1`, `,"a%":1`, "}"),
		"JSON members in both spellings":          numbered(`{"a":1`, `,"@a%":1,"b%":1`, "}"),
		"JSON objects":                            middle(`{"a":[{}`, `,{}`, "]}"),
		"JSON objects of many names":              numbered(`{"a":{}`, `,"a%":{}`, "}"),
		"JSON prefixes":                           numbered(`{"@context":{"a":"urn:x"`, `,"p%":"urn:x%"`, "}}"),
		"JSON contexts":                           numbered(`{"x":{}`, `,"p%:a":{"@context":{"p%":"urn:x"}}`, "}"),
		"JSON audits whose name comes last":       middle(`{"AuditPool":[{}`, `,{"a":1,"Name":"AuditCreated"}`, "]}"),
		"JSON audits in audits":                   nestedPools,
		"a long JSON list":                        middle(`{"Types":["a"`, `,"a"`, "]}"),
		"a long JSON list of pairs":               middle(`{"Curve":[[1,1]`, `,[1,1]`, "]}"),
		"a long JSON string":                      middle(`{"a":"`, `x`, `"}`),
		"a long JSON string of escapes":           middle(`{"a":"`, `\u00fc`, `"}`),
		"a long JSON name":                        middle(`{"`, `a`, `":1}`),
		"JSON names that are not in ASCII":        numbered(`{"a":1`, `,"ü%":1`, "}"),
		"JSON white space":                        middle(`{`, " \n", "}"),
		"sixty levels, and all of it in the last": func(length int) string { return nest(60, length) },
	}
}

// nest makes levels of objects around one long one.
func nest(levels, length int) string {
	inner := strings.Repeat(`{},`, length/3)
	return strings.Repeat(`{"a":`, levels) + `{"b":[` + inner + `{}]}` + strings.Repeat("}", levels)
}

// nestedPools makes layers whose names come after the layers in them.
func nestedPools(length int) string {
	const levels = 20
	return `{"Media":` + strings.Repeat(`{"MediaLayers":[{"x":1,"Media":`, levels) +
		`{"b":[` + strings.Repeat(`{},`, length/3) + `{}]}` + strings.Repeat(`,"Name":"Media"}]}`, levels) + `}`
}

var attackLimits = xjdf.Limits{Bytes: 4 << 20, Nodes: 4 << 20}

// TestAllocationsAreInProportionToTheLength counts allocations, which do not depend on how
// busy the machine is; BenchmarkAttacks shows times.
func TestAllocationsAreInProportionToTheLength(t *testing.T) {
	const short, long = 8_000, 80_000
	for name, attack := range attacks() {
		t.Run(name, func(t *testing.T) {
			few := allocations(t, attack(short))
			many := allocations(t, attack(long))
			// Ten times the length may cost ten times as much, and a bit.
			if many > 3*10*max(few, 10) {
				t.Errorf("%.0f allocations for %d bytes, %.0f for %d", few, short, many, long)
			}
		})
	}
}

func allocations(t *testing.T, text string) float64 {
	t.Helper()
	body := []byte(text)
	return testing.AllocsPerRun(1, func() {
		d, err := xjdf.Parse(body, attackLimits)
		if err != nil {
			t.Fatalf("Parse: %v", err)
		}
		var out bytes.Buffer
		if err := xjdf.WriteXML(&out, d.Root); err != nil {
			t.Fatalf("WriteXML: %v", err)
		}
	})
}

func BenchmarkAttacks(b *testing.B) {
	for name, attack := range attacks() {
		for _, length := range []int{50_000, 500_000} {
			body := []byte(attack(length))
			b.Run(fmt.Sprintf("%s/%d", name, length), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if _, err := xjdf.Parse(body, attackLimits); err != nil {
						b.Fatalf("xjdf.Parse: %v", err)
					}
				}
			})
		}
	}
}
