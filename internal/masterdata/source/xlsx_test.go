// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// parts is the content of a workbook by the names of its parts.
type parts map[string]string

const (
	mainSpace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	// styled has the formats General, 0.00, 0%, a date, thousands and euros as styles 0 to 5.
	styled = `<styleSheet ` + mainSpace + `><numFmts><numFmt numFmtId="164" formatCode="#,##0.0,"/><numFmt numFmtId="165" formatCode="#,##0.00\ [$€-407];[Red]\-#,##0.00&quot; days&quot;"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="2"/><xf numFmtId="9"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
	// headSheet is the header of head.
	headSheet = `<row r="1"><c r="A1" t="inlineStr"><is><t>level</t></is></c><c r="B1" t="inlineStr"><is><t>owner</t></is></c><c r="C1" t="inlineStr"><is><t>currency</t></is></c>` +
		`<c r="D1" t="inlineStr"><is><t>provenance.source</t></is></c><c r="E1" t="inlineStr"><is><t>policy.bleed</t></is></c><c r="F1" t="inlineStr"><is><t>policy.gutter</t></is></c></row>` +
		`<row r="2"><c r="A2" t="inlineStr"><is><t>resources</t></is></c><c r="B2" t="inlineStr"><is><t>org_acme01</t></is></c><c r="C2" t="inlineStr"><is><t>EUR</t></is></c>` +
		`<c r="D2" t="inlineStr"><is><t>a test</t></is></c><c r="E2"><v>3</v></c><c r="F2"><v>4</v></c></row>`
	// mediaNames is the row of mediaHead, silkCells the start of an entry of silk.
	mediaNames = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c>` +
		`<c r="F1" t="s"><v>5</v></c><c r="G1" t="s"><v>6</v></c><c r="H1" t="s"><v>7</v></c><c r="I1" t="s"><v>8</v></c></row>`
	silkCells = `<row r="2"><c r="A2" t="s"><v>9</v></c><c r="B2" t="s"><v>10</v></c><c r="C2" t="s"><v>11</v></c><c r="D2"><v>700</v></c><c r="E2"><v>1000</v></c>` +
		`<c r="F2"><v>135</v></c><c r="G2"><v>112</v></c><c r="H2"><v>110.5</v></c><c r="I2" t="s"><v>12</v></c></row>`
)

// shared are the texts of mediaNames and silkCells.
var shared = `<sst ` + mainSpace + `><si><t>` + strings.ReplaceAll(strings.TrimSpace(mediaHead)+",silk,Silk,Paper,Sheet", ",", "</t></si><si><t>") + `</t></si></sst>`

// workbook returns the parts of a workbook as Excel writes them, with the sheets snapshot
// and media.
func workbook(media string) parts {
	return parts{
		"_rels/.rels":                relations + `<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook ` + mainSpace + `><sheets><sheet name="snapshot" sheetId="1" r:id="rId1"/><sheet name="media" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations + `<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x/worksheet" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="rId3" Type="x/styles" Target="styles.xml"/><Relationship Id="rId4" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/styles.xml":              styled,
		"xl/sharedStrings.xml":       shared,
		"xl/worksheets/sheet1.xml":   sheetOf(headSheet),
		"xl/worksheets/sheet2.xml":   sheetOf(media),
	}
}

