// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// replaced returns the valid file with the first or last match of a pattern replaced.
func replaced(pattern, by string) []byte {
	return regexp.MustCompile(pattern).ReplaceAll(pdftest.Good(), []byte(by))
}

// exchanged exchanges the last two entries of the table of a file.
func exchanged(pdf []byte) []byte {
	out := slices.Clone(pdf)
	rows := regexp.MustCompile(`\d{10} 00000 n`).FindAllIndex(out, -1)
	a, b := rows[len(rows)-2], rows[len(rows)-1]
	copy(out[a[0]:a[1]], pdf[b[0]:b[1]])
	copy(out[b[0]:b[1]], pdf[a[0]:a[1]])
	return out
}

// packed returns a file whose catalog and page are in an object stream, with a cross-reference
// stream.
func packed() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.6\n%\xE2\xE3\xCF\xD3\n")
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>"}
	var head, body string
	for i, o := range objects {
		head += fmt.Sprintf("%d %d ", i+1, len(body))
		body += o + " "
	}
	stream := out.Len()
	data := pdftest.Deflate([]byte(head + body))
	fmt.Fprintf(&out, "4 0 obj\n<< /Type /ObjStm /N 3 /First %d /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(head), len(data), data)
	table := out.Len()
	rows := []byte{0, 0, 0, 0, 2, 0, 4, 0, 2, 0, 4, 1, 2, 0, 4, 2, 1, byte(stream >> 8), byte(stream), 0, 1, byte(table >> 8), byte(table), 0}
	rows = pdftest.Deflate(rows)
	fmt.Fprintf(&out, "5 0 obj\n<< /Type /XRef /Size 6 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(rows), rows)
	fmt.Fprintf(&out, "startxref\n%d\n%%%%EOF\n", table)
	return out.Bytes()
}

func TestFaultsThatViewersAcceptAreRepairedAndReported(t *testing.T) {
	t.Parallel()
	good := pdftest.Good()
	tests := map[string]struct {
		pdf []byte
		// variants lists the messages about the repairs, in order.
		variants []string
	}{
		"nothing is wrong":                          {good, nil},
		"nothing is wrong with packed objects":      {packed(), nil},
		"rubbish before the header":                 {append([]byte("HTTP/1.1 200 OK\r\n\r\n"), good...), []string{"header_bytes"}},
		"no end":                                    {replaced(`%%EOF\n$`, ""), []string{"eof"}},
		"rubbish after the end":                     {append(slices.Clone(good), make([]byte, 3000)...), []string{"table", "eof"}},
		"an invalid version":                        {replaced(`^%PDF-1.6`, "%PDF-1.8"), []string{"version 1.8"}},
		"an offset that is no number":               {replaced(`startxref\n\d+`, "startxref\nxx"), []string{"table"}},
		"an offset into nothing":                    {replaced(`startxref\n\d+`, "startxref\n17"), []string{"table"}},
		"an offset beyond the end":                  {replaced(`startxref\n\d+`, "startxref\n99999999"), []string{"table"}},
		"no offset":                                 {replaced(`startxref\n\d+\n`, ""), []string{"table"}},
		"a table that is wrong":                     {replaced(`\n00000\d{5} 00000 n`, "\n0000000012 00000 n"), []string{"table"}},
		"an object without its end":                 {bytes.Replace(replaced(`startxref\n\d+`, "startxref\n17"), []byte(">>\nendobj\n"), []byte(">>\n"), 1), []string{"table"}},
		"a table that leads to no page":             {regexp.MustCompile(`\n00000\d{5} 00000 n`).ReplaceAll(good, []byte("\n0000000000 00000 f")), []string{"table"}},
		"a table whose first section begins with 1": {replaced(`xref\n0 `, "xref\n1 "), nil},
		"a table that exchanges two objects":        {exchanged(good), []string{"table"}},
		"a trailer without the number of objects":   {replaced(`/Size \d+`, ""), []string{"table"}},
		"packed objects and a wrong offset":         {bytes.Replace(packed(), []byte("startxref\n"), []byte("startxref\n1"), 1), []string{"table"}},
		"both a wrong version and a wrong offset":   {bytes.Replace(replaced(`startxref\n\d+`, "startxref\n17"), []byte("%PDF-1.6"), []byte("%PDF-9.9"), 1), []string{"version 9.9", "table"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, doc := open(t, tc.pdf)
			if file == nil || !doc.Opened || !doc.Complete {
				t.Fatalf("opened %t, complete %t, incidents %+v", doc.Opened, doc.Complete, doc.Incidents)
			}
			if pages := file.Pages(); len(pages) != 1 {
				t.Errorf("%d pages", len(pages))
			}
			if len(doc.Incidents) != len(tc.variants) {
				t.Fatalf("incidents %+v, want %q", doc.Incidents, tc.variants)
			}
			for i, in := range doc.Incidents {
				got := in.Variant
				if version, ok := in.Parameters["version"].(string); ok {
					got += " " + version
				}
				if in.Rule != document.RuleRepaired || got != tc.variants[i] {
					t.Errorf("incident %+v, want %q", in, tc.variants[i])
				}
			}
		})
	}
}

func TestTableThatLeadsToNoObjectIsRebuilt(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	data := b.Document(pdftest.Page{}, pdftest.Page{})
	second, err := strconv.Atoi(string(regexp.MustCompile(`/Kids \[\d+ 0 R (\d+) 0 R`).FindSubmatch(data)[1]))
	if err != nil {
		t.Fatalf("the second page: %v", err)
	}
	copy(data[regexp.MustCompile(`\d{10} \d{5} [nf]`).FindAllIndex(data, -1)[second][0]:], "0000000001")
	file, doc := open(t, data)
	if file == nil || len(file.Pages()) != 2 || len(doc.Incidents) != 1 || doc.Incidents[0].Variant != "table" {
		t.Errorf("incidents %+v, want two pages and a rebuilt table", doc.Incidents)
	}
}

func TestRepairUsesTheLastVersionOfAnObject(t *testing.T) {
	t.Parallel()
	data := append(pdftest.Good(), "1 0 obj\n(a new first object)\nendobj\n"...)
	data = append(data, "9999999 0 obj\n(far too high a number)\nendobj\n"...)
	file, _ := open(t, bytes.ReplaceAll(data, []byte("startxref"), []byte("startxrex")))
	if got := file.Text(ref(1)); got != "a new first object" {
		t.Errorf("object 1 is %q", got)
	}
}

func TestTruncatedFileIsReadAndIncomplete(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	pages := make([]pdftest.Page, 3)
	tree := b.Reserve()
	catalog := b.Add("<< /Type /Catalog /Pages %s >>", tree)
	kids := ""
	for range pages {
		kids += b.Add("<< /Type /Page /Parent %s /MediaBox [0 0 9 9] >>", tree).String() + " "
	}
	b.Set(tree, "<< /Type /Pages /Count 3 /Kids [%s] >>", kids)
	whole := b.Bytes(catalog)
	for name, end := range map[string]string{"in an object": "4 0 obj\n<< /Type", "between objects": "4 0 obj", "in the table": "0000000000"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := whole[:bytes.Index(whole, []byte(end))]
			if name == "in an object" {
				data = whole[:len(data)+len(end)]
			}
			file, doc := open(t, data)
			if file == nil || doc.Complete {
				t.Fatalf("opened %t, complete %t", doc.Opened, doc.Complete)
			}
			if !slices.ContainsFunc(doc.Incidents, isUnreadable) {
				t.Errorf("incidents %+v", doc.Incidents)
			}
		})
	}
}

