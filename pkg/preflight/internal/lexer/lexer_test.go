// SPDX-License-Identifier: Apache-2.0

package lexer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

func Example() {
	l := lexer.Of([]byte("1 0 0 1 72 72 cm /F1 12 Tf [(A) -20 (B)] TJ"))
	for o := l.Next(); o.Kind != lexer.EOF; o = l.Next() {
		fmt.Print(render(o), " ")
	}
	// Output: 1 0 0 1 72 72 cm! /F1 12 Tf! [(A) -20 (B)] TJ!
}

// render formats an object for comparison.
func render(o lexer.Object) string {
	switch o.Kind {
	case lexer.Number:
		return fmt.Sprint(o.Value)
	case lexer.Name:
		return "/" + string(o.Text)
	case lexer.String:
		return "(" + string(o.Text) + ")"
	case lexer.Keyword:
		return string(o.Text) + "!"
	case lexer.Bool:
		return fmt.Sprint(o.Value == 1)
	case lexer.Null:
		return "null"
	case lexer.Array:
		return "[" + strings.Join(renderAll(o.Items), " ") + "]"
	case lexer.Dict:
		return "<<" + strings.Join(renderAll(o.Items), " ") + ">>"
	}
	return "EOF"
}

func renderAll(objects []lexer.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, render(o))
	}
	return out
}

func all(l *lexer.Lexer) string {
	var out []lexer.Object
	for o := l.Next(); o.Kind != lexer.EOF; o = l.Next() {
		out = append(out, o)
	}
	return strings.Join(renderAll(out), " ")
}

