// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"os"
	"strings"
	"testing"
)

const silk = "silk,Silk,Paper,700,1000,135,112,110.5,Sheet\n"

func TestUsualCSVFormsAreAccepted(t *testing.T) {
	t.Parallel()
	want, err := files{"snapshot.yaml": head, "media.csv": mediaHead + silk}.read(t, ".")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	with := func(separator string) string { return strings.ReplaceAll(mediaHead+silk, ",", separator) }
	for name, text := range map[string]string{
		"semicolons":                with(";"),
		"tabs":                      with("\t"),
		"a byte order mark":         "\uFEFF" + mediaHead + silk,
		"lines that end with CR LF": strings.ReplaceAll(mediaHead+silk, "\n", "\r\n"),
		"no end of the last line":   strings.TrimSuffix(mediaHead+silk, "\n"),
		"blank lines":               "\n" + mediaHead + "\n" + silk + "\n",
		"everything in quotes":      `"` + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(mediaHead+silk), ",", `","`), "\n", "\"\n\"") + `"`,
		"columns in another order":  "price.per,price.amount,thickness,weight,height,width,mediaType,name,id\nSheet,110.50,112,135,1000,700,Paper,Silk,silk\n",
		"a column with nothing":     "grain," + mediaHead + "," + silk,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := files{"snapshot.yaml": head, "media.csv": text}.read(t, ".")
			if err != nil {
				t.Fatalf("unexpected faults:\n%s", faults(err))
			}
			if got.ID() != want.ID() {
				t.Errorf("id %s, want %s", got.ID(), want.ID())
			}
		})
	}
}

func TestGangFormsAreReadFromCSV(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/examples/costing/printer-online.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	want, err := files{"snapshot.yaml": string(text)}.read(t, ".")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	others, _, found := strings.Cut(string(text), "gangForms:\n")
	if !found {
		t.Fatal("the example has no gang forms")
	}
	got, err := files{"snapshot.yaml": others, "gangForms.csv": `id,name,press,media,columns,rows,position.width,position.height,positions,runs,front,back,frontFilm
gang-cards,Cards on board-300,press-52,board-300,2,2,92,62,20,250;500;1000,Cyan;Magenta;Yellow;Black,Cyan;Magenta;Yellow;Black,
gang-flyers,A6 on gloss-135,press-100,gloss-135,1,1,111,154,28,1000;2500,Cyan;Magenta;Yellow;Black,Cyan;Magenta;Yellow;Black,
gang-matt-cards,"Cards on board-300, matt front",press-52,board-300,2,2,92,62,20,250;500,Cyan;Magenta;Yellow;Black,Cyan;Magenta;Yellow;Black,film-matte
`}.read(t, ".")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	if got.ID() != want.ID() {
		t.Errorf("the digest is %s, want that of the same gang forms in YAML, %s", got.ID(), want.ID())
	}
}

func TestInvalidCSVIsRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"an empty file":     {"", []string{`media.csv:1: the first line, which names the columns, is missing`}},
		"an unknown column": {strings.Replace(mediaHead, "\n", ",Weigth\n", 1), []string{`media.csv:1:72: column "Weigth" is not known here; did you mean weight?`}},
		"a column that means nothing": {
			strings.Replace(mediaHead, "\n", ",bestBeforeDate\n", 1),
			[]string{`media.csv:1:72: column "bestBeforeDate" is not known here`},
		},
		"a column twice":          {strings.Replace(mediaHead, "\n", ",id\n", 1), []string{`media.csv:1:72: column id is there twice`}},
		"a column too few":        {strings.Replace(mediaHead, ",price.per", "", 1) + silk, []string{`media.csv:1: column price.per must be there`}},
		"a quote within a cell":   {mediaHead + strings.Replace(silk, "Silk", `Si"lk`, 1), []string{`media.csv:2:8: bare " in non-quoted-field`}},
		"a quote that stays open": {mediaHead + `"` + silk, []string{`media.csv:2:47: extraneous or missing " in quoted-field`}},
		"a cell too many":         {mediaHead + "x" + strings.Replace(silk, "\n", ",\n", 1), []string{`media.csv:2:1: media xsilk: 10 cells; the first line has 9`}},
		"bytes that are no text":  {mediaHead + strings.Replace(silk, "Silk", "Si\xfflk", 1), []string{`media.csv:2:8: is not UTF-8`}},
		"a text too long":         {mediaHead + strings.Replace(silk, "Silk", strings.Repeat("x", 5000), 1), []string{`media.csv:2:6: media silk: name: 5000 bytes; at most 4096 are read`}},
		"a row too long":          {mediaHead + strings.Replace(silk, "Silk", strings.Repeat("x", 1<<18), 1), []string{`media.csv:2:1: a row of more than 131072 bytes; is a quote missing?`}},
		"a first line too long":   {strings.Repeat("x,", 1<<17), []string{`media.csv:1: a first line of more than 131072 bytes`}},
		"a comma in a number":     {mediaHead + strings.Replace(silk, "110.5", `"1,105.00"`, 1), []string{`media.csv:2:34: media silk: price.amount: "1,105.00" is no decimal number such as 12.5: digits, a point, at most 6 places`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, files{"snapshot.yaml": head, "media.csv": tc.text}, tc.want...)
		})
	}
}
