// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/cli"
)

// offline runs a command that needs no platform.
func offline(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), append([]string{"masterdata"}, args...), &out, &errs)
	return out.String(), errs.String(), code
}

const demoMasterData = "../../config/masterdata/"

// prices is a directory with the demo organization's master data, in which a text
// is another.
func prices(t *testing.T, file, old, put string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "prices")
	if err := os.CopyFS(dir, os.DirFS(demoMasterData+"acme")); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", dir, err)
	}
	name := filepath.Join(dir, file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", name, err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, put, 1)), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", name, err)
	}
	return dir
}

func TestValidateReportsTheKindOfADocument(t *testing.T) {
	t.Parallel()
	out, errs, code := offline(t, "validate", demoMasterData+"catalog.yaml", demoMasterData+"acme")
	for _, want := range []string{"catalog.yaml: valid catalog of platform\n  groups 5, products 23\n  sha256:", "acme: valid resources of org_acme01\n  media "} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	if code != 0 || errs != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
	if out, errs, code := offline(t, "validate", "--quiet", demoMasterData+"acme"); out+errs != "" || code != 0 {
		t.Errorf("quietly: exit %d, %q, %q", code, out, errs)
	}
}

func TestValidateReportsEveryFaultWithItsLine(t *testing.T) {
	t.Parallel()
	dir := prices(t, "media.csv", "110.56", "110,56")
	out, errs, code := offline(t, "validate", dir)
	want := filepath.Join(dir, "media.csv") + ":3:1: media acme-silk-135: 15 cells; the first line has 14\nprintmarket: " + dir + ": 1 fault\n"
	if code != 1 || out != "" || errs != want {
		t.Errorf("exit %d, %q, %q; want %q", code, out, errs, want)
	}
	out, errs, code = offline(t, "validate", "-o", "json", dir, demoMasterData+"platform")
	var verdicts []struct {
		Valid  bool
		ID     string
		Faults []struct {
			Line       int
			Family, ID string
		}
	}
	if err := json.Unmarshal([]byte(out), &verdicts); err != nil || errs != "" || code != 1 {
		t.Fatalf("exit %d, %q, %q, %v", code, out, errs, err)
	}
	if len(verdicts) != 2 || verdicts[0].Valid || !verdicts[1].Valid || verdicts[1].ID == "" || len(verdicts[0].Faults) != 1 {
		t.Fatalf("verdicts %+v", verdicts)
	}
	if f := verdicts[0].Faults[0]; f.Line != 3 || f.Family != "media" || f.ID != "acme-silk-135" {
		t.Errorf("fault %+v", f)
	}
}

func TestValidateRejectsMissingFiles(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no path":                 {"validate"},
		"a path that is not":      {"validate", filepath.Join(t.TempDir(), "none")},
		"an output that is not":   {"validate", "-o", "xml", demoMasterData + "acme"},
		"two levels":              {"diff", demoMasterData + "acme", demoMasterData + "catalog.yaml"},
		"csv without a directory": {"export", "sha256:x", "-o", "csv"},
		"an export of xml":        {"export", "sha256:x", "-o", "xml"},
		"an invalid time":         {"approve", "sha256:x", "--from", "tomorrow"},
		"an invalid level":        {"list", "--level", "product"},
		"an invalid limit":        {"approvals", "--limit", "0"},
	} {
		if out, errs, code := offline(t, args...); code != 1 || out != "" || !strings.HasPrefix(errs, "printmarket: ") {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, errs)
		}
	}
}

func TestDiffReportsTheDifference(t *testing.T) {
	t.Parallel()
	dir := prices(t, "media.csv", "110.56", "115.00")
	want := "~ media acme-silk-135\n    price.amount: 110.56 -> 115\n"
	if out, errs, code := offline(t, "diff", demoMasterData+"acme", dir); out != want || errs != "" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if _, _, code := offline(t, "diff", "--exit-code", demoMasterData+"acme", dir); code != 2 {
		t.Errorf("exit %d, want 2", code)
	}
	if out, _, code := offline(t, "diff", "--exit-code", dir, dir, "-o", "json"); code != 0 || out != "[]\n" {
		t.Errorf("of itself: exit %d, %q", code, out)
	}
}

func TestRepricePrintsWhatAChangeCosts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		b, request, want string
		code             int
	}{
		"a flyer on dearer paper":       {"printer-2027.yaml", "flyer.json", "51.79 EUR  52.48 EUR  +0.69 EUR", 0},
		"a poster on other paper":       {"printer-2027.yaml", "poster.json", "0.00 EUR", 0},
		"a product that needs a review": {"printer.yaml", "finishing/flyer.json", "review: ", 2},
		"master data of another level":  {"../../../config/masterdata/catalog.yaml", "flyer.json", "another level", 1},
		"a request that does not exist": {"printer-2027.yaml", "none.json", "none.json", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, code := offline(t, "reprice", costPrinter, costExamples+test.b, costExamples+test.request, "--quantity", "1000")
			if code != test.code || !strings.Contains(out+errs, test.want) {
				t.Errorf("exit %d, %q, %q; want exit %d and %q", code, out, errs, test.code, test.want)
			}
		})
	}
}