func TestNext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"numbers have signs and points":      {"+1 -2 .5 -.25 4.", "1 -2 0.5 -0.25 4"},
		"a double sign counts once":          {"--3", "-3"},
		"a sign in the middle ends a number": {"12-34", "12"},
		"a lone point is zero":               {". -", "0 -0"},
		"a huge number stays finite":         {strings.Repeat("9", 400), "0"},
		"an exponent makes a keyword":        {"1e5", "1e5!"},
		"names resolve number signs":         {"/A#42#2fC /#zz", "/AB/C /#zz"},
		"an empty name is a name":            {"/ /x", "/ /x"},
		"strings nest":                       {"(a(b)c)", "(a(b)c)"},
		"an escaped bracket does not end it": {`(a\)b)`, `(a\)b)`},
		"a string that never ends, ends":     {"(abc", "(abc)"},
		"a backslash may be the last byte":   {`(abc\`, `(abc\)`},
		"hex strings keep their digits":      {"<48 65>", "(48 65)"},
		"dictionaries are read whole":        {"<</MCID 3 /A [1 2]>> BDC", "<</MCID 3 /A [1 2]>> BDC!"},
		"comments are skipped":               {"1 % two\n3", "1 3"},
		"stray brackets are dropped":         {"] ) > } 1 {", "1"},
		"an array that never ends, ends":     {"[1 2", "[1 2]"},
		"booleans and null":                  {"true false null", "true false null"},
		"operators with quotes and stars":    {"f* ' \"", "f*! '! \"!"},
		"tokens need no space between them":  {"q/F1 9 Tf(x)Tj[1]TJ", "q! /F1 9 Tf! (x) Tj! [1] TJ!"},
		"nothing is nothing":                 {" \n\t%c", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, all(lexer.Of([]byte(tc.in)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndOfChunkEndsATokenButNotAnArray(t *testing.T) {
	t.Parallel()
	chunks := []string{"1", "2 [3", "", "4] (open", "5 cm"}
	l := lexer.New(func() ([]byte, bool) {
		if len(chunks) == 0 {
			return nil, false
		}
		next := chunks[0]
		chunks = chunks[1:]
		return []byte(next), true
	})
	if got, want := all(l), "1 2 [3 4] (open) 5 cm!"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInlineData(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in     string
		length int
		want   string
	}{
		"a known length skips what looks like an end": {"\n EI q EI\nQ", 5, "Q!"},
		"a wrong length is not believed":              {"\nabcdef\nEI Q", 2, "Q!"},
		"an end inside a word is ignored":             {"\nabEIcd\nEI Q", -1, "Q!"},
		"an end before binary data is ignored":        {"\nab EI \x80\x81\x00\nEI Q", -1, "Q!"},
		"data without an end takes everything":        {"\nabcdef", -1, ""},
		"a length beyond the data is not believed":    {"\nab\nEI Q", 1 << 30, "Q!"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lexer.Of([]byte("ID" + tc.in))
			l.Next()
			l.InlineData(tc.length)
			if got := all(l); got != tc.want {
				t.Errorf("after the image: %q, want %q", got, tc.want)
			}
		})
	}
}

func TestStringsAreDecoded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain text is itself":                       {"(abc)", "abc"},
		"escapes by letter":                          {`(\n\r\t\b\f\(\)\\)`, "\n\r\t\b\f()\\"},
		"octal digits, at most three":                {`(\101\60\7\1234)`, "A0\aS4"},
		"a high octal number loses its top":          {`(\501)`, "A"},
		"other escapes are the letter":               {`(\q)`, "q"},
		"a line that is continued":                   {"(a\\\r\nb\\\nc)", "abc"},
		"the ends of lines are one":                  {"(a\r\nb\rc)", "a\nb\nc"},
		"a backslash at the end is nothing":          {`(a\`, "a"},
		"hexadecimal digits, with spaces":            {"<48 6 5>", "He"},
		"an odd digit has a zero behind it":          {"<485>", "HP"},
		"a character that is not a digit is skipped": {"<4x8>", "H"},
		"a backslash in hexadecimal is no escape":    {"<\\>", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := lexer.Of([]byte(tc.in)).Next()
			if got := string(lexer.AppendText(nil, &o)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestItemsAreReusedOnlyAfterRelease(t *testing.T) {
	t.Parallel()
	l := lexer.Of([]byte("[1 [2]] [3] [4 4 4]"))
	first, second := l.Next(), l.Next()
	if got := render(first) + render(second); got != "[1 [2]][3]" {
		t.Errorf("got %s", got)
	}
	l.Release()
	if got := render(l.Next()); got != "[4 4 4]" {
		t.Errorf("got %s", got)
	}
}

func TestDeepNestingIsFlattened(t *testing.T) {
	t.Parallel()
	got := lexer.Of([]byte(strings.Repeat("[", 1_000_000))).Next()
	depth := 0
	for got.Kind == lexer.Array && len(got.Items) > 0 {
		got = got.Items[0]
		depth++
	}
	if depth > 16 {
		t.Errorf("depth %d", depth)
	}
}

// FuzzLexer checks that the lexer ends and returns finite numbers for arbitrary bytes.
func FuzzLexer(f *testing.F) {
	for _, seed := range []string{"q 1 0 0 1 0 0 cm Q", "BI /W 1 /H 1 ID x EI", "[<</A(b)>>]TJ", "(((", "<<<<", "/#", "%"} {
		f.Add([]byte(seed), len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(cut, 0), len(data))
		parts := [][]byte{data[:cut], data[cut:]}
		l := lexer.New(func() ([]byte, bool) {
			if len(parts) == 0 {
				return nil, false
			}
			next := parts[0]
			parts = parts[1:]
			return next, true
		})
		steps := 0
		for o := l.Next(); o.Kind != lexer.EOF; o = l.Next() {
			check(t, o)
			if string(o.Text) == "ID" {
				l.InlineData(cut)
			}
			if steps++; steps > len(data)+1 {
				t.Fatalf("%d objects in %d bytes", steps, len(data))
			}
		}
	})
}

func check(t *testing.T, o lexer.Object) {
	if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
		t.Fatalf("an invalid number was parsed: %v", o.Value)
	}
	if text := lexer.AppendText(nil, &o); len(text) > len(o.Text) {
		t.Fatalf("a text of %d bytes out of %d", len(text), len(o.Text))
	}
	for _, item := range o.Items {
		check(t, item)
	}
}

func BenchmarkLexer(b *testing.B) {
	page := []byte(strings.Repeat("q 1 0 0 1 72.5 -72 cm 0.1 0.2 0.3 0.4 k 10 10 100 100 re f BT /F1 12 Tf [(Hello) -20 (World)] TJ ET Q\n", 1000))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		l := lexer.Of(page)
		for o := l.Next(); o.Kind != lexer.EOF; o = l.Next() {
			if o.Kind == lexer.Keyword {
				l.Release()
			}
		}
	}
}
