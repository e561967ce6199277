// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// imageFile opens a file whose first object is an image.
func imageFile(t *testing.T, dict string, data []byte, change func(*document.Limits)) (*document.File, *facts.Collector) {
	t.Helper()
	var b pdftest.Builder
	b.Stream("/Type /XObject /Subtype /Image "+dict, data)
	pdf := b.Document(pdftest.Print("", ""))
	limits := document.DefaultLimits()
	if change != nil {
		change(&limits)
	}
	collector := facts.NewCollector(nil)
	f, err := document.Open(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), limits, collector)
	if err != nil || f == nil {
		t.Fatalf("document.Open: %v", err)
	}
	return f, collector
}

var firstObject = *types.NewIndirectRef(1, 0)

func deflated(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatalf("w.Write: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("w.Close: %v", err)
	}
	return out.Bytes()
}

// pngData returns the data of a PNG, whose rows have predictors of every kind.
func pngData(t *testing.T, picture image.Image) (data []byte) {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatalf("png.Encode: %v", err)
	}
	for chunk := file.Bytes()[8:]; len(chunk) >= 12; {
		n := binary.BigEndian.Uint32(chunk)
		if string(chunk[4:8]) == "IDAT" {
			data = append(data, chunk[8:8+n]...)
		}
		chunk = chunk[12+n:]
	}
	return data
}

func TestRowsUndoPredictors(t *testing.T) {
	t.Parallel()
	const width, height = 61, 83
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	var samples, differences []byte
	for i := range width * height {
		x, y := i%width, i/width
		pixel := []byte{byte(3*x + y), byte(x * y / 7), byte(i * i / 50)}
		copy(picture.Pix[4*i:], append(pixel, 255))
		samples = append(samples, pixel...)
		for c, v := range pixel {
			if x > 0 {
				v -= samples[len(samples)-6+c]
			}
			differences = append(differences, v)
		}
	}
	for name, test := range map[string]struct {
		parms string
		data  []byte
	}{
		"without a predictor":     {"", deflated(t, samples)},
		"with that of TIFF":       {fmt.Sprintf("/DecodeParms << /Predictor 2 /Colors 3 /Columns %d >>", width), deflated(t, differences)},
		"with those of PNG":       {fmt.Sprintf("/DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns %d >>", width), pngData(t, picture)},
		"with filters in a list":  {"/DecodeParms [null]", deflated(t, samples)},
		"with more than it needs": {"", deflated(t, append(samples[:len(samples):len(samples)], make([]byte, 1<<20)...))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filter := "/Filter /FlateDecode "
			if name == "with filters in a list" {
				filter = "/Filter [/FlateDecode] "
			}
			f, collector := imageFile(t, filter+test.parms, test.data, nil)
			rows, ok := f.Rows(firstObject, 1, int64(len(samples)), false)
			if !ok || rows == nil {
				t.Fatalf("Rows: %v, %t", rows, ok)
			}
			got, err := io.ReadAll(rows)
			if err != nil || !bytes.Equal(got, samples) {
				t.Errorf("%d bytes, %v; want the %d samples", len(got), err, len(samples))
			}
			if err := rows.Close(); err != nil || len(collector.Document().Incidents) != 0 {
				t.Errorf("Close: %v, incidents %v", err, collector.Document().Incidents)
			}
		})
	}
}

