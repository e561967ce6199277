// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// maxSeed bounds the size of seeds. Longer files differ only in the number of repetitions.
const maxSeed = 32 << 10

// FuzzOpen opens arbitrary bytes as a document with small limits. It finds panics, endless loops
// and contradictory facts.
func FuzzOpen(f *testing.F) {
	for name, write := range pdftest.Hostile() {
		if strings.Contains(name, "bomb") {
			continue
		}
		if data := write(); len(data) <= maxSeed {
			f.Add(data)
		}
	}
	for _, flaw := range pdftest.Flaws() {
		if !strings.HasPrefix(flaw.Rule, "limits.") {
			f.Add(flaw.Breaks())
		}
	}
	f.Add(packed())
	limits := document.DefaultLimits()
	limits.StreamBytes, limits.DocumentBytes, limits.Pages, limits.Elements = 1<<20, 4<<20, 100, 10_000
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := limits
		if len(data)%2 == 1 {
			limits.KeptBytes = 0
		}
		collector := facts.NewCollector(nil)
		file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), limits, collector)
		if err != nil {
			t.Fatalf("document.Open: %v", err)
		}
		doc := collector.Document()
		if doc.Opened != (file != nil) {
			t.Fatalf("opened %t, file %t", doc.Opened, file != nil)
		}
		if file != nil {
			file.Pages()
		}
		if (!doc.Opened || !doc.Complete) && len(doc.Incidents) == 0 {
			t.Error("the document is incomplete without an incident")
		}
		for _, text := range []string{doc.Title, doc.Producer, doc.Creator, doc.Created, doc.Modified, doc.PDFVersion} {
			if text != document.Clean(text, 300) {
				t.Errorf("%q is not fit for a report", text)
			}
		}
	})
}

// FuzzRows reads images with all filters.
func FuzzRows(f *testing.F) {
	filters := []string{
		"null", "/FlateDecode", "/LZWDecode", "[/ASCII85Decode /FlateDecode]", "/ASCIIHexDecode", "/RunLengthDecode",
		"/FlateDecode /DecodeParms << /Predictor 15 /Columns 10 >>", "/LZWDecode /DecodeParms << /EarlyChange 0 /Predictor 2 /Columns 10 >>",
		"/CCITTFaxDecode /DecodeParms << /K -1 /Columns 16 >>", "/CCITTFaxDecode /DecodeParms << /EncodedByteAlign true /BlackIs1 true >>",
	}
	for i := range filters {
		f.Add(i, []byte("61 62 63>"))
		f.Add(i, []byte{2, 'a', 'b', 'c', 254, 'd', 128})
		f.Add(i, []byte{0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01})
		f.Add(i, pdftest.Deflate(make([]byte, 100)))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		const size = 1 << 16
		filter := filters[uint(which)%uint(len(filters))] // #nosec G115 -- any index will do
		file, _ := imageFile(t, "/Width 16 /Height 20 /Filter "+filter, data, nil)
		rows, ok := file.Rows(firstObject, 1, size, false)
		if !ok || rows == nil {
			return
		}
		if got, _ := io.ReadAll(rows); len(got) > size {
			t.Errorf("%d bytes, more than %d", len(got), size)
		}
		if err := rows.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}
