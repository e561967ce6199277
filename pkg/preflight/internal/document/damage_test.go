// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// content opens a file of one page. It returns the decoded content of the page, whether reading
// was complete, and the rules of the incidents.
func content(t *testing.T, pdf []byte) (drawn string, complete bool, rules []string) {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), document.DefaultLimits(), collector)
	if err != nil || file == nil {
		t.Fatalf("open: %v, incidents %+v", err, collector.Document().Incidents)
	}
	pages := file.Pages()
	if len(pages) != 1 {
		t.Fatalf("%d pages, want 1", len(pages))
	}
	data := file.Decode(pages[0].Contents, 1)
	for _, in := range collector.Document().Incidents {
		rules = append(rules, in.Rule)
	}
	return string(data), collector.Document().Complete, rules
}

const drawing = "0 0 0 1 k 60 60 100 100 re f"

// withLength returns a page whose content stream declares the given length.
func withLength(length int) []byte {
	var b pdftest.Builder
	stream := b.Stream("", []byte(drawing))
	pdf := b.Document(pdftest.Page{Extra: fmt.Sprintf("/Contents %s", stream)})
	right := fmt.Sprintf("/Length %d", len(drawing))
	return bytes.Replace(pdf, []byte(right), fmt.Appendf(nil, "/Length %d", length), 1)
}

func TestWrongStreamLengthIsCorrectedAndReported(t *testing.T) {
	t.Parallel()
	for _, length := range []int{10, 20, len(drawing) + 30} {
		drawn, complete, rules := content(t, withLength(length))
		if drawn != drawing || !complete || strings.Join(rules, " ") != document.RuleRepaired {
			t.Errorf("length %d: %q, complete %t, incidents %v", length, drawn, complete, rules)
		}
	}
	if drawn, _, rules := content(t, withLength(len(drawing))); drawn != drawing || rules != nil {
		t.Errorf("right length: %q, incidents %v", drawn, rules)
	}
}

func TestDamagedStreamYieldsTheDataBeforeTheDamage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(drawing+"\n", 500)
	sound := pdftest.Deflate([]byte(long))
	wrong := bytes.Clone(sound)
	binary.BigEndian.PutUint32(wrong[len(wrong)-adler32.Size:], 1)
	var flushed bytes.Buffer
	out := zlib.NewWriter(&flushed)
	if _, err := out.Write([]byte(long)); err != nil {
		t.Fatalf("out.Write: %v", err)
	}
	if err := out.Flush(); err != nil {
		t.Fatalf("out.Flush: %v", err)
	}
	tests := map[string]struct {
		data         []byte
		least        int
		wantComplete bool
		wantRule     string
	}{
		"sound":                     {sound, len(long), true, ""},
		"a wrong checksum":          {wrong, len(long), true, document.RuleRepaired},
		"without its checksum":      {sound[:len(sound)-adler32.Size], len(long), true, ""},
		"flushed and not closed":    {flushed.Bytes(), len(long), true, ""},
		"cut off":                   {sound[:len(sound)-20], 100, false, document.RuleStream},
		"something else altogether": {[]byte("this was never compressed"), 0, false, document.RuleStream},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			stream := b.Stream("/Filter /FlateDecode", tc.data)
			drawn, complete, rules := content(t, b.Document(pdftest.Page{Extra: fmt.Sprintf("/Contents %s", stream)}))
			if len(drawn) < tc.least || !strings.HasPrefix(long, drawn) || complete != tc.wantComplete || strings.Join(rules, " ") != tc.wantRule {
				t.Errorf("%d bytes, complete %t, incidents %v", len(drawn), complete, rules)
			}
		})
	}
}

func TestEmptyBranchMayAppearTwice(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	root, empty, page := b.Reserve(), b.Reserve(), b.Reserve()
	b.Set(root, "<< /Type /Pages /Count 1 /Kids [%s %s %s] >>", empty, page, empty)
	b.Set(empty, "<< /Type /Pages /Parent %s /Count 0 /Kids [] >>", root)
	b.Set(page, "<< /Type /Page /Parent %s /MediaBox [0 0 100 100] >>", root)
	if _, complete, rules := content(t, b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", root))); !complete || rules != nil {
		t.Errorf("complete %t, incidents %v", complete, rules)
	}
}
