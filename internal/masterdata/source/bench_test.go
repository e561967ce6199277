// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"testing/fstest"

	"github.com/printmarket/printmarket/internal/fixed"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// manyMedia is a document of n media.
func manyMedia(t testing.TB, n int) *source.Document {
	t.Helper()
	c := authority.Content{Owner: "org_acme01", Currency: "EUR"}
	for i := range n {
		weight := fixed.FromInt(int64(60 + i%400))
		c.Media = append(c.Media, authority.Media{
			ID: fmt.Sprintf("media-%06d", i), Name: fmt.Sprintf("Silk %s g/m2 700 x 1000, lot %d", weight, i), ProductCode: fmt.Sprintf("SK%d", i), Manufacturer: "Veluwe Papier",
			MediaType: "Paper", Width: 700 * fixed.One, Height: 1000 * fixed.One, Weight: weight, Thickness: weight, Grain: authority.GrainY,
			Coating: "Coated", BackCoating: "Coated", Price: authority.Price{Amount: 123*fixed.One + fixed.Decimal(i), Per: authority.PerThousandSheets},
		})
	}
	s, err := authority.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return source.FromAuthority(s, source.Provenance{Source: "a test"})
}

// written is a document as files.
func written(t testing.TB, d *source.Document, form string) fstest.MapFS {
	t.Helper()
	made := fstest.MapFS{}
	create := func(name string, write func(io.Writer) error) error {
		var text bytes.Buffer
		err := write(&text)
		made[name] = &fstest.MapFile{Data: text.Bytes()}
		return err
	}
	var err error
	if form == "csv" {
		err = source.WriteDirectory(d, create)
	} else {
		err = create("all."+form, func(w io.Writer) error { return source.Write(w, d, source.Format(form)) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// readBack is the document that is in files again.
func readBack(t testing.TB, made fstest.MapFS) (*source.Document, error) {
	t.Helper()
	name := "."
	if len(made) == 1 {
		for only := range made {
			if only != "snapshot.yaml" {
				name = only
			}
		}
	}
	return source.ReadFS(t.Context(), made, name, source.Options{})
}

func BenchmarkRead(b *testing.B) {
	d := manyMedia(b, authority.MaxMedia)
	for _, form := range []string{"csv", "json", "yaml"} {
		made := written(b, d, form)
		size := int64(0)
		for _, f := range made {
			size += int64(len(f.Data))
		}
		b.Run(form, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readBack(b, made); err != nil {
					b.Fatal(faults(err))
				}
			}
		})
	}
}
