// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// The namespaces of the properties that are read.
const (
	nsRDF       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsDC        = "http://purl.org/dc/elements/1.1/"
	nsXMP       = "http://ns.adobe.com/xap/1.0/"
	nsMM        = "http://ns.adobe.com/xap/1.0/mm/"
	nsPDF       = "http://ns.adobe.com/pdf/1.3/"
	nsAdobePDFX = "http://ns.adobe.com/pdfx/1.3/"
	nsPDFX      = "http://www.npes.org/pdfx/ns/id/"
	nsPDFVT     = "http://www.npes.org/pdfvt/ns/id/"
	nsPDFA      = "http://www.aiim.org/pdfa/ns/id/"
	nsPDFUA     = "http://www.aiim.org/pdfua/ns/id/"
)

// The bounds of a packet. A thumbnail in it may take a megabyte.
const (
	maxPacket   = 4 << 20
	maxXMLDepth = 64
	maxValue    = 1024
)

// packet holds the properties of an XMP packet (ISO 16684-1) in the namespaces
// above: those of the document itself, not of its parts or history.
type packet map[xml.Name]string

// get returns the value of a property, fit for a report.
func (p packet) get(namespace, name string) string {
	return Clean(p[xml.Name{Space: namespace, Local: name}], maxText)
}

// parsePacket reads a packet up to the first damage; padding and garbage around
// packets are common. The decoder of the standard library knows only the five
// entities of XML, so nothing can expand.
func parsePacket(data []byte) packet {
	data = utf8Text(data)
	start := bytes.IndexByte(data, '<')
	if start < 0 {
		return nil
	}
	decoder := xml.NewDecoder(bytes.NewReader(data[start:]))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	r := packetReader{found: packet{}}
	for {
		token, err := decoder.Token()
		if err != nil || !r.take(token) {
			return r.found
		}
	}
}

// packetReader follows the elements of a packet.
type packetReader struct {
	found packet
	// open holds the open elements, outermost first.
	open []xml.Name
	// property is the index in open of the property that is being read, or 0: the
	// outermost element is never a property.
	property int
	value    strings.Builder
	// alternative reports whether the property has a value already: that of a language.
	alternative bool
}

// take handles a token; false ends the reading.
func (r *packetReader) take(token xml.Token) bool {
	switch t := token.(type) {
	case xml.StartElement:
		if len(r.open) >= maxXMLDepth {
			return false
		}
		r.open = append(r.open, t.Name)
		n := len(r.open)
		switch {
		case t.Name == (xml.Name{Space: nsRDF, Local: "Description"}) && r.inside(n-1, "RDF"):
			for _, attr := range t.Attr {
				r.set(attr.Name, attr.Value)
			}
		case r.property == 0 && n > 2 && r.inside(n-1, "Description") && r.inside(n-2, "RDF"):
			r.property, r.alternative = n-1, false
			r.value.Reset()
		case r.alternative && t.Name == (xml.Name{Space: nsRDF, Local: "li"}) && isDefault(t.Attr):
			delete(r.found, r.open[r.property])
			r.value.Reset()
		}
	case xml.EndElement:
		n := len(r.open) - 1
		if n < 0 {
			return true
		}
		if r.property > 0 && n >= r.property {
			// The first alternative of several languages, or the default one, ends at its rdf:li.
			if value := strings.TrimSpace(r.value.String()); value != "" {
				r.alternative = r.set(r.open[r.property], value) || r.alternative
			}
			if n == r.property {
				r.property = 0
			}
		}
		r.open = r.open[:n]
	case xml.CharData:
		if r.property > 0 && r.value.Len() < maxValue {
			r.value.Write(t[:min(len(t), maxValue)])
		}
	}
	return true
}

// inside reports whether the n-th open element is the given element of RDF.
func (r *packetReader) inside(n int, local string) bool {
	return n > 0 && r.open[n-1] == xml.Name{Space: nsRDF, Local: local}
}

// isDefault reports whether an alternative is for no language in particular (ISO 16684-1, 8.2.2.4).
func isDefault(attributes []xml.Attr) bool {
	return slices.ContainsFunc(attributes, func(a xml.Attr) bool { return a.Name.Local == "lang" && a.Value == "x-default" })
}

// set keeps the first value of a property in the namespaces above, and reports whether it did.
func (r *packetReader) set(name xml.Name, value string) bool {
	switch name.Space {
	case nsDC, nsXMP, nsMM, nsPDF, nsAdobePDFX, nsPDFX, nsPDFVT, nsPDFA, nsPDFUA:
	default:
		return false
	}
	if _, known := r.found[name]; known || len(value) > maxValue || len(r.found) >= maxValue {
		return false
	}
	r.found[name] = value
	return true
}

// utf8Text converts UTF-16, which XMP allows, to UTF-8.
func utf8Text(data []byte) []byte {
	if len(data) < 4 {
		return data
	}
	var high, low int
	switch {
	case data[0] == 0xFE && data[1] == 0xFF || data[0] == 0 && data[1] == '<':
		high, low = 0, 1
	case data[0] == 0xFF && data[1] == 0xFE || data[0] == '<' && data[1] == 0:
		high, low = 1, 0
	default:
		return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+high])<<8 | uint16(data[2*i+low])
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\uFEFF"))
}
