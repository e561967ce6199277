// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const (
	ticket  = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" Types="Folding"/>`
	message = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><Header DeviceID="D" Time="2026-01-15T09:30:00Z"/></XJMF>`
)

// file is an entry of a ZIP file.
type file struct{ name, text string }

func zipped(tb testing.TB, change func(*zip.FileHeader), files ...file) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if change != nil {
			change(header)
		}
		entry, err := w.CreateHeader(header)
		if err != nil {
			tb.Fatalf("CreateHeader: %v", err)
		}
		if strings.HasSuffix(f.name, "/") {
			continue
		}
		if _, err := entry.Write([]byte(f.text)); err != nil {
			tb.Fatalf("Write: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatalf("Close: %v", err)
	}
	return out.Bytes()
}

// multipart returns a MIME body of parts, which are headers and text.
func multipart(parts ...string) []byte {
	var out strings.Builder
	out.WriteString("MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b1\"\r\n\r\n")
	for _, part := range parts {
		out.WriteString("--b1\r\n" + strings.ReplaceAll(part, "\n", "\r\n") + "\r\n")
	}
	out.WriteString("--b1--\r\n")
	return []byte(out.String())
}

const xjdfType = "Content-Type: application/vnd.cip4-xjdf+xml\n"

func TestPackageIsReadWithItsDocumentsAndFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body  []byte
		names string
		files []string
	}{
		"a ZIP file": {
			zipped(t, nil, file{"root.xjmf", message}, file{"jobs/", ""}, file{"jobs/a.xjdf", ticket}, file{"b.xjdf.json", `{"Name": "XJDF"}`}, file{"pages/a b.pdf", "%PDF"}, file{"notes.xml", "<a/>"}),
			"root.xjmf jobs/a.xjdf b.xjdf.json",
			[]string{"root.xjmf", "jobs/a.xjdf", "b.xjdf.json", "pages/a b.pdf", "notes.xml"},
		},
		"a MIME body": {
			multipart(xjdfType+"Content-ID: <a@b>\n\n"+ticket, "Content-Type: application/pdf\nContent-ID: <c@d>\n\n%PDF",
				xjdfType+"Content-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString([]byte(ticket)),
				"Content-Disposition: form-data; name=\"xjmf\"; filename=\"c.xjmf\"\n\n"+message),
			"cid:a@b part 3 c.xjmf",
			[]string{"cid:a@b", "cid:c@d"},
		},
	} {
		got, err := pack.Read(test.body, pack.Limits{})
		if err != nil || !pack.Is(test.body) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, d := range got.Documents {
			if names = append(names, d.Name); d.Document == nil || d.Fault != nil || len(d.Body) == 0 {
				t.Errorf("%s: %s: %v", name, d.Name, d.Fault)
			}
		}
		if diff := cmp.Diff(test.names, strings.Join(names, " ")); diff != "" {
			t.Errorf("%s: documents (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.files, got.Files); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", name, diff)
		}
	}
}

func TestHostilePackageIsRejected(t *testing.T) {
	t.Parallel()
	good := file{"a.xjdf", ticket}
	var many []file
	for i := range 20 {
		many = append(many, file{fmt.Sprintf("%d.pdf", i), ""})
	}
	bomb := file{"bomb.xjdf", "<a>" + strings.Repeat(" ", 900_000) + "</a>"}
	limits := pack.Limits{Bytes: 1 << 20, Entries: 10, Documents: 3, Expanded: 1 << 21, Ratio: 50}
	encrypt := func(h *zip.FileHeader) { h.Flags |= 1 }
	for name, test := range map[string]struct {
		body []byte
		want error
	}{
		"neither ZIP nor MIME":             {[]byte(ticket), pack.ErrFormat},
		"nothing":                          {nil, pack.ErrFormat},
		"a ZIP file that is cut off":       {zipped(t, nil, good)[:60], pack.ErrFormat},
		"a ZIP file without documents":     {zipped(t, nil, file{"a.pdf", "%PDF"}), pack.ErrEmpty},
		"an empty ZIP file":                {zipped(t, nil), pack.ErrEmpty},
		"more bytes than allowed":          {bytes.Repeat([]byte("PK\x03\x04"), 1<<19), pack.ErrLimit},
		"more entries than allowed":        {zipped(t, nil, many...), pack.ErrLimit},
		"more documents than allowed":      {zipped(t, nil, good, file{"b.xjdf", ticket}, file{"c.xjdf", ticket}, file{"d.xjdf", ticket}), pack.ErrLimit},
		"an entry that expands 900 times":  {zipped(t, nil, bomb), pack.ErrLimit},
		"an entry that is too long":        {zipped(t, func(h *zip.FileHeader) { h.Method = zip.Store }, file{"a.xjdf", strings.Repeat(" ", 2<<20)}), pack.ErrLimit},
		"a name that leaves the package":   {zipped(t, nil, good, file{"../../etc/cron.d/a", "x"}), pack.ErrName},
		"a name in the middle that leaves": {zipped(t, nil, file{"a/../../b.xjdf", ticket}), pack.ErrName},
		"an absolute name":                 {zipped(t, nil, file{"/etc/a.xjdf", ticket}), pack.ErrName},
		"a name of Windows":                {zipped(t, nil, file{`..\a.xjdf`, ticket}), pack.ErrName},
		"a drive of Windows":               {zipped(t, nil, file{`C:a.xjdf`, ticket}), pack.ErrName},
		"a name that is not UTF-8":         {zipped(t, nil, file{"\xff.xjdf", ticket}), pack.ErrName},
		"a directory that leaves":          {zipped(t, nil, good, file{"../x/", ""}), pack.ErrName},
		"a name of 1001 bytes":             {zipped(t, nil, file{strings.Repeat("a", 996) + ".xjdf", ticket}), pack.ErrName},
		"a Content-ID of 1001 bytes":       {multipart(xjdfType + "Content-ID: <" + strings.Repeat("a", 997) + ">\n\n" + ticket), pack.ErrName},
		"a name twice":                     {zipped(t, nil, good, good), pack.ErrName},
		"an encrypted entry":               {zipped(t, encrypt, good), pack.ErrEncrypted},
		"MIME without a boundary":          {[]byte("Content-Type: multipart/related\r\n\r\n"), pack.ErrFormat},
		"MIME that is cut off":             {multipart(xjdfType + "\n" + ticket)[:120], pack.ErrFormat},
		"MIME without its last boundary":   {bytes.TrimSuffix(multipart(xjdfType+"\n"+ticket, xjdfType+"\n"+ticket), []byte("--b1--\r\n")), pack.ErrFormat},
		"MIME with another boundary":       {[]byte("Content-Type: multipart/related; boundary=b2\r\n\r\n--b1\r\n\r\n--b1--\r\n"), pack.ErrFormat},
		"MIME without documents":           {multipart("Content-Type: text/plain\n\nx"), pack.ErrEmpty},
		"a Content-ID twice":               {multipart(xjdfType+"Content-ID: <a>\n\n"+ticket, "Content-ID: <a>\n\nx"), pack.ErrName},
		"invalid base64":                   {multipart(xjdfType + "Content-Transfer-Encoding: base64\n\n!!!"), pack.ErrFormat},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "MIME that is cut off" {
				test.body = append(test.body, "\r\nxxx"...)
			}
			if got, err := pack.Read(test.body, limits); !errors.Is(err, test.want) {
				t.Errorf("%+v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestUnreadableDocumentDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	got, err := pack.Read(zipped(t, nil, file{"a.xjdf", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, file{"b.xjdf", ticket}), pack.Limits{})
	if err != nil || len(got.Documents) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if d := got.Documents[0]; d.Fault == nil || d.Fault.Reason != xjdf.ReasonDoctype || d.Document != nil {
		t.Errorf("fault %v", d.Fault)
	}
	if got.Documents[1].Document == nil {
		t.Error("the second document was not read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(zipped(f, nil, file{"root.xjmf", message}, file{"a/b.xjdf", ticket}, file{"c.pdf", "%PDF"}))
	f.Add(zipped(f, func(h *zip.FileHeader) { h.Method = zip.Store }, file{"a.xjdf", ticket}))
	f.Add(multipart(xjdfType+"Content-ID: <a@b>\n\n"+ticket, "Content-Type: application/pdf\n\n%PDF"))
	limits := pack.Limits{Bytes: 1 << 16, Entries: 20, Documents: 5, Expanded: 1 << 16, Document: xjdf.Limits{Bytes: 1 << 14, Nodes: 500}}
	reasons := []error{pack.ErrFormat, pack.ErrLimit, pack.ErrName, pack.ErrEncrypted, pack.ErrEmpty}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := pack.Read(body, limits)
		if err != nil {
			for _, reason := range reasons {
				if errors.Is(err, reason) {
					return
				}
			}
			t.Fatalf("Read: %v", err)
		}
		total := 0
		for _, d := range got.Documents {
			if total += len(d.Body); (d.Document == nil) == (d.Fault == nil) {
				t.Fatalf("%s: document %v, fault %v", d.Name, d.Document, d.Fault)
			}
		}
		if total > limits.Expanded || len(got.Files) > limits.Entries || len(got.Documents) > limits.Documents {
			t.Fatalf("%d bytes, %d files, %d documents", total, len(got.Files), len(got.Documents))
		}
		for _, name := range got.Files {
			if !strings.HasPrefix(name, "cid:") && (strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../")) {
				t.Fatalf("the name %q leaves the package", name)
			}
		}
	})
}

// ExampleRead validates the documents of a package, whose files they may refer to.
func ExampleRead() {
	var body bytes.Buffer
	w := zip.NewWriter(&body)
	entry, err := w.Create("job.xjdf")
	if err != nil {
		log.Fatalf("Create: %v", err)
	}
	_, _ = entry.Write([]byte(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" Types="LayoutElementProduction">
	  <ResourceSet Name="RunList" Usage="Input"><Resource><RunList NPage="2"><FileSpec URL="pages.pdf"/></RunList></Resource></ResourceSet></XJDF>`))
	if err := w.Close(); err != nil {
		log.Fatalf("Close: %v", err)
	}
	found, err := pack.Read(body.Bytes(), pack.DefaultLimits)
	if err != nil {
		log.Fatalf("pack.Read: %v", err)
	}
	for _, d := range found.Documents {
		report := validate.New().Validate(d.Document, validate.Options{Files: found.Files})
		fmt.Println(d.Name, report.Valid, report.Findings[0].Code, report.Findings[0].Message)
	}
	// Output:
	// job.xjdf true PACKAGE_FILE_MISSING The package has no file "pages.pdf".
}
