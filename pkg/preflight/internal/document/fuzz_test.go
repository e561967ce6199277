// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
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