func TestEncryptedFileIsRepaired(t *testing.T) {
	t.Parallel()
	for name, direct := range map[string]bool{"encryption in an object": false, "encryption in the trailer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			b.Encrypt("", "owner", direct)
			data := b.Document(pdftest.Print("0 g 1 2 3 4 re f", ""))
			data = bytes.Replace(data, []byte("startxref\n"), []byte("startxref\n9"), 1)
			file, doc := open(t, data)
			if file == nil || !doc.Encrypted {
				t.Fatalf("opened %t, encrypted %t, %+v", doc.Opened, doc.Encrypted, doc.Incidents)
			}
			if got := file.Decode(file.Pages()[0].Contents, 1); string(got) != "0 g 1 2 3 4 re f" {
				t.Errorf("content %q", got)
			}
		})
	}
}

func TestRepairedFileMayNeedAPassword(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	b.Encrypt("secret", "owner", true)
	file, doc := open(t, b.Document(pdftest.Print("0 g", "")))
	if file != nil || len(doc.Incidents) != 1 || doc.Incidents[0].Rule != document.RulePassword {
		t.Errorf("opened %t, incidents %+v", doc.Opened, doc.Incidents)
	}
}

func TestEndlessCrossReferenceTableIsRejected(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"table bomb": document.RuleDecode, "table: hybrid bomb": document.RuleDecode, "table chain": document.RuleStructure} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, doc := open(t, pdftest.Hostile()[name]())
			if file != nil || doc.Complete || len(doc.Incidents) != 1 || doc.Incidents[0].Rule != want {
				t.Errorf("opened %t, complete %t, incidents %+v", doc.Opened, doc.Complete, doc.Incidents)
			}
		})
	}
}
