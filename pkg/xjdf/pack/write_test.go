// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf/pack"
)

const boundary = "b42"

// write writes a ZIP file or a form, which it returns with the header of its request.
func write(form bool, files ...pack.File) ([]byte, error) {
	var out bytes.Buffer
	if !form {
		err := pack.WriteZIP(&out, []byte(message), files)
		return out.Bytes(), err
	}
	out.WriteString("Content-Type: multipart/form-data; boundary=" + boundary + "\r\n\r\n")
	err := pack.WriteForm(&out, boundary, []byte(message), files)
	return out.Bytes(), err
}

func TestPackageThatIsWrittenCanBeRead(t *testing.T) {
	t.Parallel()
	files := []pack.File{
		pack.Bytes("job one.xjdf", "application/vnd.cip4-xjdf+xml", []byte(ticket)),
		pack.Bytes("Seiten-ä.pdf", "application/pdf", bytes.Repeat([]byte("%PDF"), 100_000)),
	}
	for form, names := range map[bool][]string{false: {"root.xjmf", "job one.xjdf", "Seiten-ä.pdf"}, true: {"job one.xjdf", "Seiten-ä.pdf"}} {
		body, err := write(form, files...)
		if err != nil {
			t.Fatalf("form %v: %v", form, err)
		}
		got, err := pack.Read(body, pack.Limits{})
		if err != nil {
			t.Fatalf("form %v: pack.Read: %v", form, err)
		}
		if diff := cmp.Diff(names, got.Files); diff != "" {
			t.Errorf("form %v: files (-want +got):\n%s", form, diff)
		}
		if m := got.Message(); m == nil || string(m.Body) != message || len(got.Documents) != 2 || string(got.Documents[1].Body) != ticket || got.Documents[1].Name != "job one.xjdf" {
			t.Errorf("form %v: message %+v, documents %+v", form, m, got.Documents)
		}
	}
	several, err := pack.Read(zipped(t, nil, file{"a.xjmf", message}, file{"b.xjmf", message}), pack.Limits{})
	if err != nil || several.Message() != nil {
		t.Errorf("a package with two messages has the message %+v, %v", several.Message(), err)
	}
}

func TestEntriesOfAZIPFileHaveAValidTime(t *testing.T) {
	t.Parallel()
	body, err := write(false, pack.Bytes("job.xjdf", "", []byte(ticket)))
	if err != nil {
		t.Fatalf("pack.WriteZIP: %v", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatalf("zip.NewReader: %v", err)
	}
	for _, entry := range archive.File {
		if got, want := entry.ModTime().Format(time.DateOnly), "1980-01-01"; got != want || entry.ModifiedDate == 0 {
			t.Errorf("%s was modified %s, MS-DOS date %d, want %s", entry.Name, got, entry.ModifiedDate, want)
		}
	}
}

// brokenReader fails after some bytes.
type brokenReader struct{ io.Reader }

var errBroken = errors.New("broken")

func (brokenReader) Close() error { return errBroken }

func TestPackageWithAnInvalidFileIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files []pack.File
		want  error
		form  bool // and not a ZIP file
	}{
		"a name that leaves":       {[]pack.File{pack.Bytes("../a.pdf", "", nil)}, pack.ErrName, false},
		"an absolute name":         {[]pack.File{pack.Bytes("/a.pdf", "", nil)}, pack.ErrName, false},
		"no name":                  {[]pack.File{pack.Bytes("", "", nil)}, pack.ErrName, false},
		"a name twice":             {[]pack.File{pack.Bytes("a.pdf", "", nil), pack.Bytes("a.pdf", "", nil)}, pack.ErrName, false},
		"a folder in a form":       {[]pack.File{pack.Bytes("a/b.pdf", "", nil)}, pack.ErrName, true},
		"a quotation mark":         {[]pack.File{pack.Bytes(`a";x="b.pdf`, "", nil)}, pack.ErrName, true},
		"a header in a media type": {[]pack.File{pack.Bytes("a.pdf", "a/b\r\nX: b", nil)}, pack.ErrName, false},
		"a header":                 {[]pack.File{pack.Bytes("a\r\nX: b", "", nil)}, pack.ErrName, true},
		"a file that is missing":   {[]pack.File{{Name: "a", Open: func() (io.ReadCloser, error) { return nil, os.ErrNotExist }}}, os.ErrNotExist, false},
		"a file that cannot close": {[]pack.File{{Name: "a", Open: func() (io.ReadCloser, error) { return brokenReader{strings.NewReader("a")}, nil }}}, errBroken, false},
	} {
		for _, form := range []bool{false, true} {
			if test.form && !form {
				continue
			}
			if _, err := write(form, test.files...); !errors.Is(err, test.want) {
				t.Errorf("%s, form %v: %v, want %v", name, form, err, test.want)
			}
		}
	}
	if _, err := write(false, pack.Bytes(pack.RootMessage, "", nil)); !errors.Is(err, pack.ErrName) {
		t.Errorf("a file with the name of the message: %v", err)
	}
}
