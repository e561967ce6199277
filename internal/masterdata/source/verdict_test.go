// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

func TestVerdictListsTheDocumentOrItsFaults(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("level: neither\n"), 0o600); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	const sound = "../../../config/masterdata/acme"
	verdict, document, err := source.Check(t.Context(), sound, source.Options{})
	if err != nil || !verdict.Valid || document == nil || verdict.ID != document.ID() {
		t.Fatalf("%s: %+v, error %v", sound, verdict, err)
	}
	lines := verdict.Lines()
	if len(lines) != 3 || lines[0] != sound+": valid resources of "+document.Owner() || lines[2] != "  "+document.ID() {
		t.Errorf("%s:\n%s", sound, strings.Join(lines, "\n"))
	}
	verdict, document, err = source.Check(t.Context(), broken, source.Options{})
	if err != nil || verdict.Valid || document != nil || len(verdict.Faults) == 0 {
		t.Fatalf("%s: %+v, error %v", broken, verdict, err)
	}
	lines = verdict.Lines()
	if len(lines) != len(verdict.Faults)+1 || lines[0] != verdict.Faults[0].String() {
		t.Errorf("%s:\n%s", broken, strings.Join(lines, "\n"))
	}
	if _, _, err := source.Check(t.Context(), filepath.Join(t.TempDir(), "none"), source.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error of a missing file = %v", err)
	}
	for want, v := range map[string]source.Verdict{
		"printmarket: a: 1 fault":              {Path: "a", Faults: make([]source.Fault, 1)},
		"printmarket: a: 2 faults":             {Path: "a", Faults: make([]source.Fault, 2)},
		"printmarket: a: more than 100 faults": {Path: "a", Faults: make([]source.Fault, source.MaxFaults), More: true},
	} {
		lines := v.Lines()
		if diff := cmp.Diff(want, lines[len(lines)-1]); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
	}
}
