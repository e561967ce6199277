// SPDX-License-Identifier: Apache-2.0

package barcode_test

import (
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/barcode"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

func BenchmarkFind(b *testing.B) {
	page := drawn(827, 1169, pdftest.Modules("EAN-13", "4006381333931"), 60.37, 70.61, 1.3, 80, 10, 255)
	for b.Loop() {
		if got := barcode.Find(page); len(got) != 1 {
			b.Fatalf("regions %v", got)
		}
	}
}
