// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// read opens a document of one page and walks its pages.
func read(t *testing.T, b *pdftest.Builder, page pdftest.Page) *facts.Document {
	t.Helper()
	file, doc := open(t, b.Document(page))
	if file == nil {
		t.Fatalf("not opened: %+v", doc.Incidents)
	}
	file.Pages()
	return doc
}

// xmp returns an XMP packet with the given properties.
func xmp(properties string) string {
	return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/" xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/"
 xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" xmlns:pdfvtid="http://www.npes.org/pdfvt/ns/id/"
 xmlns:other="http://example.com/other/">` + properties + `</rdf:Description></rdf:RDF></x:xmpmeta>` + strings.Repeat(" ", 2000) + `<?xpacket end="w"?>`
}

func utf16BE(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		out.Write([]byte{byte(unit >> 8), byte(unit)})
	}
	return out.String()
}

// metadata holds the facts of the metadata.
type metadata struct {
	Title, Producer, Creator, Created, Modified, Trapped string
	Standards                                            []facts.Standard
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	const title = `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">From XMP</rdf:li><rdf:li xml:lang="de">Anders</rdf:li></rdf:Alt></dc:title>`
	tests := map[string]struct {
		info, xmp string
		want      metadata
	}{
		"nothing": {},
		"the information dictionary": {
			info: "/Title (T) /Producer (P) /Creator (C) /CreationDate (D:20260102030405+02'00') /ModDate (D:20260102) /Trapped /False",
			want: metadata{Title: "T", Producer: "P", Creator: "C", Created: "2026-01-02T03:04:05+02:00", Modified: "2026-01-02T00:00:00Z", Trapped: "False"},
		},
		"the packet": {
			xmp:  xmp(title + `<xmp:CreatorTool>C</xmp:CreatorTool><pdf:Producer>P</pdf:Producer><xmp:CreateDate>2026-01-02T03:04:05+02:00</xmp:CreateDate><xmp:ModifyDate>2026-01-02</xmp:ModifyDate><pdf:Trapped>True</pdf:Trapped>`),
			want: metadata{Title: "From XMP", Producer: "P", Creator: "C", Created: "2026-01-02T03:04:05+02:00", Modified: "2026-01-02T00:00:00Z", Trapped: "True"},
		},
		"the default language after another one": {
			xmp:  xmp(`<dc:title><rdf:Alt><rdf:li xml:lang="de">Anders</rdf:li><rdf:li xml:lang="x-default">From XMP</rdf:li></rdf:Alt></dc:title>`),
			want: metadata{Title: "From XMP"},
		},
		"a title without a default language": {
			xmp: xmp(`<dc:title><rdf:Alt><rdf:li xml:lang="de">Anders</rdf:li><rdf:li xml:lang="en">Other</rdf:li></rdf:Alt></dc:title>`), want: metadata{Title: "Anders"},
		},
		"the dictionary wins": {info: "/Title (T)", xmp: xmp(title), want: metadata{Title: "T"}},
		"properties as attributes": {
			xmp:  strings.Replace(xmp(""), `xmlns:other=`, `pdf:Producer="P" xmlns:other=`, 1),
			want: metadata{Producer: "P"},
		},
		"UTF-16":         {xmp: utf16BE(xmp(title)), want: metadata{Title: "From XMP"}},
		"rubbish before": {xmp: "\x00\x00rubbish" + xmp(title), want: metadata{Title: "From XMP"}},
		"cut off after":  {xmp: xmp(title + "<other:x>")[:900+len(title)], want: metadata{Title: "From XMP"}},
		"properties of other things": {
			xmp: xmp(`<other:part rdf:parseType="Resource"><pdfaid:part>1</pdfaid:part><dc:title>No</dc:title></other:part><other:list><rdf:Bag><rdf:li><dc:title>No</dc:title></rdf:li></rdf:Bag></other:list>`),
		},
		"entities do not expand": {
			xmp: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>` + xmp(`<dc:title>&b;</dc:title>`), want: metadata{Title: "&b;"},
		},
		"invalid dates":       {info: "/CreationDate (yesterday) /ModDate (D:20261399)"},
		"an invalid trapping": {info: "/Trapped (Yes)"},
		"escape characters":   {info: "/Title (a\\033[31mb)", want: metadata{Title: "a˙[31mb"}},
		"PDF/X-1a of 2001": {
			info: "/GTS_PDFXVersion (PDF/X-1:2001) /GTS_PDFXConformance (PDF/X-1a:2001)",
			want: metadata{Standards: []facts.Standard{{Family: "PDF/X", Version: "PDF/X-1a:2001", Info: true}}},
		},
		"PDF/X-3 and Adobe's copy of it": {
			info: "/GTS_PDFXVersion (PDF/X-3:2002)", xmp: xmp("<pdfx:GTS_PDFXVersion>PDF/X-3:2002</pdfx:GTS_PDFXVersion>"),
			want: metadata{Standards: []facts.Standard{{Family: "PDF/X", Version: "PDF/X-3:2002", Info: true}}},
		},
		"PDF/X-4 in both places": {
			info: "/GTS_PDFXVersion (PDF/X-4)", xmp: xmp("<pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>"),
			want: metadata{Standards: []facts.Standard{{Family: "PDF/X", Version: "PDF/X-4", Info: true, XMP: true}}},
		},
		"places that contradict each other": {
			info: "/GTS_PDFXVersion (PDF/X-3:2002)", xmp: xmp("<pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>"),
			want: metadata{Standards: []facts.Standard{{Family: "PDF/X", Version: "PDF/X-3:2002", Info: true}, {Family: "PDF/X", Version: "PDF/X-4", XMP: true}}},
		},
		"all families": {
			xmp: xmp("<pdfxid:GTS_PDFXVersion>PDF/X-4p</pdfxid:GTS_PDFXVersion><pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance><pdfuaid:part>1</pdfuaid:part><pdfvtid:GTS_PDFVTVersion>PDF/VT-1</pdfvtid:GTS_PDFVTVersion>"),
			want: metadata{Standards: []facts.Standard{
				{Family: "PDF/X", Version: "PDF/X-4p", XMP: true},
				{Family: "PDF/A", Version: "PDF/A-2b", XMP: true},
				{Family: "PDF/UA", Version: "PDF/UA-1", XMP: true},
				{Family: "PDF/VT", Version: "PDF/VT-1", XMP: true},
			}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			if tc.info != "" {
				b.Info = b.Add("<< %s >>", tc.info)
			}
			if tc.xmp != "" {
				b.Catalog = fmt.Sprintf("/Metadata %s", b.Stream("/Type /Metadata /Subtype /XML", []byte(tc.xmp)))
			}
			d := read(t, &b, pdftest.Page{})
			got := metadata{d.Title, d.Producer, d.Creator, d.Created, d.Modified, d.Trapped, d.Standards}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOutputIntents(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	cmyk := b.Flate("/N 4", pdftest.Profile{Space: "CMYK", Class: "prtr"}.Bytes())
	rgb := b.Flate("/N 4", pdftest.Profile{Space: "RGB", Class: "mntr", Version: 2}.Bytes())
	rubbish := b.Flate("/N 4", []byte("rubbish"))
	b.Catalog = fmt.Sprintf(`/OutputIntents [
		<< /S /GTS_PDFX /OutputConditionIdentifier (FOGRA51) /RegistryName (http://www.color.org) /Info (Coated) /DestOutputProfile %s >>
		<< /S /GTS_PDFA1 /DestOutputProfile %s >> << /S /GTS_PDFX /DestOutputProfile %s >> << /S /GTS_PDFX /DestOutputProfileRef << /CheckSum <00> >> >> 17 << /DestOutputProfile %s >>]`, cmyk, rgb, rubbish, cmyk)
	doc := read(t, &b, pdftest.Page{})
	var got []string
	for _, i := range doc.Intents {
		line := fmt.Sprintf("%s|%s|%s|%s|%t", i.Subtype, i.Condition, i.Registry, i.Info, i.Referenced)
		if p := i.Profile; p != nil {
			line += fmt.Sprintf("|%d %s %s %s %s", p.Components, p.Space, p.Class, p.Version, p.Fault)
		}
		got = append(got, line)
	}
	want := []string{
		"GTS_PDFX|FOGRA51|http://www.color.org|Coated|false|4 CMYK prtr 4.3 ",
		"GTS_PDFA1||||false|4 RGB mntr 2.4 channels",
		"GTS_PDFX||||false|4    header",
		"GTS_PDFX||||true",
		"||||false|4 CMYK prtr 4.3 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(doc.Profiles) != 3 || doc.Intents[0].Profile != doc.Intents[4].Profile {
		t.Errorf("%d profiles; the same object is %t", len(doc.Profiles), doc.Intents[0].Profile == doc.Intents[4].Profile)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	script := b.Add("<< /S /JavaScript /JS (x) >>")
	loop := b.Reserve()
	b.Set(loop, "<< /S /URI /Next [%s %s] >>", loop, b.Add("<< /S /Launch /Next << /S /Evil >> >>"))
	tree, kid := b.Reserve(), b.Reserve()
	b.Set(tree, "<< /Kids [%s %s] >>", kid, tree)
	b.Set(kid, "<< /Names [(a) %s (b) %s] /Kids [%s] >>", script, script, tree)
	outline := b.Reserve()
	b.Set(outline, "<< /First %s /Next %s /A << /S /Named >> >>", outline, outline)
	b.Catalog = fmt.Sprintf("/OpenAction [0 /Fit] /AA << /WC << /S /Movie >> /WP << /S /Sound >> >> /Names << /JavaScript %s >> /Outlines << /First %s >> /AcroForm << /Fields [<< /T (a) /FT /Btn /A << /S /SubmitForm >> /AA << /K << /S /ImportData >> >> >>] >>", tree, outline)
	doc := read(t, &b, pdftest.Page{Extra: "/AA << /O << /S /Hide >> >>", Annots: fmt.Sprintf("<< /Subtype /Link /A %s >> << /Subtype /Widget /AA << /E << /S /ResetForm >> >> >> 17", loop)})
	var got []string
	for _, a := range doc.Actions {
		got = append(got, fmt.Sprintf("%d %s", a.Page, a.Type))
	}
	want := []string{
		"0 SubmitForm", "0 ImportData", "0 Movie", "0 Sound", "0 JavaScript", "0 JavaScript", "0 Named",
		"1 Hide", "1 URI", "1 Launch", "1 Unknown", "1 ResetForm",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyActionsOfOneTypeDoNotHideOthers(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	doc := read(t, &b, pdftest.Page{Annots: strings.Repeat("<< /A << /S /URI >> >> ", 500) + "<< /A << /S /JavaScript >> >>"})
	if n := len(doc.Actions); n != 61 || doc.Actions[n-1].Type != "JavaScript" {
		t.Errorf("%d actions, the last %+v", n, doc.Actions[n-1])
	}
}

func TestFormsAndAttachments(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	parent, cycle := b.Reserve(), b.Reserve()
	b.Set(parent, "<< /T (p) /FT /Sig /Kids [<< /T (signed) /V << /Type /Sig >> >> << /T (unsigned) >> << /T (text) /FT /Tx /Kids [<< /Subtype /Widget >> << /Subtype /Widget >>] >>] >>")
	b.Set(cycle, "<< /T (c) /Kids [%s << /T (leaf) /FT /Tx >>] >>", cycle)
	file := b.Add("<< /Type /Filespec /F (plain.txt) /UF (unicode.txt) /EF << /F %s >> >>", b.Stream("/Type /EmbeddedFile", []byte("x")))
	b.Catalog = fmt.Sprintf("/MarkInfo << /Marked true >> /AcroForm << /XFA [] /Fields [%s %s] >> /Names << /EmbeddedFiles << /Names [(key) %s (other) << /EF << >> >>] >> >> /AF [%s << /F (reference only) >>] /PieceInfo << /Illustrator << >> /Acme << >> >>", parent, cycle, file, file)
	doc := read(t, &b, pdftest.Page{Extra: "/PieceInfo << /Acme << >> >>", Annots: "<< /Subtype /FileAttachment /FS << /F (note.txt) /EF << >> >> >>"})
	if diff := cmp.Diff(facts.Form{Fields: 4, Signatures: 1, XFA: true}, doc.Form); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
	b.Catalog = "/Perms << /DocMDP << /Type /Sig >> >>"
	if diff := cmp.Diff(facts.Form{Signatures: 1}, read(t, &b, pdftest.Page{}).Form); diff != "" {
		t.Errorf("form of a document with a signature that no field has (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"unicode.txt", "other", "note.txt"}, doc.Attachments); diff != "" {
		t.Errorf("attachments (-want +got):\n%s", diff)
	}
	var pieces []string
	for _, f := range doc.Features {
		pieces = append(pieces, fmt.Sprintf("%s %s %v", f.Kind, f.Detail, f.Uses.Pages))
	}
	if diff := cmp.Diff([]string{"private data Acme [0 1]", "private data Illustrator [0]"}, pieces); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
	if !doc.Tagged || doc.Linearized || doc.HasID {
		t.Errorf("tagged %t, linearized %t, id %t", doc.Tagged, doc.Linearized, doc.HasID)
	}
}

func TestPermissionsToPrint(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		permissions int32
		want        bool
	}{
		"everything is allowed":                 {-4, false},
		"printing is forbidden":                 {-8, true},
		"copying is forbidden":                  {-20, false},
		"quality does not matter in revision 2": {-4 &^ (1 << 11), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			b.Permissions = tc.permissions
			b.Encrypt("", "owner", false)
			if doc := read(t, &b, pdftest.Page{}); doc.PrintDenied != tc.want || !doc.HasID {
				t.Errorf("denied %t, id %t", doc.PrintDenied, doc.HasID)
			}
		})
	}
}

func TestEndlessStructuresAreCutOffAndReported(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	kids := b.Add("[%s]", strings.Repeat("null ", 2_000))
	b.Catalog = fmt.Sprintf("/Names << /JavaScript << /Kids %s >> >>", kids)
	limits := document.DefaultLimits()
	limits.Elements = 1_000
	data, collector := b.Document(pdftest.Page{}), facts.NewCollector(nil)
	if _, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), limits, collector); err != nil {
		t.Fatalf("document.Open: %v", err)
	}
	doc := collector.Document()
	if doc.Complete || len(doc.Incidents) != 1 || doc.Incidents[0].Rule != document.RuleStructure {
		t.Errorf("complete %t, incidents %+v", doc.Complete, doc.Incidents)
	}
}
