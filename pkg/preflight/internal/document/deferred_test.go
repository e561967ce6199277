// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	n int
}

func (c *counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.n += n
	return n, err
}

func TestLongStreamsOfALongFileAreReadWhenTheyAreUsed(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	samples := bytes.Repeat([]byte("samples of an image, "), 1<<20)
	b.Stream("/Type /XObject /Subtype /Image", samples)
	pdf := b.Document(pdftest.Print("0 g", ""))
	in := &counted{ReaderAt: bytes.NewReader(pdf)}
	f, err := document.Open(t.Context(), in, int64(len(pdf)), document.DefaultLimits(), facts.NewCollector(nil))
	if err != nil || f == nil {
		t.Fatalf("document.Open: %v, %v", f, err)
	}
	if in.n > 1<<20 {
		t.Errorf("opening the file reads %d of %d bytes", in.n, len(pdf))
	}
	stream, ok := f.Stream(firstObject)
	if !ok || !bytes.Equal(stream.Raw, samples) {
		t.Errorf("Stream: %d bytes, %t; want the %d bytes of the image", len(stream.Raw), ok, len(samples))
	}
	if length := stream.Dict["Length"]; length != types.Integer(len(samples)) {
		t.Errorf("/Length is %v, want %d", length, len(samples))
	}
	rows, ok := f.Rows(firstObject, 1, int64(len(samples)), false)
	if !ok || rows == nil {
		t.Fatalf("Rows: %v, %t", rows, ok)
	}
	if got, err := io.ReadAll(rows); err != nil || !bytes.Equal(got, samples) {
		t.Errorf("Rows: %d bytes, %v; want the %d bytes of the image", len(got), err, len(samples))
	}
	if content := f.Decode(f.Pages()[0].Contents, 1); string(content) != "0 g" {
		t.Errorf("content %q", content)
	}
}

func TestDeferredStreamIsTheSameAsOneInMemory(t *testing.T) {
	t.Parallel()
	data := "0 0 10 10 re f"
	for name, write := range map[string]func(b *pdftest.Builder) pdftest.Ref{
		"with its length": func(b *pdftest.Builder) pdftest.Ref { return b.Stream("", []byte(data)) },
		"with its length in another object": func(b *pdftest.Builder) pdftest.Ref {
			return b.Add("<< /Length %s >>\nstream\n%s\nendstream", b.Add("%d", len(data)), data)
		},
		"with a length that is too small": func(b *pdftest.Builder) pdftest.Ref {
			return b.Add("<< /Length 5 >>\nstream\n%s\nendstream", data)
		},
		"with a length beyond the file": func(b *pdftest.Builder) pdftest.Ref {
			return b.Add("<< /Length %s >>\nstream\n%s\nendstream", b.Add("100000"), data)
		},
		"whose length is missing": func(b *pdftest.Builder) pdftest.Ref {
			return b.Add("<< /Length 900 0 R >>\nstream\n%s\nendstream", data)
		},
		"in a file with object streams": func(b *pdftest.Builder) pdftest.Ref { b.Packed = true; return b.Flate("", []byte(data)) },
		"in an encrypted file":          func(b *pdftest.Builder) pdftest.Ref { b.Encrypt("", "owner", false); return b.Stream("", []byte(data)) },
		"in a damaged file": func(b *pdftest.Builder) pdftest.Ref {
			b.Trailer = " /Prev 999999"
			return b.Stream("", []byte(data))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			stream := write(&b)
			pdf := b.Document(pdftest.Print("", ""))
			read := func(kept int64) (string, *facts.Document) {
				limits := document.DefaultLimits()
				limits.KeptBytes = kept
				collector := facts.NewCollector(nil)
				f, err := document.Open(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), limits, collector)
				if err != nil || f == nil {
					t.Fatalf("document.Open: %v, %v", f, err)
				}
				return strings.TrimSpace(string(f.Decode(*types.NewIndirectRef(int(stream), 0), 1))), collector.Document()
			}
			want, kept := read(1 << 20)
			got, deferred := read(0)
			if want != data {
				t.Errorf("in memory: %q", want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("deferred (-want +got):\n%s", diff)
			}
			if strings.Contains(name, "beyond") { // the parser corrects this length without a report
				kept.Incidents = append(kept.Incidents, facts.Incident{Rule: document.RuleRepaired, Variant: "length"})
			}
			if diff := cmp.Diff(kept.Incidents, deferred.Incidents); diff != "" {
				t.Errorf("incidents of a deferred stream (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStreamsThatOverlapAreNotDeferred(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	for range 40 {
		b.Add("<< /Type /XObject /Length 100000 >>\nstream\nx\nendstream")
	}
	last := b.Stream("/Type /XObject", make([]byte, 100_000))
	pdf := b.Document(pdftest.Print("0 g", ""))
	limits := document.DefaultLimits()
	limits.KeptBytes = 0
	in := &counted{ReaderAt: bytes.NewReader(pdf)}
	f, err := document.Open(t.Context(), in, int64(len(pdf)), limits, facts.NewCollector(nil))
	if err != nil || f == nil {
		t.Fatalf("document.Open: %v, %v", f, err)
	}
	opened := in.n
	stream, ok := f.Stream(*types.NewIndirectRef(int(last), 0))
	if !ok || len(stream.Raw) != 100_000 || in.n-opened > 1000 {
		t.Errorf("Stream: %d bytes, %t, after reading %d of the file; want them in memory", len(stream.Raw), ok, in.n-opened)
	}
}
