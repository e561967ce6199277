// SPDX-License-Identifier: Apache-2.0

package source

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// The parts of a workbook that do not depend on the document. Style 1 is text.
const (
	xmlHead     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	officeSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packSpace   = "http://schemas.openxmlformats.org/package/2006"
	sheetType   = "application/vnd.openxmlformats-officedocument.spreadsheetml."

	packageRelations = xmlHead + `<Relationships xmlns="` + packSpace + `/relationships"><Relationship Id="rId1" Type="` + officeSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	textStyles       = xmlHead + `<styleSheet xmlns="` + mainSpace + `"><fonts count="1"><font/></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="2"><xf xfId="0"/><xf numFmtId="49" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`
)

// writeXLSX writes a workbook with a sheet for the header and for each list.
func writeXLSX(w io.Writer, d *Document) error {
	heads := []header{d.header()}
	sheets := []list{{member: headerName, shape: headerShape(d.level), rows: reflect.ValueOf(heads)}}
	for _, l := range d.lists() {
		if l.rows.Len() > 0 {
			sheets = append(sheets, l)
		}
	}
	var types, names, relations strings.Builder
	for i, s := range sheets {
		fmt.Fprintf(&types, `<Override PartName="/xl/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, sheetType)
		fmt.Fprintf(&names, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, s.member, i+1, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="sheet%d.xml"/>`, i+1, officeSpace, i+1)
	}
	archive := zip.NewWriter(w)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="` + packSpace + `/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + sheetType + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + sheetType + `styles+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", packageRelations},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + officeSpace + `"><sheets>` + names.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="` + packSpace + `/relationships">` + relations.String() + `<Relationship Id="styles" Type="` + officeSpace + `/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", textStyles},
	} {
		out, err := archive.Create(part.name)
		if err == nil {
			_, err = io.WriteString(out, part.text)
		}
		if err != nil {
			return err
		}
	}
	for i, s := range sheets {
		out, err := archive.Create(fmt.Sprintf("xl/sheet%d.xml", i+1))
		if err != nil {
			return err
		}
		b := bufio.NewWriter(out)
		writeSheet(b, s)
		if err := b.Flush(); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeSheet writes a list with the columns that any entry uses. The row of names stays
// visible when the sheet is scrolled.
func writeSheet(w *bufio.Writer, l list) {
	_, _ = w.WriteString(xmlHead + `<worksheet xmlns="` + mainSpace + `"><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`)
	used := l.used()
	_, _ = w.WriteString(`<row r="1">`)
	for i, column := range used {
		writeTextCell(w, i, 1, l.shape.columns[column].path)
	}
	for row := range l.rows.Len() {
		_, _ = fmt.Fprintf(w, `</row><row r="%d">`, row+2)
		for i, column := range used {
			texts, _ := l.shape.get(l.rows.Index(row), column)
			if len(texts) == 0 {
				continue
			}
			kind := l.shape.columns[column].kind
			if stored, ok := storedNumber(texts[0]); (kind == decimalKind || kind == wholeKind) && ok && stored == texts[0] {
				_, _ = fmt.Fprintf(w, `<c r="%s%d"><v>%s</v></c>`, columnLetters(i+1), row+2, texts[0])
				continue
			}
			writeTextCell(w, i, row+2, strings.Join(texts, itemSeparator))
		}
	}
	_, _ = w.WriteString("</row></sheetData></worksheet>")
}

func writeTextCell(w *bufio.Writer, column, row int, text string) {
	_, _ = fmt.Fprintf(w, `<c r="%s%d" s="1" t="inlineStr"><is><t xml:space="preserve">`, columnLetters(column+1), row)
	text = escape.ReplaceAllStringFunc(text, func(match string) string { return "_x005F" + match })
	_ = xml.EscapeText(w, []byte(text))
	_, _ = w.WriteString("</t></is></c>")
}
