// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// faults returns the faults of an error, one per line.
func faults(err error) string {
	var invalid *source.InvalidError
	if !errors.As(err, &invalid) {
		return fmt.Sprint(err)
	}
	var b strings.Builder
	for _, f := range invalid.Faults {
		fmt.Fprintln(&b, f)
	}
	if invalid.More {
		b.WriteString("and more\n")
	}
	return b.String()
}

// files is the content of a directory.
type files map[string]string

func (f files) read(t *testing.T, name string) (*source.Document, error) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range f {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return source.ReadFS(t.Context(), fsys, name, source.Options{})
}

const head = `level: resources
owner: org_acme01
currency: EUR
provenance: {source: a test}
policy: {bleed: 3, gutter: 4}
`

const mediaHead = "id,name,mediaType,width,height,weight,thickness,price.amount,price.per\n"

// want compares the faults of a directory, or of its only file.
func want(t *testing.T, f files, lines ...string) {
	t.Helper()
	name := "."
	for only := range f {
		if len(f) == 1 {
			name = only
		}
	}
	_, err := f.read(t, name)
	text := strings.Join(lines, "\n")
	if text != "" {
		text += "\n"
	}
	got := ""
	if err != nil {
		got = faults(err)
	}
	if diff := cmp.Diff(text, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
