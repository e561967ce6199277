// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

func TestEveryInvalidRowIsReportedWithLine(t *testing.T) {
	t.Parallel()
	want(t, files{"snapshot.yaml": head, "media.csv": mediaHead +
		"silk,Silk,Paper,700,1000,135,112,110.5,ThousandSheets\n" +
		"mug,Mug,Ceramic,700,1000,135,112,\"110,50\",ThousandSheets\n" +
		"gloss,Gloss,Paper,7e2,1000,135,112,110.50,Pound\n" +
		"\"two\nlines\",Text,Paper,700,1000,135,112,110.50,Sheet\n" +
		"silk,Silk,Paper,700,,135,112,110.5,ThousandSheets\n" +
		"short,Short,Paper\n"},
		`media.csv:3:9: media mug: mediaType: "Ceramic" is not one of Paper, SelfAdhesive, CorrugatedBoard, Vinyl, Textile, Transparency`,
		`media.csv:3:34: media mug: price.amount: "110,50" is no decimal number such as 12.5: digits, a point, at most 6 places`,
		`media.csv:4:19: media gloss: width: "7e2" is no decimal number such as 12.5: digits, a point, at most 6 places`,
		`media.csv:4:43: media gloss: price.per: "Pound" is not one of Sheet, ThousandSheets, Kilogram, SquareMetre`,
		`media.csv:5:1: media "two\nlines": id: an identifier is 1 to 128 of A-Z a-z 0-9 . _ - and begins with a letter or _`,
		`media.csv:7:1: media silk: height: must be there`,
		`media.csv:7:1: media silk: id: this identifier is that of a media already, at media.csv:2`,
		`media.csv:8:1: media short: 3 cells; the first line has 9`,
	)
}

func TestDuplicateIdentifierInAnotherFileIsReported(t *testing.T) {
	t.Parallel()
	want(t, files{
		"snapshot.yaml": head,
		"labor.yaml":    "# the trades\nlabor:\n  - {id: one, name: One, laborType: Printing, price: {amount: 1, per: Hour}}\n",
		"inks.json":     "[\n {\"id\": \"one\", \"name\": \"One\", \"separation\": \"Cyan\", \"consumption\": 1, \"price\": {\"amount\": 1, \"per\": \"Kilogram\"}}]",
	},
		`labor.yaml:3:6: labor one: id: this identifier is that of a ink already, at inks.json:2`,
	)
}

func TestCatalogFaultsHaveLines(t *testing.T) {
	t.Parallel()
	want(t, files{
		"snapshot.yaml": "level: catalog\nowner: platform\nprovenance: {source: a test}\n",
		"groups.csv":    "uid,name\nprint,Print\nprint,Print again\n",
		"products.csv":  "uid,name,group,productType\na,A,print,Leaflet\nb,,print,\nc,C,paint,\na,A,print,\n",
	},
		`groups.csv:3:1: group print: uid: two groups have this uid, at groups.csv:2`,
		`products.csv:3:1: product b: name: must be there`,
		`products.csv:4:5: product c: group: its group "paint" does not exist`,
		`products.csv:5:1: product a: uid: two products have this uid, at products.csv:2`,
	)
}

func TestFaultsOfHeader(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing": {"", []string{`all.yaml: no level, owner and provenance; they stand at the top, in snapshot.yaml, or in the sheet snapshot`}},
		"a header without its fields": {"level: resources\nprovenance: {note: x}\n", []string{
			`all.yaml:1: owner: must be there`, `all.yaml:1: provenance.source: must be there`, `all.yaml:1: currency: must be there`,
			`all.yaml:1: policy.bleed: must be there`, `all.yaml:1: policy.gutter: must be there`,
		}},
		"a level that there is not": {"level: product\nowner: platform\nprovenance: {source: x}\n", []string{
			`all.yaml:1:1: level: "product" is neither catalog nor resources`,
		}},
		"lists of the other level": {head + "groups: []\nproducts:\n  - {uid: a, name: A, group: b}\n", []string{
			`all.yaml:6:1: groups are not of the level resources`, `all.yaml:7:1: products are not of the level resources`,
		}},
		"a catalog with rates": {"level: catalog\nowner: org_acme01\ncurrency: EUR\nprovenance: {source: x}\ngroups: [{uid: a, name: A}]\nproducts: [{uid: b, name: B, group: a}]\n", []string{
			`all.yaml:2:1: owner: "org_acme01" is not platform, whose every catalog is`, `all.yaml:3:1: currency: a catalog has none`,
		}},
		"an empty catalog": {"level: catalog\nowner: platform\nprovenance: {source: x}\n", []string{
			`all.yaml:1: groups: 0 of them; 1 to 1000 are allowed`, `all.yaml:1: products: 0 of them; 1 to 100000 are allowed`,
		}},
		"an unknown member": {head + "medias: []\n", []string{`all.yaml:6:1: "medias" is not known here; did you mean media?`}},
		"an owner and a currency that there are not": {strings.NewReplacer("org_acme01", "acme", "EUR", "EURO").Replace(head), []string{
			`all.yaml:2:1: owner: "acme" is neither platform nor an organization like org_acme01`, `all.yaml:3:1: currency: "EURO" is no ISO 4217 code`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, files{"all.yaml": tc.text}, tc.want...)
		})
	}
}

