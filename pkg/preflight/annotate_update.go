// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// update collects objects and writes their table, of the same kind as the newest
// section of the file, because a reader may support only that kind.
type update struct {
	base document.Base
	// next is the number of the next new object.
	next int
	out  objects
	rows []row
	// table is the offset of the table in the update.
	table int
}

// row is an entry of the table.
type row struct{ number, generation, offset int }

// add writes a new object.
func (u *update) add(o types.Object) types.IndirectRef {
	ref := *types.NewIndirectRef(u.next, 0)
	u.next++
	u.replace(ref, 0, o)
	return ref
}

// stream writes a new stream object.
func (u *update) stream(dict types.Dict, data string) types.IndirectRef {
	ref := *types.NewIndirectRef(u.next, 0)
	u.next++
	u.replaceStream(ref, 0, dict, data)
	return ref
}

// replaceStream writes a stream object under a number.
func (u *update) replaceStream(ref types.IndirectRef, generation int, dict types.Dict, data string) {
	dict["Length"] = types.Integer(len(data))
	u.replace(ref, generation, dict)
	u.out.text.Truncate(u.out.text.Len() - len(endObject))
	u.out.text.WriteString("\nstream\n")
	u.out.text.WriteString(data)
	u.out.text.WriteString("\nendstream" + endObject)
}

const endObject = "\nendobj\n"

// replace writes an object under a number.
func (u *update) replace(ref types.IndirectRef, generation int, o types.Object) {
	if u.out.text.Len() == 0 {
		u.out.text.WriteByte('\n')
	}
	u.begin(int(ref.ObjectNumber), generation)
	u.out.object(o, 0)
	u.out.text.WriteString(endObject)
}

func (u *update) begin(number, generation int) {
	u.rows = append(u.rows, row{number: number, generation: generation, offset: int(u.base.Size) + u.out.text.Len()})
	fmt.Fprintf(&u.out.text, "%d %d obj\n", number, generation)
}

// close writes the table and the trailer, and returns the update.
func (u *update) close() ([]byte, error) {
	u.table = u.out.text.Len()
	if u.base.Stream {
		// Write a section as a stream (7.5.8), which is an object itself.
		u.begin(u.next, 0)
		u.next++
		var index, rows []byte
		for _, run := range u.runs() {
			index = fmt.Appendf(index, " %d %d", run[0].number, len(run))
			for _, r := range run {
				rows = append(rows, 1)
				rows = binary.BigEndian.AppendUint32(rows, uint32(r.offset))
				rows = binary.BigEndian.AppendUint16(rows, uint16(r.generation))
			}
		}
		fmt.Fprintf(&u.out.text, "<< /Type /XRef /W [1 4 2] /Index [%s ] /Length %d", index, len(rows))
		u.trailer()
		fmt.Fprintf(&u.out.text, " >>\nstream\n%s\nendstream%s", rows, endObject)
	} else {
		// Write a section as of PDF 1.0 (7.5.4).
		u.out.text.WriteString("xref\n")
		for _, run := range u.runs() {
			fmt.Fprintf(&u.out.text, "%d %d\n", run[0].number, len(run))
			for _, r := range run {
				fmt.Fprintf(&u.out.text, "%010d %05d n \n", r.offset, r.generation)
			}
		}
		u.out.text.WriteString("trailer\n<<")
		u.trailer()
		u.out.text.WriteString(" >>\n")
	}
	fmt.Fprintf(&u.out.text, "startxref\n%d\n%%%%EOF\n", u.base.Size+int64(u.table))
	switch {
	case u.out.failed:
		return nil, report.RefusedStructure
	case u.out.text.Len() > report.MaxUpdate:
		return nil, report.RefusedTooLarge
	}
	return u.out.text.Bytes(), nil
}

// runs returns the sorted rows in runs of consecutive numbers.
func (u *update) runs() [][]row {
	slices.SortFunc(u.rows, func(a, b row) int { return cmp.Compare(a.number, b.number) })
	var out [][]row
	start := 0
	for i := range u.rows {
		if i+1 == len(u.rows) || u.rows[i+1].number != u.rows[i].number+1 {
			out = append(out, u.rows[start:i+1])
			start = i + 1
		}
	}
	return out
}

// trailer writes the entries of the last trailer and the new ones. The second
// identifier changes with the content (14.4).
func (u *update) trailer() {
	for _, entry := range u.base.Trailer {
		fmt.Fprintf(&u.out.text, " /%s %s", entry.Key, entry.Value)
	}
	fmt.Fprintf(&u.out.text, " /Size %d /Prev %d", u.next, u.base.Table)
	if u.base.ID != nil {
		sum := sha256.Sum256(bytes.Join([][]byte{u.base.ID, u.out.text.Bytes()}, nil))
		fmt.Fprintf(&u.out.text, " /ID [%s <%x>]", u.base.ID, sum[:16])
	}
}
