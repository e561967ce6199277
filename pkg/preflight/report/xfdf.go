// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// XFDFMediaType is the media type of XFDF, as registered with IANA.
const XFDFMediaType = "application/vnd.adobe.xfdf"

// document is the part of XFDF 3.0 that comments need.
type document struct {
	XMLName xml.Name `xml:"http://ns.adobe.com/xfdf/ xfdf"`
	Space   string   `xml:"xml:space,attr"`
	Annots  []annot  `xml:"annots>annot"`
}

// annot is a square or text element.
type annot struct {
	XMLName  xml.Name
	Page     int    `xml:"page,attr"`
	Rect     string `xml:"rect,attr"`
	Color    string `xml:"color,attr"`
	Flags    string `xml:"flags,attr"`
	Name     string `xml:"name,attr"`
	Title    string `xml:"title,attr"`
	Subject  string `xml:"subject,attr"`
	Width    string `xml:"width,attr,omitempty"`
	Icon     string `xml:"icon,attr,omitempty"`
	Contents string `xml:"contents"`
}

// XFDF writes the comments of a report. The same report gives the same bytes.
func XFDF(w io.Writer, r Report) error {
	doc := document{Space: "preserve"}
	for _, c := range Comments(r) {
		color := SeverityColor(c.Severity)
		var rect []string
		for _, v := range c.Rect {
			rect = append(rect, geom.Decimal(v, 3))
		}
		a := annot{
			XMLName: xml.Name{Local: "text"},
			Page:    c.Page - 1, Rect: strings.Join(rect, ","), Color: "#" + strings.ToUpper(hex.EncodeToString(color[:])), Flags: "nozoom,norotate",
			Name: c.Name, Title: CommentAuthor, Subject: c.Subject, Icon: "Comment", Contents: c.Contents,
		}
		if c.Located {
			a.XMLName.Local, a.Icon, a.Flags, a.Width = "square", "", "", "1.5"
		}
		doc.Annots = append(doc.Annots, a)
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	if err := xml.NewEncoder(&out).Encode(doc); err != nil {
		return fmt.Errorf("write XFDF: %w", err)
	}
	out.WriteByte('\n')
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write XFDF: %w", err)
	}
	return nil
}
