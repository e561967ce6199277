// SPDX-License-Identifier: Apache-2.0

package barcode_test

import (
	"image"
	"slices"
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

func BenchmarkFindOnADarkPage(b *testing.B) {
	page := onDark(drawn(827, 1169, pdftest.Modules("QR Code", "printmarket"), 60.37, 70.61, 2, 2, 0, 255), image.Rect(0, 0, 827, 1169), 8)
	for b.Loop() {
		if got := barcode.Find(page); !slices.ContainsFunc(got, func(r barcode.Region) bool { return r.Reversed }) {
			b.Fatalf("regions %v", got)
		}
	}
}
