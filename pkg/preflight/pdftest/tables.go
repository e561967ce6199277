// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
)

// tableBomb returns a file whose cross-reference stream unpacks to size bytes. The parser decodes
// it before it applies any limit.
func tableBomb(size int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.6\n%\xE2\xE3\xCF\xD3\n")
	catalog := out.Len()
	out.WriteString("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n")
	pages := out.Len()
	out.WriteString("2 0 obj\n<< /Type /Pages /Count 0 /Kids [] >>\nendobj\n")
	table := out.Len()
	rows := new(bytes.Buffer)
	for _, offset := range []int{0, catalog, pages, table} {
		kind := byte(1)
		if offset == 0 {
			kind = 0
		}
		rows.Write([]byte{kind, byte(offset >> 8), byte(offset), 0})
	}
	// The rows are followed by zeros, both coded as runs.
	runs := append([]byte{byte(rows.Len() - 1)}, rows.Bytes()...)
	data := Deflate(append(runs, bytes.Repeat([]byte{129, 0}, size/128)...))
	fmt.Fprintf(&out, "3 0 obj\n<< /Type /XRef /Size 4 /W [1 2 1] /Root 1 0 R %s /Length %d >>\nstream\n%s\nendstream\nendobj\n", bombFilters, len(data), data)
	fmt.Fprintf(&out, "startxref\n%d\n%%%%EOF\n", table)
	return out.Bytes()
}

// tableChain returns a file of many empty updates. The parser's time grows with the square of
// their number.
func tableChain(updates int) []byte {
	s := NewSound()
	out := bytes.NewBuffer(s.Bytes(s.Page("", "")))
	previous := bytes.LastIndex(out.Bytes(), []byte("xref\n0"))
	for range updates {
		table := out.Len()
		fmt.Fprintf(out, "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size %d /Root %d 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", len(s.objects)+1, len(s.objects), previous, table)
		previous = table
	}
	return out.Bytes()
}
