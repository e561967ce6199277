// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
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
	golden(t, "small-shop", smallShop())
}

// TestSmallShopPricesEveryExample has the examples of all guides calculated without a person.
func TestSmallShopPricesEveryExample(t *testing.T) {
	t.Parallel()
	names := exampleNames(t)
	files, err := filepath.Glob(filepath.Join(examples, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(file, examples+"/"), ".json"))
	}
	for _, name := range names {
		if _, reasons := reviewed(t, example(t, name), smallShop()); reasons != nil {
			t.Errorf("%s needs a review: %q", name, reasons)
		}
	}
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
