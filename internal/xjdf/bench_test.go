// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/printmarket/printmarket/internal/xjdf"
)

// BenchmarkParse has a measure beside it, since a time alone says more about
// the machine: what encoding/json takes for the same bytes.
func BenchmarkParse(b *testing.B) {
	body, err := os.ReadFile("testdata/flyer.json")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := xjdf.Parse(body, xjdf.DefaultLimits); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json into any by encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var value any
			if err := json.Unmarshal(body, &value); err != nil {
				b.Fatal(err)
			}
		}
	})
}
