// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// judge reads arbitrary input. The input must be rejected with faults that have places, or
// be a document that can be written and read back unchanged.
func judge(t *testing.T, made fstest.MapFS, name string) {
	t.Helper()
	d, err := source.ReadFS(t.Context(), made, name, source.Options{})
	var invalid *source.InvalidError
	if errors.As(err, &invalid) {
		if len(invalid.Faults) == 0 || len(invalid.Faults) > source.MaxFaults {
			t.Errorf("the error has %d faults, want 1 to MaxFaults", len(invalid.Faults))
		}
		for _, f := range invalid.Faults {
			if f.File == "" || f.Reason == "" || len(f.String()) > 2_000 || strings.Contains(f.String(), "\n") {
				t.Errorf("fault %q has no place or reason", f)
			}
		}
		return
	}
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	for _, form := range forms {
		again, err := readBack(t, written(t, d, form))
		if err != nil {
			t.Fatalf("%s: %s", form, faults(err))
		}
		if again.ID() != d.ID() {
			t.Errorf("%s: another id", form)
		}
	}
}

func seed(f *testing.F, name string) string {
	f.Helper()
	text, err := fs.ReadFile(config.FS, name)
	if err != nil {
		f.Fatalf("fs.ReadFile(%q): %v", name, err)
	}
	return string(text)
}

func FuzzYAML(f *testing.F) {
	f.Add(seed(f, config.CatalogFile))
	f.Add(seed(f, config.AcmeResourcesDir+"/snapshot.yaml"))
	f.Add(head + power)
	f.Add(head + "inks:\n- id: a\n  name: &x [*x]\n--- \n")
	f.Add("{level: catalog,\n groups: [{? a : b}]\n}\n%x\n")
	f.Add("electricity")
	f.Add("a: #x\nelectricity\n")
	f.Add("- !!binary |\n  x\n-\t\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		judge(t, fstest.MapFS{"all.yaml": {Data: []byte(text)}}, "all.yaml")
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(document)
	f.Add(`{"level":"catalog","owner":"platform","provenance":{"source":"x"},"groups":[{"uid":"a","name":"A"}],"products":[{"uid":"b","name":"B","group":"a"}]}`)
	f.Add(`{"policy":{"quantityBreaks":[1,[2],{"a":3}]},"inks":[[],{},null,{"price":null}]}`)
	f.Add("\uFEFF[{\"\\ud800\":1}]")
	f.Fuzz(func(t *testing.T, text string) {
		judge(t, fstest.MapFS{"all.json": {Data: []byte(text)}}, "all.json")
	})
}

func FuzzCSV(f *testing.F) {
	f.Add(mediaHead + silk)
	f.Add(seed(f, config.AcmeResourcesDir+"/media.csv"))
	f.Add("id;name\n\"a\"\"b\n\";x;\n\n;")
	f.Add("\uFEFFid\tid\r\nx")
	f.Fuzz(func(t *testing.T, text string) {
		judge(t, fstest.MapFS{"snapshot.yaml": {Data: []byte(head)}, "media.csv": {Data: []byte(text)}}, ".")
	})
}

func FuzzXLSX(f *testing.F) {
	f.Add(mediaNames+silkCells, shared, styled)
	f.Add(`<row r="1"><c t="inlineStr"><is><t>id</t></is></c></row><row r="9"><c r="A9" s="3"><f>1</f><v>1e3</v></c></row>`, "<sst><si/></sst>", "")
	f.Add("</sheetData><mergeCells><mergeCell/>", "<!DOCTYPE a>", "<a><numFmts><numFmt/></numFmts><cellXfs><xf numFmtId=\"0\"/></cellXfs></a>")
	f.Fuzz(func(t *testing.T, rows, texts, styles string) {
		p := workbook(rows)
		p["xl/sharedStrings.xml"], p["xl/styles.xml"] = texts, styles
		judge(t, fstest.MapFS{"a.xlsx": {Data: []byte(p.file(t))}}, "a.xlsx")
	})
}
