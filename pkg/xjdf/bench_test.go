// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// BenchmarkParse also measures the time of encoding/json for the same bytes, because a time
// alone depends mostly on the machine.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"flyer", "booklet", "businesscards", "status"} {
		pretty, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			b.Fatalf("os.ReadFile: %v", err)
		}
		var body bytes.Buffer
		if err := json.Compact(&body, pretty); err != nil {
			b.Fatalf("json.Compact: %v", err)
		}
		b.Run(name+"/xjdf", func(b *testing.B) {
			b.SetBytes(int64(body.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := xjdf.Parse(body.Bytes(), xjdf.DefaultLimits); err != nil {
					b.Fatalf("xjdf.Parse: %v", err)
				}
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(body.Len()))
			b.ReportAllocs()
			for b.Loop() {
				var value any
				if err := json.Unmarshal(body.Bytes(), &value); err != nil {
					b.Fatalf("json.Unmarshal: %v", err)
				}
			}
		})
	}
}

func BenchmarkParseXML(b *testing.B) {
	body, err := os.ReadFile("testdata/booklet.xml")
	if err != nil {
		b.Fatalf(`os.ReadFile("testdata/booklet.xml"): %v`, err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := xjdf.Parse(body, xjdf.DefaultLimits); err != nil {
			b.Fatalf("xjdf.Parse: %v", err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	body, err := os.ReadFile("testdata/booklet.json")
	if err != nil {
		b.Fatalf(`os.ReadFile("testdata/booklet.json"): %v`, err)
	}
	d, err := xjdf.Parse(body, xjdf.DefaultLimits)
	if err != nil {
		b.Fatalf("xjdf.Parse: %v", err)
	}
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := xjdf.WriteJSON(io.Discard, d.Root); err != nil {
				b.Fatalf("xjdf.WriteJSON: %v", err)
			}
		}
	})
	b.Run("xml", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := xjdf.WriteXML(io.Discard, d.Root); err != nil {
				b.Fatalf("xjdf.WriteXML: %v", err)
			}
		}
	})
}
