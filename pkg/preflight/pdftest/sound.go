// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Sound builds a document without faults: PDF/X-4, with an output intent, a title, dates and a
// font. A test changes the fields under test, adds objects, and writes the document with
// [Sound.Bytes].
type Sound struct {
	Builder
	// Info holds the entries of the information dictionary, in PDF syntax.
	Info map[string]string
	// XMP holds properties of the metadata packet. The packet repeats the entries of Info, and
	// has what PDF/X-4 requires, unless Bare is set.
	XMP  string
	Bare bool
	// Intents is the inside of the /OutputIntents array.
	Intents string
	// NoID leaves the file identifiers out.
	NoID bool
	// Font is embedded, and F1 of every page.
	Font Ref
}

// claimX4 identifies a file as PDF/X-4 (ISO 15930-7, 6.5).
const claimX4 = "<pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>"

// NewSound starts a document.
func NewSound() *Sound { return startSound(&Sound{}) }

// NewEncrypted starts a document that is encrypted; permissions are those of ISO
// 32000-2, table 22, 0 for all.
func NewEncrypted(userPassword string, permissions int32) *Sound {
	s := &Sound{NoID: true}
	s.Permissions = permissions
	s.Encrypt(userPassword, "owner", false)
	return startSound(s)
}

func startSound(s *Sound) *Sound {
	s.Info = map[string]string{
		"Title": "(A sound document)", "Trapped": "/False",
		"CreationDate": "(D:20260102030405Z)", "ModDate": "(D:20260102030405Z)",
	}
	s.XMP = claimX4
	s.Font = s.ProgramFont("ABCDEF+Boxes")
	s.Intents = s.Intent("GTS_PDFX", "FOGRA51", s.ProfileStream(4, Profile{Space: "CMYK"}))
	return s
}

// Good returns a page with text and an image that passes print_ready.
func Good() []byte {
	s := NewSound()
	s.Info["Title"], s.Info["Producer"] = "(A good page)", "(testpdf)"
	image := s.Image(Image{Width: 600, Height: 600})
	return s.Bytes(s.Page(Place("Im1", 200, 100, 144, 144), fmt.Sprintf("/XObject << /Im1 %s >>", image)))
}

// Intent returns an output intent; profile 0 omits the profile.
func (b *Builder) Intent(subtype, condition string, profile Ref) string {
	stream := ""
	if profile != 0 {
		stream = fmt.Sprintf(" /DestOutputProfile %s", profile)
	}
	r := b.Reserve()
	b.Set(r, "<< /Type /OutputIntent /S /%s /OutputConditionIdentifier %s /Info %s%s >>", subtype, b.Text(r, condition), b.Text(r, condition), stream)
	return r.String()
}

// ProfileStream writes an ICC profile with a number of components that may differ from the
// profile.
func (b *Builder) ProfileStream(n int, p Profile) Ref {
	return b.Flate(fmt.Sprintf("/N %d", n), p.Bytes())
}

// Bytes writes the document.
func (s *Sound) Bytes(pages ...Page) []byte {
	s.Builder.Info = s.Reserve()
	var info strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.Info)) {
		value := s.Info[key]
		if text, ok := strings.CutPrefix(value, "("); ok {
			value = s.Text(s.Builder.Info, strings.TrimSuffix(text, ")"))
		}
		fmt.Fprintf(&info, " /%s %s", key, value)
	}
	s.Set(s.Builder.Info, "<<%s >>", info.String())
	s.Catalog += fmt.Sprintf(" /Metadata %s", s.Stream("/Type /Metadata /Subtype /XML", []byte(XMP(s.XMP+s.repeated()))))
	if s.Intents != "" {
		s.Catalog += fmt.Sprintf(" /OutputIntents [%s]", s.Intents)
	}
	if !s.NoID {
		s.Trailer += fmt.Sprintf(" /ID [<%x> <%x>]", fileID, fileID)
	}
	return s.Document(pages...)
}

// repeated returns the properties of the packet that ISO 15930-7 requires, with the values of
// Info.
func (s *Sound) repeated() string {
	if s.Bare {
		return ""
	}
	const fixed = "<xmp:MetadataDate>2026-01-02T03:04:05Z</xmp:MetadataDate><xmpMM:DocumentID>uuid:5d4c8e8a-3a3b-4d6e-9f51-0c6f4e5b7a10</xmpMM:DocumentID>" +
		"<xmpMM:VersionID>1</xmpMM:VersionID><xmpMM:RenditionClass>default</xmpMM:RenditionClass>"
	out := fixed
	for _, entry := range []struct{ key, property string }{
		{"Title", "dc:title"}, {"CreationDate", "xmp:CreateDate"}, {"ModDate", "xmp:ModifyDate"}, {"Trapped", "pdf:Trapped"},
	} {
		value := strings.Trim(s.Info[entry.key], "()/")
		if moment, err := time.Parse("D:20060102150405Z", value); err == nil {
			value = moment.Format(time.RFC3339)
		}
		if value != "" {
			out += fmt.Sprintf("<%[1]s>%[2]s</%[1]s>", entry.property, value)
		}
	}
	return out
}

// Paper is content without a finding that makes a page non-blank: a grey square and a word.
const Paper = "0 0 0 0.5 k 60 100 50 50 re f\nBT /F1 16 Tf 60 60 Td (AB) Tj ET\n"

// Page returns a sound page with additional content and resources.
func (s *Sound) Page(content, resources string) Page {
	return Print(Paper+content, s.Resources(resources))
}

// Resources adds the font to the inside of a resource dictionary.
func (s *Sound) Resources(more string) string {
	return fmt.Sprintf("/Font << /F1 %s >> %s", s.Font, more)
}

// XMP returns a metadata packet with the given properties (ISO 16684-1).
func XMP(properties string) string {
	return "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" + `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/" xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/" xmlns:pdfvtid="http://www.npes.org/pdfvt/ns/id/"
 xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">` + properties + "</rdf:Description></rdf:RDF></x:xmpmeta>\n" + strings.Repeat(" ", 200) + "\n<?xpacket end=\"w\"?>"
}