func sheetOf(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><worksheet ` + mainSpace + `><sheetData>` + rows + `</sheetData></worksheet>`
}

// with returns the parts with a part replaced; an empty text removes it.
func (p parts) with(name, text string) parts {
	changed := maps.Clone(p)
	changed[name] = text
	if text == "" {
		delete(changed, name)
	}
	return changed
}

// file returns the parts as a ZIP file.
func (p parts) file(t testing.TB) string {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, p[name])
		}
		if err != nil {
			t.Fatalf("write the part %s: %v", name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("close the ZIP file: %v", err)
	}
	return packed.String()
}

func TestUsualWorkbooksAreAccepted(t *testing.T) {
	t.Parallel()
	want, err := files{"snapshot.yaml": head, "media.csv": mediaHead + silk}.read(t, ".")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	price := func(cell string) parts {
		return workbook(mediaNames + strings.Replace(silkCells, `<c r="H2"><v>110.5</v></c>`, cell, 1))
	}
	for name, book := range map[string]parts{
		"as Excel writes it":                      workbook(mediaNames + silkCells),
		"a number with an exponent":               price(`<c r="H2"><v>1.105E2</v></c>`),
		"a number as text":                        price(`<c r="H2" t="inlineStr"><is><t>110.50</t></is></c>`),
		"a price in euros":                        price(`<c r="H2" s="5"><v>110.5</v></c>`),
		"the stored result of a formula":          price(`<c r="H2" s="1"><f>ROUND(100*1.105,2)</f><v>110.5</v></c>`),
		"no numbers of cells":                     workbook(strings.NewReplacer(` r="H2"`, "", ` r="2"`, "", ` r="I2"`, "").Replace(mediaNames + silkCells)),
		"empty cells and rows":                    workbook(`<row r="1"/>` + strings.NewReplacer(`r="1"`, `r="3"`, `1" t=`, `3" t=`).Replace(mediaNames) + `<row r="4"><c r="B4" s="2"/><c r="XFD4" t="s"/></row>` + strings.NewReplacer(`r="2"`, `r="7"`, `2" t=`, `7" t=`, `2"><v>`, `7"><v>`).Replace(silkCells)),
		"rich text with a phonetic guide":         workbook(mediaNames+silkCells).with("xl/sharedStrings.xml", strings.Replace(shared, `<si><t>Silk</t></si>`, `<si><r><t>Si</t></r><r><rPr><b/></rPr><t>l_x006B_</t></r><rPh sb="0"><t>shiruku</t></rPh></si>`, 1)),
		"an extension in another namespace":       workbook(mediaNames + silkCells + `<x:row xmlns:x="x" r="1"><x:c r="A1"/></x:row>`),
		"a list of one sheet in the strict form":  workbook(mediaNames+silkCells).with("xl/worksheets/sheet2.xml", strings.ReplaceAll(sheetOf(mediaNames+silkCells), "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")),
		"a column without a name and without use": workbook(strings.NewReplacer(`"I1"`, `"K1"`, `"I2"`, `"K2"`).Replace(mediaNames + silkCells)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := files{"a.xlsx": book.file(t)}.read(t, "a.xlsx")
			if err != nil {
				t.Fatalf("unexpected faults:\n%s", faults(err))
			}
			if got.ID() != want.ID() {
				t.Errorf("id %s, want %s", got.ID(), want.ID())
			}
		})
	}
}

func TestNumbersOfCellsKeepTheirDecimals(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"0.1":                    "0.1",
		"1.1000000000000001":     "1.1",
		"110.56":                 "110.56",
		"113.87680000000000":     "113.8768",
		"8.9999999999999998E-4":  "0.0009",
		"999999.99999899999":     "999999.999999",
		"1.0000000000000001E-05": "0.00001",
	} {
		cells := strings.Replace(silkCells, "110.5", stored, 1)
		d, err := files{"a.xlsx": workbook(mediaNames + cells).file(t)}.read(t, "a.xlsx")
		if err != nil {
			t.Errorf("%s: unexpected faults:\n%s", stored, faults(err))
			continue
		}
		resources, err := d.Authority()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if got := resources.Content().Media[0].Price.Amount.String(); got != want {
			t.Errorf("the number %s is read as %s, want %s", stored, got, want)
		}
	}
}

func TestCellsWithoutAPlainValueAreRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ cell, want string }{
		"a percentage":                {`<c r="H2" s="2"><v>0.025</v></c>`, `H2: media silk: price.amount: the format "0%" shows another number than the cell stores; use the format General`},
		"a date":                      {`<c r="H2" s="3"><v>46054</v></c>`, `H2: media silk: price.amount: the format "a date or time" shows another number than the cell stores; use the format General`},
		"a date as text of ISO 8601":  {`<c r="H2" t="d"><v>2026-01-01</v></c>`, `H2: media silk: price.amount: is a date`},
		"thousands":                   {`<c r="H2" s="4"><v>1500</v></c>`, `H2: media silk: price.amount: the format "#,##0.0," shows another number than the cell stores; use the format General`},
		"an unknown style":            {`<c r="H2" s="99"><v>1</v></c>`, `H2: media silk: price.amount: the style "99" is missing`},
		"a result that is not exact":  {`<c r="H2"><f>0.1+0.2</f><v>0.30000000000000004</v></c>`, `H2: media silk: price.amount: the number "0.30000000000000004" has more than 15 digits; round it`},
		"a number of too many places": {`<c r="H2"><v>0.1234567</v></c>`, `H2: media silk: price.amount: "0.1234567" is no decimal number such as 12.5: digits, a point, at most 6 places`},
		"no number":                   {`<c r="H2"><v>NaN</v></c>`, `H2: media silk: price.amount: the number "NaN" has more than 15 digits; round it`},
		"a formula without a result":  {`<c r="H2"><f>A1</f></c>`, `H2: media silk: price.amount: a formula without its result; open the workbook in a spreadsheet, and save it again`},
		"an error":                    {`<c r="H2" t="e"><f>1/0</f><v>#DIV/0!</v></c>`, `H2: media silk: price.amount: the error #DIV/0!`},
		"a truth value":               {`<c r="H2" t="b"><v>1</v></c>`, `H2: media silk: price.amount: "true" is no decimal number such as 12.5: digits, a point, at most 6 places`},
		"a comma in a text":           {`<c r="H2" t="str"><v>110,50</v></c>`, `H2: media silk: price.amount: "110,50" is no decimal number such as 12.5: digits, a point, at most 6 places`},
		"a missing text":              {`<c r="H2" t="s"><v>99</v></c>`, `H2: media silk: price.amount: the shared text "99" is missing`},
		"an unknown type":             {`<c r="H2" t="x"><v>1</v></c>`, `H2: media silk: price.amount: the type "x" of a cell is unknown`},
		"nothing":                     {`<c r="H2"/>`, `A2: media silk: price.amount: must be there`},
		"a value beside the columns":  {`<c r="H2"><v>110.5</v></c><c r="I2" t="s"><v>12</v></c><c r="AB2"><v>1</v></c>`, `AB2: media silk: a value in a column without a name`},
		"a number in place of a text": {`<c r="H2"><v>110.5</v></c><c r="I2"><v>12</v></c>`, `I2: media silk: price.per: is a text; give the cell the format Text, and enter the value again`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cells := strings.Replace(silkCells, `<c r="H2"><v>110.5</v></c>`, tc.cell, 1)
			if strings.Contains(tc.cell, "I2") {
				cells = strings.Replace(cells, `<c r="I2" t="s"><v>12</v></c></row>`, `</row>`, 1)
			}
			want(t, files{"a.xlsx": workbook(mediaNames + cells).file(t)}, "a.xlsx: media!"+tc.want)
		})
	}
}

