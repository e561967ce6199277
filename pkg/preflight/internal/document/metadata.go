// SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// metadata reads the information dictionary (ISO 32000-2, 14.3.3) and the XMP
// packet of the catalog. The dictionary takes precedence: viewers show it, and
// PDF/X-1a and X-3 are identified by it.
func (f *File) metadata() {
	doc := f.collector.Document()
	var info types.Dict
	if f.pdf.Info != nil {
		info = f.Dict(*f.pdf.Info)
	}
	// A packet that cannot be decoded counts as missing: metadata is no reason to
	// reject a file.
	var packet packet
	if stream, ok := f.Stream(f.Dict(rootOf(f))["Metadata"]); ok {
		if data, err := f.decodeUpTo(stream, maxPacket); err == nil {
			packet = parsePacket(data)
		}
	}
	doc.Title = cmp.Or(f.Text(info["Title"]), packet.get(nsDC, "title"))
	doc.Producer = cmp.Or(f.Text(info["Producer"]), packet.get(nsPDF, "Producer"))
	doc.Creator = cmp.Or(f.Text(info["Creator"]), packet.get(nsXMP, "CreatorTool"))
	doc.Created = cmp.Or(date(f.Text(info["CreationDate"])), isoDate(packet.get(nsXMP, "CreateDate")))
	doc.Modified = cmp.Or(date(f.Text(info["ModDate"])), isoDate(packet.get(nsXMP, "ModifyDate")))
	doc.Trapped = cmp.Or(trapped(f.Name(info["Trapped"])), trapped(packet.get(nsPDF, "Trapped")))
	// Collect the claims of conformance.
	inInfo := cmp.Or(f.Text(info["GTS_PDFXConformance"]), f.Text(info["GTS_PDFXVersion"]))
	f.claim("PDF/X", inInfo, true)
	// Adobe repeats the keys of the dictionary in a namespace; the identification of
	// ISO 15930-7 and later has a namespace of its own.
	f.claim("PDF/X", cmp.Or(packet.get(nsAdobePDFX, "GTS_PDFXConformance"), packet.get(nsAdobePDFX, "GTS_PDFXVersion")), false)
	f.claim("PDF/X", packet.get(nsPDFX, "GTS_PDFXVersion"), false)
	if part := packet.get(nsPDFA, "part"); part != "" {
		f.claim("PDF/A", "PDF/A-"+part+strings.ToLower(packet.get(nsPDFA, "conformance")), false)
	}
	if part := packet.get(nsPDFUA, "part"); part != "" {
		f.claim("PDF/UA", "PDF/UA-"+part, false)
	}
	f.claim("PDF/VT", packet.get(nsPDFVT, "GTS_PDFVTVersion"), false)
}

func trapped(value string) string {
	switch value {
	case "True", "False", "Unknown":
		return value
	}
	return ""
}

// claim records a claim of conformance. The same version in both places is one
// claim.
func (f *File) claim(family, version string, info bool) {
	version = Clean(version, 40)
	if version == "" {
		return
	}
	doc := f.collector.Document()
	for i := range doc.Standards {
		if s := &doc.Standards[i]; s.Version == version {
			s.Info, s.XMP = s.Info || info, s.XMP || !info
			return
		}
	}
	doc.Standards = append(doc.Standards, facts.Standard{Family: family, Version: version, Info: info, XMP: !info})
}
