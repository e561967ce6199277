// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"encoding/json"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/test/programs"
)

// BenchmarkValidate has a measure beside each document, since a time alone says
// more about the machine: what encoding/json takes for the same bytes. Judging
// alone is measured too, without reading.
func BenchmarkValidate(b *testing.B) {
	v := validate.New()
	for _, d := range []struct{ name, body string }{
		{"flyer", flyer()},
		{"cards", cards(12)},
		{"ticket", ticket(10)},
		{"kB=5", magazine(8)},
		{"kB=50", magazine(98)},
		{"kB=500", magazine(980)},
		{"ticket 500 kB", ticket(730)},
	} {
		b.Run(d.name+"/parse and validate", func(b *testing.B) { parseAndValidate(b, v, d.body) })
		b.Run(d.name+"/json into any", func(b *testing.B) {
			b.SetBytes(int64(len(d.body)))
			b.ReportAllocs()
			for b.Loop() {
				var value any
				if err := json.Unmarshal([]byte(d.body), &value); err != nil {
					b.Fatalf("json.Unmarshal: %v", err)
				}
			}
		})
		b.Run(d.name+"/validate", func(b *testing.B) {
			doc, err := xjdf.Parse([]byte(d.body), xjdf.DefaultLimits)
			if err != nil {
				b.Fatalf("xjdf.Parse: %v", err)
			}
			b.ReportAllocs()
			for b.Loop() {
				v.Validate(doc, validate.Options{})
			}
		})
	}
}

// BenchmarkHostile measures documents that are made to cost: each comes in a
// tenth of the size too, which takes about a tenth of the time.
func BenchmarkHostile(b *testing.B) {
	v := validate.New()
	for _, h := range hostileDocuments() {
		for _, share := range []struct {
			name string
			of   int
		}{{"tenth", 10}, {"whole", 1}} {
			b.Run(h.name+"/"+share.name, func(b *testing.B) { parseAndValidate(b, v, h.body(h.count/share.of)) })
		}
	}
}

func parseAndValidate(b *testing.B, v *validate.Validator, body string) {
	b.Helper()
	options := validate.Options{Support: validate.Marketplace([]string{"Booklet", "BusinessCard", "Leaflet"})}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	before := programs.OwnCPUTime(b)
	for b.Loop() {
		doc, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
		if err != nil {
			b.Fatalf("xjdf.Parse: %v", err)
		}
		v.Validate(doc, options)
	}
	b.ReportMetric(float64((programs.OwnCPUTime(b)-before).Nanoseconds())/float64(b.N)/1000, "cpu-us")
}
