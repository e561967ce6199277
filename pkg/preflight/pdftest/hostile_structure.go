// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// hostileStructures returns files with a malicious frame, page tree or other tree.
func hostileStructures() map[string]func() []byte {
	wrong := func(old, replacement string) func() []byte {
		return func() []byte { return bytes.Replace(Good(), []byte(old), []byte(replacement), 1) }
	}
	cut := func(tenths int) func() []byte { return func() []byte { return Good()[:len(Good())*tenths/10] } }
	return map[string]func() []byte{
		"startxref: rubbish":    wrong("startxref\n", "startxref\nx"),
		"startxref: far away":   wrong("startxref\n", "startxref\n99999999999"),
		"startxref: negative":   wrong("startxref\n", "startxref\n-"),
		"startxref: itself":     func() []byte { return append(Good(), "startxref\n1\n%%EOF\n"...) },
		"truncated: 10 percent": cut(1),
		"truncated: 30 percent": cut(3),
		"truncated: 90 percent": cut(9),
		"truncated: last byte":  func() []byte { return Good()[:len(Good())-8] },
		"table: Prev is itself": func() []byte {
			data := Good()
			table := bytes.LastIndex(data, []byte("xref\n0"))
			return bytes.Replace(data, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", table), 1)
		},
		"table: hybrid bomb":          hybridBomb,
		"table: huge numbers":         func() []byte { return oddTable("/Size 2147483647 /W [1 2 1] /Index [0 2147483647]") },
		"table: wide columns":         func() []byte { return oddTable("/Size 4 /W [2147483647 2147483647 2147483647]") },
		"table: negative columns":     func() []byte { return oddTable("/Size 4 /W [-1 -2 -3] /Index [-5 -5]") },
		"table: trailer without Size": func() []byte { return bytes.Replace(Good(), []byte("/Size "), []byte("/Sise "), 1) },
		"object stream in itself": func() []byte {
			return packedFile("/N 2 /First 9", func(_, table int) []byte {
				return []byte{0, 0, 0, 0, 2, 0, 4, 0, 2, 0, 4, 1, 0, 0, 0, 0, 2, 0, 4, 0, 1, byte(table >> 8), byte(table), 0}
			})
		},
		"object stream: huge numbers": func() []byte { return packedObjects(2147483647, 2147483647) },
		"object stream: negative":     func() []byte { return packedObjects(-1, -1) },
		"length of itself": func() []byte {
			var b Builder
			r := b.Reserve()
			b.Set(r, "<< /Length %s >>\nstream\n0 g\nendstream", r)
			return b.Document(Page{Extra: fmt.Sprintf("/Contents %s", r)})
		},
		"nested arrays":             func() []byte { return nested("[", "]", 100_000) },
		"nested dictionaries":       func() []byte { return nested("<< /A ", ">>", 100_000) },
		"nested arrays without end": func() []byte { return nested("[", "", 100_000) },
		"long name":                 func() []byte { return cataloged("/" + strings.Repeat("n", 5<<20) + " 1")() },
		"long string":               func() []byte { return cataloged("/S (" + strings.Repeat("s", 5<<20) + ")")() },
		// A content that is a chain of references to references.
		"reference chain": func() []byte {
			var b Builder
			last := b.Stream("", []byte("0 g"))
			for range 10_000 {
				last = b.Add("%s", last)
			}
			return b.Document(Page{Extra: fmt.Sprintf("/Contents %s", last)})
		},
		"page tree: many pages":      flatPages,
		"page tree: same page twice": func() []byte { return kids("%[1]s %[1]s %[1]s", 3) },
		"page tree: too deep": func() []byte {
			var b Builder
			next := b.Add("<< /Type /Page /MediaBox [0 0 9 9] >>")
			for range 100_000 {
				next = b.Add("<< /Type /Pages /Count 1 /Kids [%s] >>", next)
			}
			return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", next))
		},
		// Nodes that name the next node twice.
		"page tree: exponential": func() []byte {
			var b Builder
			next := b.Add("<< /Type /Page /MediaBox [0 0 9 9] >>")
			for range 60 {
				next = b.Add("<< /Type /Pages /Count 1 /Kids [%s %s] >>", next, next)
			}
			return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", next))
		},
		"page tree: Count negative": func() []byte { return kids("%s", -1) },
		"page tree: Kids is itself": func() []byte { return wrong("/Kids [", "/Kids [6 0 R ")() },
		"outlines: cycle": func() []byte {
			return cycle("/Outlines << /First %[1]s >>", "<< /Title (x) /First %[1]s /Next %[1]s /Prev %[1]s >>")
		},
		"names: cycle": func() []byte {
			return cycle("/Names << /JavaScript %[1]s /EmbeddedFiles %[1]s /Dests %[1]s >>", "<< /Kids [%[1]s %[1]s] >>")
		},
		"names: chain": nameChain,
		"form fields: cycle": func() []byte {
			return cycle("/AcroForm << /Fields [%[1]s %[1]s] >>", "<< /T (x) /Parent %[1]s /Kids [%[1]s %[1]s] >>")
		},
		"actions: cycle": func() []byte {
			return cycle("/OpenAction %[1]s /AA << /WC %[1]s >>", "<< /S /GoTo /Next [%[1]s %[1]s] >>")
		},
		"structure tree: cycle": func() []byte {
			return cycle("/StructTreeRoot %[1]s", "<< /Type /StructTreeRoot /K [%[1]s %[1]s] /P %[1]s >>")
		},
		"layers: order cycle": layerCycle,
		"metadata: nested":    func() []byte { return metadata(strings.Repeat("<a>", 1_000_000)) },
		"metadata: entities":  func() []byte { return metadata(laughs) },
		"metadata: bomb": func() []byte {
			var b Builder
			b.Catalog = fmt.Sprintf("/Metadata %s", b.Stream("/Type /Metadata /Subtype /XML "+bombFilters, bomb('<', 1<<30)))
			return b.Document(Print("", ""))
		},
		"random bytes": func() []byte { return append([]byte("%PDF-1.7\n"), arcfour([]byte("seed"), make([]byte, 100_000))...) },
	}
}

// laughs declares the nested entities that make naive XML readers exhaust their memory.
const laughs = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><x>&c;</x>`

// hybridBomb hides a table that unpacks to a gigabyte in a place that old readers ignore.
func hybridBomb() []byte {
	var b Builder
	bombed := b.Stream("/Type /XRef /Size 4 /W [1 2 1] "+bombFilters, bomb(0, 1<<30))
	data := b.Document(Print("", ""))
	at := bytes.Index(data, fmt.Appendf(nil, "%d 0 obj", int(bombed)))
	return bytes.Replace(data, []byte("/Root"), fmt.Appendf(nil, "/XRefStm %d /Root", at), 1)
}

// oddTable has a cross-reference stream of four rows with another dictionary.
func oddTable(dict string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.6\n%\xE2\xE3\xCF\xD3\n")
	catalog := out.Len()
	out.WriteString("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n")
	pages := out.Len()
	out.WriteString("2 0 obj\n<< /Type /Pages /Count 0 /Kids [] >>\nendobj\n")
	table := out.Len()
	rows := []byte{0, 0, 0, 0, 1, byte(catalog >> 8), byte(catalog), 0, 1, byte(pages >> 8), byte(pages), 0, 1, byte(table >> 8), byte(table), 0}
	fmt.Fprintf(&out, "3 0 obj\n<< /Type /XRef %s /Root 1 0 R /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", dict, len(rows), rows, table)
	return out.Bytes()
}

// packedFile returns a file of one object stream, object 4, with a catalog and a page tree, and
// the given rows of its table.
func packedFile(dict string, rows func(stream, table int) []byte) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.6\n%\xE2\xE3\xCF\xD3\n")
	stream := out.Len()
	const head, body = "1 0 2 34 ", "<< /Type /Catalog /Pages 2 0 R >> << /Type /Pages /Count 0 /Kids [] >>"
	fmt.Fprintf(&out, "4 0 obj\n<< /Type /ObjStm %s /Length %d >>\nstream\n%s\nendstream\nendobj\n", dict, len(head+body), head+body)
	table := out.Len()
	data := rows(stream, table)
	fmt.Fprintf(&out, "5 0 obj\n<< /Type /XRef /Size 6 /W [1 2 1] /Root 1 0 R /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", len(data), data, table)
	return out.Bytes()
}

func packedObjects(n, first int) []byte {
	return packedFile(fmt.Sprintf("/N %d /First %d", n, first), func(stream, table int) []byte {
		return []byte{0, 0, 0, 0, 2, 0, 4, 0, 2, 0, 4, 1, 0, 0, 0, 0, 1, byte(stream >> 8), byte(stream), 0, 1, byte(table >> 8), byte(table), 0}
	})
}

// nested opens a structure depth times, and closes it as often if closing is not empty.
func nested(open, closing string, depth int) []byte {
	var b Builder
	r := b.Add("%s", strings.Repeat(open, depth)+strings.Repeat(closing, depth))
	b.Catalog = fmt.Sprintf("/Deep %s", r)
	return b.Document(Print("", ""))
}

// flatPages returns a file with 50,000 pages in one node.
func flatPages() []byte {
	const n = 50_000
	var b Builder
	tree := b.Reserve()
	var kids strings.Builder
	for range n {
		fmt.Fprintf(&kids, "%s ", b.Add("<< /Type /Page /Parent %s >>", tree))
	}
	b.Set(tree, "<< /Type /Pages /MediaBox [0 0 9 9] /Count %d /Kids [%s] >>", n, kids.String())
	return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", tree))
}

// kids returns a tree of one page, which format may name more than once.
func kids(format string, count int) []byte {
	var b Builder
	tree := b.Reserve()
	page := b.page(tree, Print("", ""))
	b.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", count, fmt.Sprintf(format, page))
	return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", tree))
}

// cycle returns a document whose catalog leads to an object that refers to itself.
func cycle(catalog, object string) []byte {
	var b Builder
	r := b.Reserve()
	b.Set(r, object, r)
	b.Catalog = fmt.Sprintf(catalog, r)
	return b.Document(Print("", ""))
}

func nameChain() []byte {
	var b Builder
	next := b.Add("<< /Names [(a) << /S /JavaScript >>] >>")
	for range 100_000 {
		next = b.Add("<< /Kids [%s] >>", next)
	}
	b.Catalog = fmt.Sprintf("/Names << /JavaScript %s >>", next)
	return b.Document(Print("", ""))
}

// layerCycle returns an order and a visibility expression that contain themselves.
func layerCycle() []byte {
	var b Builder
	group, order, expression := b.Add("<< /Type /OCG /Name (x) >>"), b.Reserve(), b.Reserve()
	b.Set(order, "[%s %s]", order, order)
	b.Set(expression, "[/And %s %s]", expression, expression)
	b.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Order %s >> >>", group, order)
	member := b.Reserve()
	b.Set(member, "<< /Type /OCMD /OCGs [%s %s] /VE %s >>", group, member, expression)
	return b.Document(Print("/OC /M BDC 0 g 50 50 9 9 re f EMC", fmt.Sprintf("/Properties << /M %s >>", member)))
}

func metadata(packet string) []byte {
	var b Builder
	b.Catalog = fmt.Sprintf("/Metadata %s", b.Flate("/Type /Metadata /Subtype /XML", []byte(packet)))
	return b.Document(Print("", ""))
}
