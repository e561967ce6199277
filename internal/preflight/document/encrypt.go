// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"io"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/lexer"
)

// The last startxref stands in the last tailBytes; a table of a million entries
// of 20 bytes and its trailer fit maxTable.
const (
	tailBytes = 2048
	maxTable  = 24 << 20
)

// hasDirectEncrypt finds an encryption dictionary that stands in the trailer
// itself. That is legal (ISO 32000-2, table 15), but the parser knows only a
// reference there: it would take an encrypted file for a clear one and hand out
// rubbish.
func (f *File) hasDirectEncrypt(in io.ReadSeeker, size int64) bool {
	for _, entry := range f.pdf.Table {
		if table, ok := entry.Object.(types.XRefStreamDict); ok {
			if _, direct := table.Dict["Encrypt"].(types.Dict); direct {
				return true
			}
		}
	}
	tail, ok := readAt(in, max(0, size-tailBytes), tailBytes)
	if !ok {
		return false
	}
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return false
	}
	fields := bytes.Fields(tail[at+len("startxref"):])
	if len(fields) == 0 {
		return false
	}
	offset, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil || offset < 0 || offset >= size {
		return false
	}
	table, ok := readAt(in, offset, min(maxTable, size-offset))
	return ok && bytes.HasPrefix(bytes.TrimLeft(table, "\x00\t\n\f\r "), []byte("xref")) && trailerEncrypts(table)
}

// trailerEncrypts looks for a dictionary under /Encrypt in the first trailer.
func trailerEncrypts(table []byte) bool {
	_, after, found := bytes.Cut(table, []byte("trailer"))
	if !found {
		return false
	}
	trailer := lexer.Of(after[:min(len(after), 64<<10)]).Next()
	if trailer.Kind != lexer.Dict {
		return false
	}
	for i := 0; i+1 < len(trailer.Items); i++ {
		if trailer.Items[i].Kind == lexer.Name && string(trailer.Items[i].Text) == "Encrypt" {
			return trailer.Items[i+1].Kind == lexer.Dict
		}
	}
	return false
}

func readAt(in io.ReadSeeker, offset, n int64) ([]byte, bool) {
	if _, err := in.Seek(offset, io.SeekStart); err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(in, n))
	return data, err == nil
}