func TestRowsUndoEachFilter(t *testing.T) {
	t.Parallel()
	samples := bytes.Repeat([]byte("samples of an image, aaaaaaaaaaaaaa "), 300)
	var coded bytes.Buffer
	text := ascii85.NewEncoder(&coded)
	if _, err := text.Write(deflated(t, samples)); err != nil {
		t.Fatalf("text.Write: %v", err)
	}
	if err := text.Close(); err != nil {
		t.Fatalf("text.Close: %v", err)
	}
	var late bytes.Buffer
	words := lzw.NewWriter(&late, lzw.MSB, 8)
	if _, err := words.Write(samples); err != nil {
		t.Fatalf("words.Write: %v", err)
	}
	if err := words.Close(); err != nil {
		t.Fatalf("words.Close: %v", err)
	}
	for name, test := range map[string]struct {
		dict       string
		data, want []byte
	}{
		"none": {"", samples, samples},
		"ASCII85Decode before FlateDecode": {
			"/Filter [/ASCII85Decode /FlateDecode] /DecodeParms [null null]", append(coded.Bytes(), "\n~>\n"...), samples,
		},
		"ASCIIHexDecode":                  {"/Filter /ASCIIHexDecode", []byte("61 62\n6 3 7>64"), []byte("abcp")},
		"RunLengthDecode":                 {"/Filter /RunLengthDecode", []byte{2, 'a', 'b', 'c', 254, 'd', 0, 'e', 128, 'f'}, []byte("abcddde")},
		"LZWDecode, example of the norm":  {"/Filter /LZWDecode", []byte{0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01}, []byte("-----A---B")},
		"LZWDecode without early changes": {"/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>", late.Bytes(), samples},
		"LZWDecode with a predictor": {
			"/Filter /LZWDecode /DecodeParms << /Predictor 2 /Columns 10 >>",
			[]byte{0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01},
			[]byte{45, 90, 135, 180, 225, 34, 79, 124, 169, 235},
		},
		// Two rows: all white, and eight white, eight black pixels (ITU-T T.6).
		"CCITTFaxDecode": {
			"/Width 16 /Height 2 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 16 >>", []byte{0x99, 0x8a, 0x00, 0x20, 0x02}, []byte{0xff, 0xff, 0xff, 0x00},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, collector := imageFile(t, test.dict, test.data, nil)
			rows, ok := f.Rows(firstObject, 1, int64(len(test.want)), false)
			if !ok || rows == nil {
				t.Fatalf("Rows: %v, %t", rows, ok)
			}
			got, err := io.ReadAll(rows)
			if err != nil || !bytes.Equal(got, test.want) {
				t.Errorf("%d bytes %.40q, %v; want %d bytes %.40q", len(got), got, err, len(test.want), test.want)
			}
			if err := rows.Close(); err != nil || len(collector.Document().Incidents) != 0 {
				t.Errorf("Close: %v, incidents %v", err, collector.Document().Incidents)
			}
		})
	}
}

func TestRowsOfDamagedDataEndAtTheDamage(t *testing.T) {
	t.Parallel()
	data := deflated(t, bytes.Repeat([]byte("samples of an image, "), 5000))
	f, collector := imageFile(t, "/Filter /FlateDecode", data[:len(data)/2], nil)
	rows, ok := f.Rows(firstObject, 1, 100_000, false)
	if !ok || rows == nil {
		t.Fatalf("Rows: %v, %t", rows, ok)
	}
	got, err := io.ReadAll(rows)
	if err == nil || len(got) == 0 || len(got) >= 100_000 {
		t.Errorf("%d bytes and no error", len(got))
	}
	if err := rows.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if incidents := collector.Document().Incidents; len(incidents) != 1 || incidents[0].Rule != document.RuleStream {
		t.Errorf("incidents %v, want one of %s", incidents, document.RuleStream)
	}
}

func TestRowsTakeTheirBytesFromTheBudget(t *testing.T) {
	t.Parallel()
	f, collector := imageFile(t, "/Filter /FlateDecode", deflated(t, make([]byte, 5000)), func(l *document.Limits) { l.ImageBytes = 8000 })
	if rows, ok := f.Rows(firstObject, 1, 5000, false); !ok || rows == nil {
		t.Errorf("the first image: %v, %t", rows, ok)
	}
	if rows, ok := f.Rows(firstObject, 1, 5000, false); ok {
		t.Errorf("beyond the budget: %v, %t", rows, ok)
	}
	if incidents := collector.Document().Incidents; len(incidents) != 1 || incidents[0].Rule != document.RuleImageBytes {
		t.Errorf("incidents %v, want one of %s", incidents, document.RuleImageBytes)
	}
	if rows, ok := f.Rows(firstObject, 1, 5000, true); !ok || rows == nil {
		t.Errorf("an image that is painted again has a budget of its own: %v, %t", rows, ok)
	}
}
