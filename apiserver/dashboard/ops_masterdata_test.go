// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// masterDataPath is the path of the preview of master data.
const masterDataPath = "/ops/masterdata"

func TestMasterDataIsComparedWithThatInForce(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	text, err := os.ReadFile(onlinePricesFile)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	edited := strings.NewReplacer(
		"quantityBreaks: [500,", "quantityBreaks: [250, 500,", "turnIn: 15", "turnIn: 18", "amount: 1.2\n", "amount: 1.26\n", "id: sra3-170", "id: sra3-200",
		"positions: 20\n", "positions: 18\n", "runs: [250, 500, 1000]", "runs: [500, 1000]", "id: gang-flyers", "id: gang-leaflets",
	).Replace(string(text))
	document, err := source.ReadUploads(t.Context(), []source.Upload{{Name: "prices.yaml", Content: []byte(edited)}})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var workbook strings.Builder
	if err := source.Write(&workbook, document, source.XLSX); err != nil {
		t.Fatalf("write a workbook: %v", err)
	}
	page := operator.uploads(t, masterDataPath, "prices 2027.xlsx", "file", workbook.String()).want(t, http.StatusOK, "In force now")
	golden(t, "ops-masterdata", page.text)
	golden(t, "ops-masterdata-form", operator.get(t, masterDataPath).text)

	for name, tc := range map[string]struct {
		file   string
		fields []string
		status int
		want   []string
	}{
		"a file that changes nothing": {"a.yaml", []string{"file", string(text)}, 200, []string{"Changed</dt><dd>0", "Added</dt><dd>0", "Removed</dt><dd>0", "has the content that is in force"}},
		"master data of another owner": {
			"a.yaml",
			[]string{"file", strings.Replace(string(text), "org_acme01", "org_other1", 1)},
			200,
			[]string{"so all entries are new"},
		},
		"an invalid file":         {"a.yaml", []string{"file", strings.Replace(string(text), "amount: 1.2\n", "amount: 1,2\n", 1)}, 422, []string{"Nothing was compared", "<code>a.yaml:", "<code>price.amount</code>", "is no decimal number"}},
		"a list without header":   {"a.csv", []string{"file", "id,name"}, 422, []string{"choose it together with snapshot.yaml"}},
		"a file of another kind":  {"a.txt", []string{"file", "id,name"}, 422, []string{"is neither .yaml, .yml, .json, .csv nor .xlsx"}},
		"a file with a long name": {strings.Repeat("<b>", 100) + ".xlsx", []string{"file", "x"}, 422, []string{"is no workbook"}},
		"no file":                 {"a.yaml", []string{"other", "x"}, 400, []string{"Choose a file."}},
		"an empty file":           {"a.yaml", []string{"file", ""}, 400, []string{"Choose a file."}},
		"a file beyond the limit": {"a.yaml", []string{"file", strings.Repeat("#", 4<<20+1)}, 400, []string{"larger than 4 MiB"}},
		"a body beyond the limit": {"a.yaml", []string{"other", strings.Repeat("#", 5<<20), "file", "x"}, 400, []string{"The form could not be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			page := operator.uploads(t, masterDataPath, tc.file, tc.fields...).want(t, tc.status, "Master data")
			for _, want := range tc.want {
				if !strings.Contains(page.text, want) {
					t.Errorf("the page lacks %q:\n%s", want, page.text)
				}
			}
		})
	}
}

func TestFilesOfADirectoryAreComparedTogether(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	content := func(name string) string {
		text, err := fs.ReadFile(config.FS, path.Join(config.AcmeResourcesDir, name))
		if err != nil {
			t.Fatalf("fs.ReadFile: %v", err)
		}
		return string(text)
	}
	files := []string{"file=snapshot.yaml", content("snapshot.yaml"), "file=devices.yaml", content("devices.yaml"), "file=media.csv", content("media.csv")}
	operator.uploads(t, masterDataPath, "", files...).want(t, http.StatusOK, "devices.yaml, media.csv, snapshot.yaml")
	files[4] = "file=medium.csv"
	operator.uploads(t, masterDataPath, "", files...).want(t, http.StatusUnprocessableEntity, "did you mean media")
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("file=%d.csv", i), "id")
	}
	operator.uploads(t, masterDataPath, "", many...).want(t, http.StatusBadRequest, "more than 32 files")
}

// TestOnlyOperatorsPreviewMasterData posts the form with keys of others.
func TestOnlyOperatorsPreviewMasterData(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	if page := (&browser{dashboard: d}).uploads(t, masterDataPath, "a.yaml", "file", "x"); page.Code != http.StatusSeeOther {
		t.Errorf("without a session: %d", page.Code)
	}
	for _, key := range []string{"acme-live", "acme-test", "globex-live"} {
		d.signedIn(t, key).uploads(t, masterDataPath, "a.yaml", "file", "x").want(t, http.StatusForbidden, "ops:read")
	}
}
