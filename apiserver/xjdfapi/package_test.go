// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/test/apitest"
)

const (
	zipType     = "application/vnd.cip4-xjmf+zip"
	relatedType = `multipart/related; boundary="b1"`
	namespace   = `xmlns="http://www.CIP4.org/JDFSchema_2_0"`
	leaflet     = `<XJDF ` + namespace + ` Version="2.2" JobID="J1" Types="Product"><ProductList><Product IsRoot="true" ProductType="Leaflet" Amount="100"/></ProductList></XJDF>`
)

// submission returns a message that submits a job ticket.
func submission(url string) string {
	const header = `<Header DeviceID="D" ID="M1" Time="2026-01-15T09:30:00Z"/>`
	return `<XJMF ` + namespace + ` Version="2.2"><Header DeviceID="D" ID="H1" Time="2026-01-15T09:30:00Z"/><CommandSubmitQueueEntry>` + header +
		`<QueueSubmissionParams URL="` + url + `"/></CommandSubmitQueueEntry></XJMF>`
}

// zipped returns a ZIP file of names and texts.
func zipped(tb testing.TB, entries ...string) string {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(entries); i += 2 {
		entry, err := w.Create(entries[i])
		if err == nil {
			_, err = entry.Write([]byte(entries[i+1]))
		}
		if err != nil {
			tb.Fatalf("write %q: %v", entries[i], err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatalf("Close: %v", err)
	}
	return out.String()
}

// related returns a multipart body of parts, which are headers and text.
func related(parts ...string) string {
	var out strings.Builder
	for _, part := range parts {
		out.WriteString("--b1\r\n" + strings.ReplaceAll(part, "\n", "\r\n") + "\r\n")
	}
	return out.String() + "--b1--\r\n"
}

// packed is the report of a package, or a problem with its members.
type packed struct {
	validate.Report
	Documents []struct {
		Name string `json:"name"`
		validate.Report
	} `json:"documents"`
	Errors []struct{ Pointer, Detail string } `json:"errors"`
}

func TestDocumentsOfAPackageAreValidatedEach(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	part := func(kind, id, text string) string {
		return "Content-Type: " + kind + "\nContent-ID: <" + id + ">\n\n" + text
	}
	faulty := strings.Replace(leaflet, `"100"`, `"-1"`, 1)
	for name, tc := range map[string]struct {
		mediaType, body string
		status          int
		encoding        string
		// want lists the documents with their verdicts and their codes of errors.
		want []string
		// errors lists the details of the violations.
		errors []string
	}{
		"a message with its job": {
			zipType, zipped(t, "root.xjmf", submission("jobs/j1.xjdf"), "jobs/j1.xjdf", leaflet, "art/flyer.pdf", "%PDF"), 200, "zip",
			[]string{"root.xjmf valid", "jobs/j1.xjdf valid"},
			nil,
		},
		"another media type of ZIP": {"application/zip", zipped(t, "j1.xjdf", leaflet), 200, "zip", []string{"j1.xjdf valid"}, nil},
		"a message without its job": {
			zipType, zipped(t, "root.xjmf", submission("j2.xjdf"), "j1.xjdf", leaflet), 400, "zip",
			[]string{"root.xjmf invalid PACKAGE_JOB_MISSING", "j1.xjdf valid"},
			[]string{`root.xjmf: XJMF/CommandSubmitQueueEntry/QueueSubmissionParams/@URL: The package has no file "j2.xjdf". Add the job ticket to the package, or write its name from the root of the package.`},
		},
		"parts that refer to each other": {
			relatedType, related(part("application/vnd.cip4-xjmf+xml", "m", submission("cid:j")), part("application/vnd.cip4-xjdf+xml", "j", leaflet)), 200, "multipart",
			[]string{"cid:m valid", "cid:j valid"},
			nil,
		},
		"two documents with errors, one in JSON": {
			relatedType, related(part("application/vnd.cip4-xjdf+xml", "x", faulty), part("application/vnd.cip4-xjdf+json", "j", `{"Name":"XJDF","Version":"2.2","ProductList":{"Product":[{"ProductType":"Leaflet","Amount":-1}]}}`)), 400, "multipart",
			[]string{"cid:x invalid AMOUNT_NONPOSITIVE", "cid:j invalid AMOUNT_NONPOSITIVE"},
			[]string{
				"cid:x: XJDF/ProductList/Product/@Amount: Amount is -1. Write the required amount.",
				"cid:j: #/ProductList/Product/0/Amount: Amount is -1. Write the required amount.",
			},
		},
		"a package within the package": {
			zipType, zipped(t, "j1.xjdf", leaflet, "more.xjdf", zipped(t, "j2.xjdf", leaflet)), 400, "zip",
			[]string{"j1.xjdf valid", "more.xjdf invalid DOCUMENT_UNREADABLE"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := problem.Code("")
			if tc.status != 200 {
				code = problem.CodeValidationError
			}
			var got packed
			server.Do(t, as(document(tc.body), tc.mediaType)).Want(t, tc.status, code).Into(t, &got)
			var documents []string
			errors := 0
			for _, d := range got.Documents {
				line := d.Name + " valid"
				if !d.Valid {
					line = d.Name + " invalid"
				}
				for _, f := range d.Findings {
					if f.Severity == validate.Error {
						line += " " + f.Code
					}
				}
				documents = append(documents, line)
				errors += d.Summary.Errors
			}
			if diff := cmp.Diff(tc.want, documents); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if got.Valid != (tc.status == 200) || got.Encoding != tc.encoding || got.Summary.Errors != errors || len(got.Findings) > 0 {
				t.Errorf("the totals are %+v, want %d errors", got.Report, errors)
			}
			var details []string
			for _, v := range got.Errors {
				if v.Pointer != "#" {
					t.Errorf("the violation %q is at %q, want the whole body", v.Detail, v.Pointer)
				}
				details = append(details, v.Detail)
			}
			if tc.errors != nil {
				if diff := cmp.Diff(tc.errors, details); diff != "" {
					t.Errorf("violations (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestHostilePackageIsRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var many, documents, parts []string
	for i := range 501 {
		many = append(many, fmt.Sprintf("f%d.pdf", i), "")
		parts = append(parts, "Content-Type: application/pdf\n\n%PDF")
	}
	for i := range 21 {
		documents = append(documents, fmt.Sprintf("j%d.xjdf", i), leaflet)
	}
	large := leaflet + strings.Repeat(" ", 900_000)
	for name, tc := range map[string]struct{ mediaType, body, want string }{
		"no ZIP file":                      {zipType, leaflet, "not a readable package"},
		"a ZIP file that is cut off":       {zipType, zipped(t, "j1.xjdf", leaflet)[:100], "not a readable package"},
		"an entry that leaves it":          {zipType, zipped(t, "../j1.xjdf", leaflet), "leaves the package"},
		"an absolute name":                 {zipType, zipped(t, "/etc/j1.xjdf", leaflet), "leaves the package"},
		"a name of another system":         {zipType, zipped(t, `C:\j1.xjdf`, leaflet), "leaves the package"},
		"the same name twice":              {zipType, zipped(t, "j1.xjdf", leaflet, "j1.xjdf", leaflet), "occurs twice"},
		"thousands of entries":             {zipType, zipped(t, many...), "more than 500 entries"},
		"thousands of parts":               {relatedType, related(parts...), "more than 500 entries"},
		"many documents":                   {zipType, zipped(t, documents...), "more than 20 documents"},
		"an entry that expands too much":   {zipType, zipped(t, "j1.xjdf", large), "expands more than 100 times"},
		"no document":                      {zipType, zipped(t, "flyer.pdf", "%PDF"), "no document"},
		"no boundary":                      {"multipart/related", related(leaflet), "multipart with a boundary"},
		"another boundary":                 {`multipart/related; boundary="b2"`, related(leaflet), "not a readable package"},
		"a multipart body that is cut off": {relatedType, strings.TrimSuffix(related("Content-Type: application/vnd.cip4-xjdf+xml\n\n"+leaflet), "--b1--\r\n"), "not a readable package"},
		"a file name that leaves it":       {relatedType, related("Content-Disposition: attachment; filename=\"..\\\\j1.xjdf\"\n\n" + leaflet), "leaves the package"},
		"a ZIP file as multipart/related":  {relatedType, zipped(t, "j1.xjdf", leaflet), "not a readable package"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got struct{ Detail string }
			server.Do(t, as(document(tc.body), tc.mediaType)).Want(t, 400, problem.CodeInvalidRequest).Into(t, &got)
			if !strings.Contains(got.Detail, tc.want) {
				t.Errorf("the detail is %q, want %q", got.Detail, tc.want)
			}
		})
	}
}

// FuzzPackage sends arbitrary bytes as a package. The response must conform to the contract, and the
// totals of a report must be those of its documents.
func FuzzPackage(f *testing.F) {
	server := apitest.New(f, apitest.Options{})
	f.Add([]byte(zipped(f, "root.xjmf", submission("j1.xjdf"), "j1.xjdf", leaflet)), false)
	f.Add([]byte(zipped(f, "../j1.xjdf", leaflet)), false)
	f.Add([]byte(related("Content-Type: application/vnd.cip4-xjdf+xml\nContent-ID: <j>\n\n"+leaflet)), true)
	f.Add([]byte(related("Content-Type: application/vnd.cip4-xjdf+xml\nContent-Transfer-Encoding: base64\n\nPFhKREY+")), true)
	f.Fuzz(func(t *testing.T, body []byte, multipart bool) {
		server.Advance(time.Second) // avoids the rate limit
		mediaType := zipType
		if multipart {
			mediaType = relatedType
		}
		answer := server.Do(t, as(document(string(body)), mediaType))
		if answer.Status != 200 && answer.Status != 400 {
			t.Fatalf("status %d, want 200 or 400", answer.Status)
		}
		var got packed
		answer.Into(t, &got)
		errors, valid := 0, true
		for _, d := range got.Documents {
			errors, valid = errors+d.Summary.Errors, valid && d.Valid
		}
		if got.Summary.Errors != errors || answer.Status == 200 && (!valid || len(got.Documents) == 0) {
			t.Errorf("status %d with %d errors, and documents with %d", answer.Status, got.Summary.Errors, errors)
		}
	})
}
