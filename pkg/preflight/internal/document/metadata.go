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
	doc.Info = facts.Metadata{
		Title: f.Text(info["Title"]), Created: date(f.Text(info["CreationDate"])), Modified: date(f.Text(info["ModDate"])), Trapped: trapped(f.Name(info["Trapped"])),
	}
	var xmp facts.Metadata
	if packet != nil {
		xmp = facts.Metadata{
			Title: packet.get(nsDC, "title"), Created: isoDate(packet.get(nsXMP, "CreateDate")), Modified: isoDate(packet.get(nsXMP, "ModifyDate")), Trapped: trapped(packet.get(nsPDF, "Trapped")),
			Recorded: isoDate(packet.get(nsXMP, "MetadataDate")), DocumentID: packet.get(nsMM, "DocumentID"), VersionID: packet.get(nsMM, "VersionID"), Rendition: packet.get(nsMM, "RenditionClass"),
		}
		doc.XMP = &xmp
	}
	doc.Title = cmp.Or(doc.Info.Title, xmp.Title)
	doc.Producer = cmp.Or(f.Text(info["Producer"]), packet.get(nsPDF, "Producer"))
	doc.Creator = cmp.Or(f.Text(info["Creator"]), packet.get(nsXMP, "CreatorTool"))
	doc.Created, doc.Modified = cmp.Or(doc.Info.Created, xmp.Created), cmp.Or(doc.Info.Modified, xmp.Modified)
	doc.Trapped = cmp.Or(doc.Info.Trapped, xmp.Trapped)
	// Collect the claims of conformance.
	inInfo := cmp.Or(f.Text(info["GTS_PDFXConformance"]), f.Text(info["GTS_PDFXVersion"]))
	f.claim(facts.Standard{Family: "PDF/X", Version: inInfo, Info: true})
	// Adobe repeats the keys of the dictionary in a namespace; the identification of
	// ISO 15930-7 and later has a namespace of its own.
	f.claim(facts.Standard{Family: "PDF/X", Version: cmp.Or(packet.get(nsAdobePDFX, "GTS_PDFXConformance"), packet.get(nsAdobePDFX, "GTS_PDFXVersion"))})
	f.claim(facts.Standard{Family: "PDF/X", Version: packet.get(nsPDFX, "GTS_PDFXVersion"), XMP: true})
	if part := packet.get(nsPDFA, "part"); part != "" {
		f.claim(facts.Standard{Family: "PDF/A", Version: "PDF/A-" + part + strings.ToLower(packet.get(nsPDFA, "conformance")), XMP: true})
	}
	if part := packet.get(nsPDFUA, "part"); part != "" {
		f.claim(facts.Standard{Family: "PDF/UA", Version: "PDF/UA-" + part, XMP: true})
	}
	f.claim(facts.Standard{Family: "PDF/VT", Version: packet.get(nsPDFVT, "GTS_PDFVTVersion"), XMP: true})
}

func trapped(value string) string {
	switch value {
	case "True", "False", "Unknown":
		return value
	}
	return ""
}

// claim records a claim of conformance. The same version in several places is one claim.
func (f *File) claim(claimed facts.Standard) {
	claimed.Version = Clean(claimed.Version, 40)
	if claimed.Version == "" {
		return
	}
	doc := f.collector.Document()
	for i := range doc.Standards {
		if s := &doc.Standards[i]; s.Version == claimed.Version {
			s.Info, s.XMP = s.Info || claimed.Info, s.XMP || claimed.XMP
			return
		}
	}
	doc.Standards = append(doc.Standards, claimed)
}
