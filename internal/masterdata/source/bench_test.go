// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/money"
)

// manyMedia returns a document with n media.
func manyMedia(t testing.TB, n int) *source.Document {
	t.Helper()
	c := authority.Content{Owner: "org_acme01", Currency: "EUR"}
	for i := range n {
		weight := money.FromInt(int64(60 + i%400))
		c.Media = append(c.Media, authority.Media{
			ID: fmt.Sprintf("media-%06d", i), Name: fmt.Sprintf("Silk %s g/m2 700 x 1000, lot %d", weight, i), ProductCode: fmt.Sprintf("SK%d", i), Manufacturer: "Veluwe Papier",
			MediaType: "Paper", Width: 700 * money.One, Height: 1000 * money.One, Weight: weight, Thickness: weight, Grain: authority.GrainY,
			Coating: "Coated", BackCoating: "Coated", Price: authority.Price{Amount: 123*money.One + money.Decimal(i), Per: authority.PerThousandSheets},
		})
	}
	s, err := authority.New(c)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return source.FromAuthority(s, source.Provenance{Source: "a test"})
}

// written returns a document as files.
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
		t.Fatalf("unexpected error: %v", err)
	}
	return made
}

// readBack reads the document from files.
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

// parsers only parse each form, with the library that the package uses.
var parsers = map[string]func([]byte) error{
	"csv": func(text []byte) error {
		r := csv.NewReader(bytes.NewReader(text))
		r.ReuseRecord = true
		for {
			if _, err := r.Read(); err != nil {
				return ignore(err, io.EOF)
			}
		}
	},
	"json": func(text []byte) error { return json.Unmarshal(text, &authority.Content{}) },
	"xlsx": func(text []byte) error {
		book, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return err
		}
		sheet, err := book.Open("xl/sheet2.xml")
		if err != nil {
			return err
		}
		for tokens := xml.NewDecoder(sheet); err == nil; {
			_, err = tokens.Token()
		}
		return errors.Join(ignore(err, io.EOF), sheet.Close())
	},
	"yaml": func(text []byte) error { return yaml.Unmarshal(text, &yaml.Node{}) },
}

func ignore(err, usual error) error {
	if errors.Is(err, usual) {
		return nil
	}
	return err
}

// BenchmarkRead reads and checks the maximum number of media, and compares this with parsing
// the same text.
func BenchmarkRead(b *testing.B) {
	d := manyMedia(b, authority.MaxMedia)
	for _, form := range forms {
		made := written(b, d, form)
		var text []byte
		for _, f := range made {
			if len(f.Data) > len(text) {
				text = f.Data
			}
		}
		b.Run(form, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readBack(b, made); err != nil {
					b.Fatal(faults(err))
				}
			}
		})
		b.Run(form+"/taken apart", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := parsers[form](text); err != nil {
					b.Fatalf("parsers: %v", err)
				}
			}
		})
	}
}