func TestInvalidWorkbooksAreRejected(t *testing.T) {
	t.Parallel()
	valid := workbook(mediaNames + silkCells)
	of := func(part, old, put string) parts { return valid.with(part, strings.Replace(valid[part], old, put, 1)) }
	const media = "xl/worksheets/sheet2.xml"
	for name, tc := range map[string]struct {
		book parts
		want []string
	}{
		"no ZIP file of a workbook": {parts{"a": "b"}, []string{`a.xlsx: the part "_rels/.rels" is missing`}},
		"no main part":              {of("_rels/.rels", "officeDocument\"", "other\""), []string{`a.xlsx: is no workbook: it names no main part`}},
		"a missing part":            {valid.with(media, ""), []string{`a.xlsx: media: the part "xl/worksheets/sheet2.xml" is missing`}},
		"an unknown sheet":          {of("xl/workbook.xml", `"media"`, `"Media"`), []string{`a.xlsx: Media: sheet "Media" is not known here; did you mean media?`}},
		"a sheet twice":             {of("xl/workbook.xml", `</sheets>`, `<sheet name="media" sheetId="3" r:id="rId2"/></sheets>`), []string{`a.xlsx: media!A1: media are in media!A1 already`}},
		"no header":                 {of("xl/workbook.xml", `<sheet name="snapshot" sheetId="1" r:id="rId1"/>`, ""), []string{`a.xlsx: no level, owner and provenance; they stand at the top, in snapshot.yaml, or in the sheet snapshot`}},
		"two headers":               {of("xl/worksheets/sheet1.xml", "</sheetData>", `<row r="3"><c r="A3"><v>1</v></c></row></sheetData>`), []string{`a.xlsx: snapshot!A3: more than 1; no more are taken`}},
		"an empty sheet":            {valid.with(media, sheetOf("")), []string{`a.xlsx: media!1: the first row, which names the columns, is missing`}},
		"a missing column":          {of(media, `<c r="I1" t="s"><v>8</v></c>`, ""), []string{`a.xlsx: media!1: column price.per must be there`}},
		"a duplicate identifier":    {of(media, "</sheetData>", strings.NewReplacer(`r="2"`, `r="3"`, `2" t=`, `3" t=`, `2"><v>`, `3"><v>`).Replace(silkCells)+"</sheetData>"), []string{`a.xlsx: media!A3: media silk: id: this identifier is that of a media already, at media!A2`}},
		"merged cells":              {of(media, "</sheetData>", `</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>`), []string{`a.xlsx: media: the cells A2:A3 are merged; a value belongs to one cell`}},
		"a document type":           {of(media, "<worksheet", `<!DOCTYPE a [<!ENTITY b "c">]><worksheet`), []string{`a.xlsx: media: a document type declaration is not read`}},
		"an entity":                 {of(media, "700", "&b;"), []string{`a.xlsx: media!2: the part "xl/worksheets/sheet2.xml" is no XML: invalid character entity &b;`}},
		"no end":                    {of(media, "</sheetData>", ""), []string{`a.xlsx: media!2: the part "xl/worksheets/sheet2.xml" is no XML: element <sheetData> closed by </worksheet>`}},
		"deep elements":             {of(media, "<sheetData>", strings.Repeat("<a>", 40)), []string{`a.xlsx: media: elements are nested deeper than 32`}},
		"a large tag":               {of(media, "<sheetData>", "<a"+strings.Repeat(` b=""`, 50_000)), []string{`a.xlsx: media: a tag or text of more than 131072 bytes`}},
		"a large text in pieces":    {of("xl/sharedStrings.xml", "Silk", strings.Repeat(strings.Repeat("x", 1_000)+"<!---->", 200)), []string{`a.xlsx: a text of more than 131072 bytes`}},
		"a value too long":          {of("xl/sharedStrings.xml", "Silk", strings.Repeat("x", 5_000)), []string{`a.xlsx: media!B2: media silk: name: 5000 bytes; at most 4096 are read`}},
		"a column beyond all":       {of(media, `<c r="I2"`, `<c r="XFE2"`), []string{`a.xlsx: media!2: more than 16384 columns`}},
		"a million columns":         {of(media, "<sheetData>", "<sheetData><row>"+strings.Repeat("<c/>", 1_000_000)), []string{`a.xlsx: media!1: more than 16384 columns`}},
		"a cell of another row":     {of(media, `"I2"`, `"I3"`), []string{`a.xlsx: media!2: the cell "I3" is not in its place`}},
		"a cell twice":              {of(media, `"I2"`, `"H2"`), []string{`a.xlsx: media!2: the cell "H2" is not in its place`}},
		"a row twice":               {of(media, `<row r="2">`, `<row r="1">`), []string{`a.xlsx: media!1: the row "1" follows row 1`}},
		"a row beyond all":          {of(media, `<row r="2">`, `<row r="1048577">`), []string{`a.xlsx: media!1: more than 1048576 rows`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := files{"a.xlsx": tc.book.file(t)}.read(t, "a.xlsx")
			if got, want := faults(err), strings.Join(tc.want, "\n")+"\n"; !strings.HasPrefix(got, want) {
				t.Errorf("faults:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestHostileZIPFilesAreRejected(t *testing.T) {
	t.Parallel()
	valid := workbook(mediaNames + silkCells)
	many := maps.Clone(valid)
	for i := range 1_000 {
		many[fmt.Sprint(i)] = "x"
	}
	file := valid.file(t)
	damaged := []byte(file)
	damaged[strings.Index(file, "xl/styles.xml")+100] ^= 0xff
	for name, tc := range map[string]struct{ text, want string }{
		"text":                     {"id,name", "a.xlsx: is no workbook: a workbook is a ZIP file without a password, and is saved as .xlsx"},
		"many parts":               {many.file(t), "a.xlsx: 1007 parts; at most 1000 are read"},
		"a bomb":                   {forged(t, source.MaxTotal), "a.xlsx: more than 134217728 bytes unpacked"},
		"a bomb that claims less":  {forged(t, 10), `a.xlsx: the part "_rels/.rels" is damaged` + ""},
		"a damaged part":           {string(damaged), `a.xlsx: the part "xl/styles.xml" is damaged` + ""},
		"a part twice":             {strings.ReplaceAll(valid.with("xl/stylez.xml", "x").file(t), "xl/stylez.xml", "xl/styles.xml"), `a.xlsx: the part "xl/styles.xml" is there twice` + ""},
		"a large file":             {file + strings.Repeat("x", source.MaxWorkbook), fmt.Sprintf("a.xlsx: %d bytes; at most 16777216 are read", len(file)+source.MaxWorkbook)},
		"a large number of sheets": {valid.with("xl/workbook.xml", "<workbook>"+strings.Repeat("<sheet/>", 101)+"</workbook>").file(t), "a.xlsx: more than 100 sheets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, files{"a.xlsx": tc.text}, tc.want)
		})
	}
	want(t, files{"snapshot.yaml": head, "media.xlsx": file}, "media.xlsx: a workbook has all lists; read it alone")
}

// forged returns a ZIP file with a part of a megabyte of blanks, and a claim about its size.
func forged(t *testing.T, size uint64) string {
	t.Helper()
	var blanks, packed bytes.Buffer
	d, err := flate.NewWriter(&blanks, flate.BestSpeed)
	if err == nil {
		_, err = d.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatalf("compress blanks: %v", err)
	}
	w := zip.NewWriter(&packed)
	part, err := w.CreateRaw(&zip.FileHeader{
		Name: "_rels/.rels", Method: zip.Deflate, CompressedSize64: uint64(blanks.Len()), UncompressedSize64: size + 1,
	})
	if err == nil {
		_, err = part.Write(blanks.Bytes())
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatalf("write the ZIP file: %v", err)
	}
	return packed.String()
}
