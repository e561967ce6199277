// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// pack writes the objects as PDF 1.5 allows: all objects except streams in one object stream, and
// the table as a stream (ISO 32000-2, 7.5.7 and 7.5.8).
func (b *Builder) pack(out *bytes.Buffer, catalog Ref) {
	container, table := len(b.objects)+1, len(b.objects)+2
	rows := make([][7]byte, table+1)
	var head, body []byte
	inside := 0
	for i, object := range b.objects {
		if bytes.HasSuffix(object, []byte("\nendstream")) {
			rows[i+1] = tableRow(1, out.Len(), 0)
			fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, object)
			continue
		}
		rows[i+1] = tableRow(2, container, inside)
		inside++
		head = fmt.Appendf(head, "%d %d ", i+1, len(body))
		body = append(append(body, object...), '\n')
	}
	rows[container] = tableRow(1, out.Len(), 0)
	data := Deflate(append(head, body...))
	fmt.Fprintf(out, "%d 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n",
		container, inside, len(head), len(data), data)
	rows[table] = tableRow(1, out.Len(), 0)
	at := out.Len()
	var all []byte
	for _, row := range rows {
		all = append(all, row[:]...)
	}
	data = Deflate(all)
	fmt.Fprintf(out, "%d 0 obj\n<< /Type /XRef /Size %d /W [1 4 2]%s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		table, table+1, b.trailer(catalog), len(data), data, at)
}

// tableRow returns an entry of a table with columns of 1, 4 and 2 bytes.
func tableRow(kind byte, place, rest int) (row [7]byte) {
	row[0] = kind
	binary.BigEndian.PutUint32(row[1:], uint32(place))
	binary.BigEndian.PutUint16(row[5:], uint16(rest))
	return row
}
