// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
)

// Hostile returns files that break readers, by name. Each file is small; its unpacked content may
// be huge.
func Hostile() map[string]func() []byte {
	out := map[string]func() []byte{
		"empty":           func() []byte { return []byte{} },
		"not a PDF":       func() []byte { return []byte("GIF89a this is no PDF at all") },
		"only a header":   func() []byte { return []byte("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n") },
		"unknown version": func() []byte { return bytes.Replace(Good(), []byte("%PDF-1.6"), []byte("%PDF-9.9"), 1) },
		"truncated":       func() []byte { return Good()[:len(Good())/2] },
		"password":        password,
		"direct encrypt": func() []byte {
			var b Builder
			b.Encrypt("", "owner", true)
			return b.Document(Print("1 0 0 rg 40 40 10 10 re f", ""))
		},
		"form in itself": formInItself,
		// Draws each form ten times by the next: 10^10 drawings in total.
		"billion laughs": func() []byte {
			var b Builder
			inner := b.Form(Box{0, 0, 600, 800}, "", "1 0 0 rg 50 50 10 10 re f", "")
			for range 10 {
				inner = b.Form(Box{0, 0, 600, 800}, "", strings.Repeat("/Fm Do ", 10), fmt.Sprintf("/XObject << /Fm %s >>", inner))
			}
			return b.Document(Print("/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", inner)))
		},
		"page tree cycle": func() []byte {
			var b Builder
			root, middle := b.Reserve(), b.Reserve()
			page := b.page(middle, Print("", ""))
			b.Set(root, "<< /Type /Pages /Count 1 /Kids [%s] >>", middle)
			b.Set(middle, "<< /Type /Pages /Parent %s /Count 1 /Kids [%s %s] >>", root, page, root)
			return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", root))
		},
		"count lies": func() []byte {
			var b Builder
			root := b.Reserve()
			page := b.page(root, Print("", ""))
			b.Set(root, "<< /Type /Pages /Count 2147483647 /Kids [%s] >>", page)
			return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", root))
		},
		"no pages": func() []byte { return Pages() },
		"contents array bomb": func() []byte {
			var b Builder
			stream := b.Stream(bombFilters, bomb(' ', 48<<20))
			return b.Document(Page{Extra: fmt.Sprintf("/Contents [%s]", strings.Repeat(stream.String()+" ", 1000))})
		},
		"decode bomb":       func() []byte { return decodeBomb(1 << 30) },
		"table bomb":        func() []byte { return tableBomb(300 << 20) },
		"table chain":       func() []byte { return tableChain(5000) },
		"endless operators": func() []byte { return repeatedOperators(1000) },
		"endless text":      func() []byte { return repeatedText(2000) },
		"deep save":         func() []byte { return Pages(Print(strings.Repeat("q ", 10_000), "")) },
		"deep arrays":       func() []byte { return Pages(Print(strings.Repeat("[", 100_000)+" TJ", "")) },
		"damaged stream": func() []byte {
			var b Builder
			stream := b.Stream("/Filter /FlateDecode", []byte("this was never compressed"))
			return b.Document(Page{Extra: fmt.Sprintf("/Contents %s", stream)})
		},
	}
	for _, kind := range []string{"separation", "indexed", "pattern"} {
		out["self reference: "+kind] = func() []byte { return selfReference(kind) }
	}
	maps.Copy(out, hostileStructures())
	maps.Copy(out, hostileResources())
	maps.Copy(out, hostileRendering())
	return out
}

func password() []byte {
	var b Builder
	b.Encrypt("secret", "owner", false)
	return b.Document(Print("0 g 0 0 10 10 re f", ""))
}

func formInItself() []byte {
	s := NewSound()
	form := s.Reserve()
	resources := fmt.Sprintf("/XObject << /Fm %s >>", form)
	s.SetForm(form, Box{0, 0, 600, 800}, "", "q /Fm Do /Fm Do Q", resources)
	return s.Bytes(Print("/Fm Do", resources))
}

// bomb compresses size equal bytes to a few hundred: runs of 128, and the runs compressed.
// [bombFilters] is the matching filter entry.
func bomb(c byte, size int) []byte {
	return Deflate(bytes.Repeat([]byte{129, c}, size/128))
}

const bombFilters = "/Filter [/FlateDecode /RunLengthDecode]"

// decodeBomb returns a page with one content stream of size unpacked bytes.
func decodeBomb(size int) []byte {
	s := NewSound()
	stream := s.Stream(bombFilters, bomb(' ', size))
	p := Print("", "")
	p.Extra = fmt.Sprintf("/Contents %s", stream)
	return s.Bytes(p)
}

// repeatedOperators returns a form of 200 000 operators that is drawn the given number of times.
func repeatedOperators(times int) []byte {
	s := NewSound()
	form := s.Form(Box{0, 0, 600, 800}, "", strings.Repeat("q Q ", 100_000), "")
	return s.Bytes(Print(strings.Repeat("/Fm Do ", times), fmt.Sprintf("/XObject << /Fm %s >>", form)))
}

// repeatedText has few operators, whose operands are read repeatedly.
func repeatedText(times int) []byte {
	s := NewSound()
	form := s.Form(Box{0, 0, 600, 800}, "", "("+strings.Repeat("x", 1<<20-100)+") Tj", "")
	return s.Bytes(Print(strings.Repeat("/Fm Do ", times), fmt.Sprintf("/XObject << /Fm %s >>", form)))
}

// selfReference writes a resource that contains itself. The parser's validator overflows its stack
// on each of these files.
func selfReference(kind string) []byte {
	var b Builder
	self := b.Reserve()
	resources := fmt.Sprintf("/ColorSpace << /C %s >>", self)
	content := "/C cs 1 scn 50 50 100 100 re f"
	switch kind {
	case "separation":
		function := b.Add("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [1] >>")
		b.Set(self, "[/Separation /Spot %s %s]", self, function)
	case "indexed":
		b.Set(self, "[/Indexed %s 1 <0011>]", self)
	case "pattern":
		resources = fmt.Sprintf("/Pattern << /P %s >>", self)
		content = "/Pattern cs /P scn 50 50 100 100 re f"
		b.SetStream(self, fmt.Sprintf("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Resources << %s >>", resources), []byte(content))
	}
	return b.Document(Print(content, resources))
}