// TestMasterDataIsImportedApprovedAndWithdrawn takes prices from a directory into force, and back.
func TestMasterDataIsImportedApprovedAndWithdrawn(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	dir := prices(t, "media.csv", "110.56", "115.00")
	type snapshot struct{ ID, Owner string }
	var imported struct {
		Snapshot snapshot
		New      bool
	}
	p.commandJSON(&imported, "", "masterdata", "import", dir, "--dry-run")
	if !imported.New || imported.Snapshot.Owner != "org_acme01" {
		t.Errorf("dry run: %+v", imported)
	}
	var before []snapshot
	p.commandJSON(&before, "", "masterdata", "list")
	if slices.ContainsFunc(before, func(s snapshot) bool { return s.ID == imported.Snapshot.ID }) {
		t.Errorf("a dry run is kept: %+v", before)
	}
	if out := p.mustCommand("", "masterdata", "import", dir, "--note", "Prices of 2027"); !strings.Contains(out, "masterdata approve "+imported.Snapshot.ID) {
		t.Errorf("import:\n%s", out)
	}
	p.commandJSON(&imported, "", "masterdata", "import", dir)
	var after []snapshot
	p.commandJSON(&after, "", "masterdata", "list", "--level", "resources", "--owner", "org_acme01")
	if imported.New || len(after) == 0 || after[0].ID != imported.Snapshot.ID {
		t.Errorf("again: %+v; list %+v", imported, after)
	}
	p.approveAndWithdraw(t, imported.Snapshot.ID)
	p.exportAndCompare(t, imported.Snapshot.ID, dir)
	if _, errs, failed := p.operate("", "masterdata", "import", prices(t, "media.csv", "acme-silk-150", "acme-silk-135")); !failed || !strings.Contains(errs, "media.csv:4:1: media acme-silk-135: id: ") {
		t.Errorf("a duplicate: %s", errs)
	}
}

func (p *platform) approveAndWithdraw(t *testing.T, id string) {
	t.Helper()
	type approval struct{ ID, SnapshotID, EffectiveFrom, WithdrawnAt, WithdrawnReason string }
	from := time.Now().Add(time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
	var approved, withdrawn approval
	p.commandJSON(&approved, "", "masterdata", "approve", id, "--from", from, "--note", "Prices of 2027")
	if approved.SnapshotID != id || !strings.HasPrefix(approved.EffectiveFrom, strings.TrimSuffix(from, "Z")) {
		t.Errorf("approved %+v", approved)
	}
	var listed []approval
	p.commandJSON(&listed, "", "masterdata", "approvals", "--owner", "org_acme01", "--limit", "1")
	if len(listed) != 1 || listed[0] != approved {
		t.Errorf("approvals %+v", listed)
	}
	p.commandJSON(&withdrawn, "", "masterdata", "withdraw", approved.ID, "--reason", "a typing error")
	if withdrawn.WithdrawnAt == "" || withdrawn.WithdrawnReason != "a typing error" {
		t.Errorf("withdrawn %+v", withdrawn)
	}
	if _, errs, failed := p.operate("", "masterdata", "withdraw", approved.ID, "--reason", "again"); !failed || !strings.Contains(errs, "MASTER_DATA_STATE_CONFLICT") {
		t.Errorf("withdrawn twice: %s", errs)
	}
}

func (p *platform) exportAndCompare(t *testing.T, id, dir string) {
	t.Helper()
	made := t.TempDir()
	for form, path := range map[string]string{"yaml": filepath.Join(made, "all.yaml"), "json": filepath.Join(made, "all.json"), "xlsx": filepath.Join(made, "all.xlsx"), "csv": filepath.Join(made, "tables")} {
		p.mustCommand("", "masterdata", "export", id, "-o", form, "-f", path)
		if out, errs, code := offline(t, "validate", path); code != 0 || !strings.Contains(out, id) {
			t.Errorf("%s: exit %d, %q, %q", form, code, out, errs)
		}
	}
	if _, errs, failed := p.operate("", "masterdata", "export", id, "-o", "csv", "-f", dir); !failed || !strings.Contains(errs, "exists") {
		t.Errorf("over other tables: %s", errs)
	}
	if out := p.mustCommand("", "masterdata", "export", id); !strings.HasPrefix(out, "level: resources\nowner: org_acme01\n") {
		t.Errorf("exported %.200s", out)
	}
	if out := p.mustCommand("", "masterdata", "diff", demoMasterData+"acme", id); out != "~ media acme-silk-135\n    price.amount: 110.56 -> 115\n" {
		t.Errorf("diff: %s", out)
	}
	if _, errs, failed := p.operate("", "masterdata", "export", "sha256:"+strings.Repeat("0", 64)); !failed || !strings.Contains(errs, "NOT_FOUND") {
		t.Errorf("a snapshot that there is not: %s", errs)
	}
}
