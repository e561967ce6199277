// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
)

// FuzzForm reads forms from any bytes. A form that is read is within its limits, and its document has
// a fingerprint.
func FuzzForm(f *testing.F) {
	field := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x07b.pdf\"\r\n\r\n%PDF\r\n--b--\r\n"
	f.Add([]byte(field("token", "t") + field("profile", "print_ready") + field("pages", "2") + field("width", "1e2") + field("spots", "Gold, Silver") + file))
	f.Add([]byte(file))
	f.Add([]byte(field("file", "without a name") + file))
	f.Add([]byte(field("quantity", "-") + "--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sent, err := newForm(`multipart/form-data; boundary=b`, bytes.NewReader(body))
		if err != nil {
			return
		}
		fields, err := sent.fields()
		if err != nil {
			return
		}
		gate.Fingerprint(documentOf(fields))
		if len(fields) > maxFields+1 || len(fields.Get(FieldToken)) > maxToken {
			t.Errorf("%d fields, token of %d bytes", len(fields), len(fields.Get(FieldToken)))
		}
		if _, err := io.Copy(io.Discard, sent); err == nil && sent.part.FileName() == "" {
			t.Error("the file has no name")
		}
	})
}

func FuzzReferenceOfAFile(f *testing.F) {
	for _, name := range []string{"flyer.pdf", "a\x00b\n", "\xff", strings.Repeat("ü", 200)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := referenceOf(name)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > preflightjob.MaxReference || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("reference of %q: %q", name, got)
		}
	})
}
