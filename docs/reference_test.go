// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages")

func TestGeneratedPages(t *testing.T) {
	// Not parallel: with -update it writes the files that the parallel tests read.
	pages, err := referencePages()
	if err != nil {
		t.Fatalf("referencePages: %v", err)
	}
	for name, want := range pages {
		file := filepath.Join("reference", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatalf("os.MkdirAll: %v", err)
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", file, err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", file, err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s (-page +code); make reference writes it:\n%s", name, diff)
		}
	}
}