func TestUnknownFilesOfDirectoryAreReported(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files files
		want  []string
	}{
		"others are left alone":     {files{"snapshot.yaml": head, "README.md": "x", ".media.csv.swp": "x", "old/media.csv": "x"}, nil},
		"an unknown list":           {files{"snapshot.yaml": head, "mdeia.csv": "x"}, []string{`mdeia.csv: "mdeia" is not known here; did you mean media?`}},
		"two headers":               {files{"snapshot.yaml": head, "snapshot.json": "{}"}, []string{`snapshot.json: one snapshot is read, not several`}},
		"a header in CSV":           {files{"snapshot.csv": "level", "x.md": ""}, []string{`snapshot.csv: write the snapshot in YAML or JSON`}},
		"a list in two files":       {files{"snapshot.yaml": head, "media.csv": mediaHead, "media.json": "[]"}, []string{`media.json:1:1: media are in media.csv:1 already`}},
		"a list in the header, too": {files{"snapshot.yaml": head + "inks: []\n", "inks.yaml": "[]"}, []string{`inks.yaml:1:1: inks are in snapshot.yaml:6 already`}},
		"a list in another's file":  {files{"snapshot.yaml": head, "inks.yaml": "media: []\n"}, []string{`inks.yaml:1:1: this file has inks alone`}},
		"another's file in JSON":    {files{"snapshot.yaml": head, "inks.json": `{"media": []}`}, []string{`inks.json:1:2: this file has inks alone`}},
		"a header in a list's file": {files{"snapshot.yaml": head, "inks.yaml": "owner: platform\n"}, []string{`inks.yaml:1:1: this file has inks alone; the rest stands in snapshot.yaml`}},
		"no header":                 {files{"media.csv": mediaHead, "x.md": ""}, []string{`media.csv: no level, owner and provenance; they stand at the top, in snapshot.yaml, or in the sheet snapshot`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, tc.files, tc.want...)
		})
	}
}

func TestSingleFileMustBeComplete(t *testing.T) {
	t.Parallel()
	want(t, files{"media.csv": mediaHead}, `media.csv: has one list alone; read the directory where it stands beside snapshot.yaml`)
	want(t, files{"media.txt": ""}, `media.txt: is neither .yaml, .yml, .json, .xlsx nor a directory`)
}

// The order of the content differs from the order of the file.
func TestFaultNamesEntryOfItsLine(t *testing.T) {
	t.Parallel()
	want(t, files{"snapshot.yaml": head, "media.csv": mediaHead +
		"silk,Silk,Paper,700,1000,135,112,110.5,Sheet\n" +
		"mug,Mug,Paper,700,1000,135,112,\"110,50\",Sheet\n"},
		`media.csv:3:32: media mug: price.amount: "110,50" is no decimal number such as 12.5: digits, a point, at most 6 places`,
	)
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	row := "silk-%d,Silk,Paper,700,1000,135,112,1.1.1,Sheet\n"
	for name, n := range map[string]int{"the maximum number": source.MaxFaults, "more than the maximum": source.MaxFaults + 50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := mediaHead
			for i := range n {
				text += fmt.Sprintf(row, i)
			}
			_, err := files{"snapshot.yaml": head, "media.csv": text}.read(t, ".")
			var invalid *source.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Faults) != source.MaxFaults || invalid.More != (n > source.MaxFaults) {
				t.Errorf("%d faults with more %v", len(invalid.Faults), invalid.More)
			}
			if !strings.HasPrefix(err.Error(), "master data: media.csv:2:") || !strings.HasSuffix(err.Error(), "(and more)") {
				t.Errorf("unexpected error text: %s", err)
			}
		})
	}
}

func TestConsequencesOfFaultAreNotReported(t *testing.T) {
	t.Parallel()
	want(t, files{"all.yaml": head + `
labor:
  - {id: printer, name: Printer, laborType: Printing, price: {amount: none, per: Hour}}
devices:
  - {id: cutter, name: Cutter, process: Cutting, maxSheet: {width: 70 cm, height: 1000}, speed: 100, setupMinutes: 5, hourlyRate: 20, crew: 1, labor: printer, stackHeight: 90}
`},
		`all.yaml:8:63: labor printer: price.amount: "none" is no decimal number such as 12.5: digits, a point, at most 6 places`,
		`all.yaml:10:61: device cutter: maxSheet.width: "70 cm" is no decimal number such as 12.5: digits, a point, at most 6 places`,
	)
}

func TestListWithinEntryIsBounded(t *testing.T) {
	t.Parallel()
	folder := "id,name,process,maxSheet.width,maxSheet.height,speed,setupMinutes,hourlyRate,folds\nfolder,Folder,Folding,1,1,1,1,1,"
	want(t, files{"snapshot.yaml": head, "devices.csv": folder + strings.TrimSuffix(strings.Repeat("F4-1;", 100), ";") + "\n"})
	want(t, files{"snapshot.yaml": head, "devices.csv": folder + strings.Repeat("F4-1;", 100) + "F4-1\n"},
		`devices.csv:2:33: device folder: folds: 101 of them; at most 100 are taken`)
	want(t, files{"snapshot.yaml": head, "media.csv": strings.Replace(mediaHead, "\n", ",coating\n", 1) + strings.Replace(silk, "\n", ",Shiny\n", 1)},
		`media.csv:2:46: media silk: coating: "Shiny" is not one of Coated, Gloss, Matte, None, Satin`)
}
