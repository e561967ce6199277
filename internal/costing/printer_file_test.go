// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFilesOfTheGuideHaveItsPrinter compares the master data that the commands of the guide read
// with those of its calculations.
func TestFilesOfTheGuideHaveItsPrinter(t *testing.T) {
	t.Parallel()
	golden(t, "printer", printer())
	dearer := printer()
	dearer.Media[0].Price.Amount = dec("99")
	golden(t, "printer-2027", dearer)
	golden(t, "printer-services", servicePrinter())
	golden(t, "printer-finishing", finishingPrinter())
	golden(t, "printer-online", onlinePrinter())
}

// golden compares an example of master data with its content.
func golden(t *testing.T, name string, content authority.Content) {
	t.Helper()
	var want bytes.Buffer
	document := source.FromAuthority(effective(t, content).Value, source.Provenance{Source: "printmarket examples", Note: "Made up, for the costing guide."})
	if err := source.Write(&want, document, source.YAML); err != nil {
		t.Fatalf("source.Write: %v", err)
	}
	file := examples + "/" + name + ".yaml"
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("%s (-want +got); write it with -update:\n%s", file, diff)
	}
}
