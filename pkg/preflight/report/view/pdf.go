// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Measures of a page of the PDF in millimetres.
const (
	sheetWidth  = 210.0
	sheetHeight = 297.0
	margin      = 15.0
	textWidth   = sheetWidth - 2*margin
	textEnd     = sheetHeight - margin - 8
)

// The fonts of the PDF: those of Go, which have Latin, Greek and Cyrillic letters. Characters of other
// scripts are added if the report has them.
const (
	fontFamily = "Go"
	fontBold   = "B"
)

// ink is a colour of text, lines and areas.
type ink [3]int

var (
	inkText  = ink{0x1b, 0x1f, 0x24}
	inkSoft  = ink{0x57, 0x62, 0x6c}
	inkRule  = ink{0xdf, 0xe3, 0xe8}
	inkPaper = ink{0xff, 0xff, 0xff}
	inkPass  = ink{0x17, 0x70, 0x3a}
	inkLink  = ink{0x1f, 0x5f, 0xa8}
	inks     = map[string]ink{
		"pass": inkPass, "warn": {0x8a, 0x5a, 0}, "fail": {0xb3, 0x26, 0x1e},
		"error": {0xb3, 0x26, 0x1e}, "warning": {0x8a, 0x5a, 0}, "info": inkLink,
		"crop": {0x8a, 0x93, 0x9c}, "bleed": {0xc2, 0x18, 0x5b}, "art": {0x55, 0x8b, 0x2f}, "trim": {0x02, 0x77, 0xbd}, "safe": {0x2e, 0x7d, 0x32},
		"heat h200": {0xff, 0xed, 0xa0}, "heat h240": {0xfe, 0xb2, 0x4c}, "heat h280": {0xfc, 0x6d, 0x33}, "heat h320": {0xd7, 0x19, 0x1c}, "heat h360": {0x6b, 0, 0x18},
		"image good": {0xc8, 0xdf, 0xc9}, "image fair": {0xf8, 0xdf, 0xb3}, "image bad": {0xf3, 0xc3, 0xc3}, "text": {0xdd, 0xe0, 0xe4},
	}
) // constant

// tint returns a colour in a tenth of its strength.
func (c ink) tint() ink {
	for i := range c {
		c[i] = 255 - (255-c[i])/10
	}
	return c
}

// PDF writes the report as a PDF in A4. It draws the first page of the file, and those with findings or
// much ink. The same report and options give the same bytes. If PDF fails
// to make the document, it writes nothing.
func PDF(w io.Writer, r report.Report, options Options) error {
	v, err := newView(r, options, false)
	if err != nil {
		return fmt.Errorf("write PDF report: %w", err)
	}
	out, absent, err := document(&v, goregular.TTF, gobold.TTF)
	if err != nil {
		return fmt.Errorf("write PDF report: %w", err)
	}
	if len(absent) > 0 {
		regular, bold, err := withCharacters(absent)
		if err == nil && regular != nil {
			out, _, err = document(&v, regular, bold)
		}
		if err != nil {
			return fmt.Errorf("write PDF report: %w", err)
		}
	}
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write PDF report: %w", err)
	}
	return nil
}

// document returns the report as a PDF, and the characters that the fonts lack, in ascending order.
func document(v *view, regular, bold []byte) (pdf []byte, absent []rune, err error) {
	font, err := sfnt.Parse(regular)
	if err != nil {
		return nil, nil, fmt.Errorf("read a font: %w", err)
	}
	p := newPrinter(v, font, regular, bold)
	var out bytes.Buffer
	if err := p.print(&out); err != nil {
		return nil, nil, err
	}
	return out.Bytes(), slices.Sorted(maps.Keys(p.absent)), nil
}

// printer sets a report on pages, from the top to the bottom.
type printer struct {
	*fpdf.Fpdf
	v *view
	// font has the characters that the PDF can show, and absent those that it was asked for besides.
	font   *sfnt.Font
	buffer sfnt.Buffer
	absent map[rune]bool
	// pages and findings are the places that links lead to.
	pages, findings map[int]int
}

func newPrinter(v *view, font *sfnt.Font, regular, bold []byte) *printer {
	p := &printer{Fpdf: fpdf.New("P", "mm", "A4", ""), v: v, font: font, absent: map[rune]bool{}, pages: map[int]int{}, findings: map[int]int{}}
	made := cmp.Or(v.Made, time.Unix(0, 0)).UTC()
	p.SetCreationDate(made)
	p.SetModificationDate(made)
	p.SetCatalogSort(true)
	p.SetMargins(margin, margin, margin)
	p.SetCellMargin(0)
	p.SetAutoPageBreak(false, margin)
	p.AddUTF8FontFromBytes(fontFamily, "", regular)
	p.AddUTF8FontFromBytes(fontFamily, fontBold, bold)
	p.SetTitle(p.plain(v.title()), true)
	p.SetLang(v.in.Code())
	p.SetCreator(v.Engine.Name+" "+v.Engine.Version, true)
	p.AliasNbPages("{count}")
	p.SetFooterFunc(p.foot)
	for i := range v.Maps {
		if len(v.Maps[i].Findings) > 0 {
			p.pages[v.Maps[i].Number] = p.AddLink()
		}
	}
	for _, g := range v.Groups {
		for i := range g.Findings {
			p.findings[g.Findings[i].Number] = p.AddLink()
		}
	}
	return p
}

func (p *printer) print(w io.Writer) error {
	p.AddPage()
	p.lead()
	if len(p.v.Groups) == 0 {
		p.heading(p.v.in.Report("findings"), "")
		p.paragraph(p.v.in.Report("none"))
	}
	for _, g := range p.v.Groups {
		const head = 18.0 // the heading and its note
		p.room(min(head+p.size(&g.Findings[0]), textEnd-margin))
		p.heading(p.v.in.Report("group/"+g.ID)+" ("+strconv.Itoa(len(g.Findings))+")", p.v.in.Report("group/"+g.ID+"/note"))
		for i := range g.Findings {
			p.finding(&g.Findings[i])
		}
	}
	p.paragraph(p.v.more("moreFindings", p.v.Omitted.Findings))
	left := p.v.Undrawn
	for i := range p.v.Maps {
		if m := &p.v.Maps[i]; i == 0 || len(m.Findings) > 0 || len(m.Heat) > 0 {
			p.page(m)
		} else {
			left++
		}
	}
	p.paragraph(p.v.more("morePages", left))
	p.heading(p.v.in.Report("file"), "")
	p.facts(append(p.v.fileFacts(), term{"SHA-256", p.v.File.SHA256}), 1)
	for _, t := range p.v.tables() {
		p.table(&t)
	}
	return p.Output(w)
}

// foot writes the end of a page.
func (p *printer) foot() {
	v := p.v
	parts := []string{v.Engine.Name + " " + v.Engine.Version, v.Profile.Name + " " + v.Profile.Version}
	if !v.Made.IsZero() {
		parts = append(parts, v.Made.UTC().Format("2006-01-02 15:04 UTC"))
	}
	p.style("", 7.5, inkSoft)
	p.SetXY(margin, sheetHeight-margin)
	p.CellFormat(textWidth*0.8, 4, p.plain(strings.Join(parts, " · ")), "", 0, "L", false, 0, "")
	p.CellFormat(textWidth*0.2, 4, strconv.Itoa(p.PageNo())+" / {count}", "", 0, "R", false, 0, "")
}

// style selects the font and the colour of text; the size is in points.
func (p *printer) style(weight string, size float64, color ink) {
	p.SetFont(fontFamily, weight, size)
	p.SetTextColor(color[0], color[1], color[2])
}

func (p *printer) fill(c ink) { p.SetFillColor(c[0], c[1], c[2]) }

func (p *printer) stroke(c ink, width float64) {
	p.SetDrawColor(c[0], c[1], c[2])
	p.SetLineWidth(width)
}

// room begins a new page if a height does not fit on this one.
func (p *printer) room(height float64) {
	if p.GetY()+height > textEnd {
		p.AddPage()
		p.SetXY(margin, margin)
	}
}

// text is a paragraph with its style.
type text struct {
	words  string
	weight string
	size   float64
	color  ink
}

// leading is the height of a line of text in millimetres.
func (t *text) leading() float64 { return t.size * 0.48 }

// height returns the height of paragraphs in a width.
func (p *printer) height(width float64, texts ...text) (height float64) {
	for i := range texts {
		p.style(texts[i].weight, texts[i].size, texts[i].color)
		height += float64(len(p.SplitText(p.plain(texts[i].words), width)))*texts[i].leading() + 1
	}
	return height
}

// write writes paragraphs below each other. A page that is full ends between two lines.
func (p *printer) write(x, width float64, texts ...text) {
	for i := range texts {
		t := &texts[i]
		p.style(t.weight, t.size, t.color)
		for _, line := range p.SplitText(p.plain(t.words), width) {
			p.room(t.leading())
			p.style(t.weight, t.size, t.color)
			p.SetX(x)
			p.CellFormat(width, t.leading(), line, "", 2, "L", false, 0, "")
		}
		p.SetXY(x, p.GetY()+1)
	}
}

// plain replaces characters that the fonts of the PDF cannot show.
func (p *printer) plain(words string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r >= ' ' && r <= '~' {
			return r
		}
		if glyph, err := p.font.GlyphIndex(&p.buffer, r); err != nil || glyph == 0 || r > lastRune {
			p.absent[r] = true
			return unicode.ReplacementChar
		}
		return r
	}, words)
}

// CellFormat writes a line of text. It puts letters that are read from the right to the left into the
// order in which they are drawn (Unicode UAX 9).
func (p *printer) CellFormat(width, height float64, line, border string, after int, align string, filled bool, link int, address string) {
	if strings.ContainsFunc(line, isRightToLeft) {
		line = visual(line)
	}
	p.Fpdf.CellFormat(width, height, line, border, after, align, filled, link, address)
}

func (p *printer) paragraph(words string) {
	if words != "" {
		p.write(margin, textWidth, text{words, "", 9.5, inkText})
	}
}

// heading begins a section. It stays with the first lines of its content.
func (p *printer) heading(title, note string) {
	p.room(40)
	p.SetXY(margin, p.GetY()+5)
	p.write(margin, textWidth, text{title, fontBold, 14, inkText})
	if note != "" {
		p.write(margin, textWidth, text{note, "", 9.5, inkSoft})
	}
	p.SetY(p.GetY() + 1.5)
}

// lead writes the verdict, what was inspected, and how much was found.
func (p *printer) lead() {
	v := p.v
	tone := inks[string(v.Verdict)]
	words := []text{
		{strings.ToUpper(v.in.Term("verdict", string(v.Verdict))), fontBold, 9, tone},
		{v.heading(), fontBold, 20, inkText},
		{v.headline(), "", 11, inkText},
	}
	height := p.height(textWidth-12, words...) + 8
	p.fill(tone.tint())
	p.Rect(margin, margin, textWidth, height, "F")
	p.fill(tone)
	p.Rect(margin, margin, textWidth, 1.6, "F")
	p.SetXY(margin+6, margin+5)
	p.write(margin+6, textWidth-12, words...)
	p.SetXY(margin, margin+height+5)
	for _, g := range v.Groups {
		p.style(fontBold, 13, inkText)
		count := strconv.Itoa(len(g.Findings))
		p.CellFormat(p.GetStringWidth(count)+2, 7, count, "", 0, "L", false, 0, "")
		p.style("", 9.5, inkSoft)
		name := v.in.Report("group/" + g.ID)
		p.CellFormat(p.GetStringWidth(name)+9, 7, name, "", 0, "L", false, 0, "")
	}
	if len(v.Groups) > 0 {
		p.SetXY(margin, p.GetY()+9)
	}
	p.facts(v.overview(), 2)
	if !v.Complete {
		p.write(margin, textWidth, text{v.in.Report("incomplete"), fontBold, 9.5, inks["fail"]})
	}
}

// facts writes facts with a value in columns.
func (p *printer) facts(facts []term, columns int) {
	const name = 34.0
	width := textWidth / float64(columns)
	facts = slices.DeleteFunc(slices.Clone(facts), func(f term) bool { return f.Value == "" })
	for row := range slices.Chunk(facts, columns) {
		height := 0.0
		for _, f := range row {
			height = max(height, p.height(width-name-4, text{f.Value, "", 9, inkText}), p.height(name-2, text{f.Name, "", 9, inkSoft}))
		}
		p.room(height)
		top, sheet := p.GetY(), p.PageNo()
		for i, f := range row {
			x := margin + float64(i)*width
			p.SetXY(x, top)
			p.write(x, name-2, text{f.Name, "", 9, inkSoft})
			p.SetXY(x+name, top)
			p.write(x+name, width-name-4, text{f.Value, "", 9, inkText})
		}
		if p.PageNo() == sheet { // else the last value is longer than a page
			p.SetY(top + height)
		}
		p.SetXY(margin, p.GetY()+0.5)
	}
}

// Measures of a close-up in millimetres.
const (
	partWidth  = 40.0
	partHeight = partWidth / geom.CloseUpRatio
)

// findingHead is the height of the first line of a finding in millimetres.
const findingHead = 7.0

// beside returns the left edge and the width of the words of a finding, and whether its close-up is shown
// beside them.
func beside(f *located) (x, width float64, shown bool) {
	x, width = margin+5, textWidth-5
	if shown = f.CloseUp != nil && f.Severity != report.Info; shown {
		x, width = x+partWidth+5, width-partWidth-5
	}
	return x, width, shown
}

// size returns the height of a finding.
func (p *printer) size(f *located) float64 {
	_, width, shown := beside(f)
	height := p.height(width, p.words(f)...) + findingHead
	if shown {
		height = max(height, partHeight+1)
	}
	return height
}

// finding writes a finding with its close-up.
func (p *printer) finding(f *located) {
	tone := inks[string(f.Severity)]
	x, width, shown := beside(f)
	height := p.size(f)
	p.room(min(height, textEnd-margin))
	top, sheet := p.GetY(), p.PageNo()
	p.SetLink(p.findings[f.Number], top, -1)
	if shown {
		p.part(f, margin+5, top)
	}
	p.pin(x+2.6, top+2.6, 2.6, f.Number, tone)
	p.SetXY(x+7, top)
	p.style(fontBold, 9, tone)
	severity := f.in.Term("severity", string(f.Severity))
	p.CellFormat(p.GetStringWidth(severity)+4, 5.2, severity, "", 0, "L", false, 0, "")
	p.style("", 9, inkSoft)
	p.CellFormat(0, 5.2, p.plain(strings.TrimSpace(f.where()+" "+f.times())), "", 0, "L", false, p.pages[f.Page], "")
	p.SetXY(x, top+findingHead)
	p.write(x, width, p.words(f)...)
	if p.PageNo() == sheet {
		end := max(p.GetY(), top+height)
		p.fill(tone)
		p.Rect(margin, top, 1.2, end-top, "F")
		p.SetXY(margin, end)
	}
	p.SetXY(margin, p.GetY()+4)
}

// words returns the texts of a finding: plain words first, then what prepress needs.
func (p *printer) words(f *located) []text {
	texts := []text{{f.Message, fontBold, 10.5, inkText}}
	for _, words := range []string{report.Measured(f.in.Code(), &f.Finding), f.FixHint} {
		if words != "" {
			texts = append(texts, text{words, "", 9.5, inkText})
		}
	}
	if f.Fix != "" {
		texts = append(texts, text{f.in.Report("automatic", "fix", report.FixTitle(f.Fix, f.in.Code())), "", 9.5, inkPass})
	}
	details := []string{f.in.Report("ruleTerm") + ": " + f.Rule}
	for _, detail := range f.details() {
		if detail.Value != "" {
			details = append(details, detail.Name+": "+detail.Value)
		}
	}
	return append(texts, text{strings.Join(details, " · "), "", 7.5, inkSoft})
}

// pin draws the number of a finding.
func (p *printer) pin(x, y, radius float64, number int, tone ink) {
	p.fill(tone)
	p.Circle(x, y, radius, "F")
	p.style(fontBold, radius*2.9, inkPaper)
	p.SetXY(x-2*radius, y-radius)
	p.CellFormat(4*radius, 2*radius, strconv.Itoa(number), "", 0, "C", false, 0, "")
}

// part draws the close-up of a finding.
func (p *printer) part(f *located, x, y float64) {
	c := f.CloseUp
	scale := min(partWidth/c.W, partHeight/c.H)
	s := sheet{p, c.Page, x + (partWidth-c.W*scale)/2 - c.X*scale, y + (partHeight-c.H*scale)/2 - c.Y*scale, scale, c.Fine}
	p.ClipRect(x, y, partWidth, partHeight, false)
	s.ground(false)
	if c.Place != nil {
		s.outline(*c.Place, f.Severity)
	}
	p.ClipEnd()
	p.stroke(inkRule, 0.2)
	p.Rect(x, y, partWidth, partHeight, "D")
	p.Link(x, y, partWidth, partHeight, p.pages[f.Page])
}

// page draws a page of the file with its findings, and its total ink where that is high.
func (p *printer) page(m *pageMap) {
	p.AddPage()
	if link := p.pages[m.Number]; link > 0 {
		p.SetLink(link, margin, -1)
	}
	p.SetXY(margin, margin-5)
	p.heading(m.in.Report("pageHeading", "page", m.Number), m.format())
	p.write(margin, textWidth, text{m.content(), "", 9.5, inkSoft})
	for _, remark := range m.remarks() {
		p.write(margin, textWidth, text{remark, "", 9.5, inkSoft})
	}
	const heatWidth, gap, height = 58.0, 6.0, 165.0
	width := textWidth
	if len(m.Heat) > 0 {
		width -= heatWidth + gap
	}
	scale := min(width/(m.Width+2*m.Margin), height/(m.Bottom+m.Top))
	top := p.GetY() + 2
	end := top + (m.Bottom+m.Top)*scale
	drawn := sheet{p, m, margin + m.Margin*scale, top + m.Top*scale, scale, nil}
	drawn.ground(false)
	drawn.pins()
	if len(m.Heat) > 0 {
		x := margin + width + gap
		heat := sheet{p, m, x, drawn.y, min(heatWidth/m.Width, height/m.Height), nil}
		heat.ground(true)
		p.SetXY(x, heat.y+m.Height*heat.scale+2)
		p.write(x, heatWidth, text{m.in.Report("heatCaption", "percent", m.MaxInk), "", 8, inkSoft})
		end = max(end, p.GetY())
	}
	p.SetXY(margin, end+4)
	if len(m.Findings) == 0 {
		p.paragraph(m.in.Report("noneHere"))
	}
	for i := range m.Findings {
		f := &m.Findings[i]
		p.room(6)
		y := p.GetY()
		p.pin(margin+2.2, y+2.2, 2.2, f.Number, inks[string(f.Severity)])
		p.Link(margin, y, textWidth, 5, p.findings[f.Number])
		p.SetXY(margin+8, y)
		p.write(margin+8, textWidth-8, text{f.Message, "", 9.5, inkText})
	}
}

// table writes a table. Columns share the width by their longest texts.
func (p *printer) table(t *table) {
	p.heading(t.Title, "")
	const size, gap, longest = 8.0, 3.0, 60.0
	widths := make([]float64, len(t.Columns))
	total := 0.0
	for i := range widths {
		p.style(fontBold, size, inkText)
		widths[i] = p.GetStringWidth(p.plain(t.Columns[i].Name))
		p.style("", size, inkText)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], min(p.GetStringWidth(p.plain(row[i])), longest))
		}
		widths[i] += gap
		total += widths[i]
	}
	for i := range widths {
		widths[i] *= min(1, textWidth/total)
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	p.row(t, names, widths, fontBold)
	for _, row := range t.Rows {
		p.row(t, row, widths, "")
	}
	p.paragraph(t.More)
}

func (p *printer) row(t *table, cells []string, widths []float64, weight string) {
	const size, leading, most = 8.0, 3.9, 12
	lines, height := make([][]string, len(cells)), 0
	p.style(weight, size, inkText)
	for i, cell := range cells {
		lines[i] = p.SplitText(p.plain(cell), widths[i]-1)
		lines[i] = lines[i][:min(len(lines[i]), most)]
		height = max(height, len(lines[i]))
	}
	p.room(float64(height)*leading + 2)
	p.style(weight, size, inkText)
	x, y := margin, p.GetY()
	for i := range cells {
		align := "L"
		if t.Columns[i].Number {
			align = "R"
		}
		for n, line := range lines[i] {
			p.SetXY(x, y+float64(n)*leading)
			p.CellFormat(widths[i]-2, leading, line, "", 0, align, false, 0, "")
		}
		x += widths[i]
	}
	y += float64(height)*leading + 0.8
	p.stroke(inkRule, 0.2)
	p.Line(margin, y, margin+textWidth, y)
	p.SetXY(margin, y+0.8)
}

// sheet draws a page of the file at a place of the PDF.
type sheet struct {
	*printer
	m *pageMap
	// x and y are the top left corner of the page, scale the millimetres for a unit of the map.
	x, y, scale float64
	// fine is drawn on the picture of the page; it may be nil.
	fine *finePart
}

func (s *sheet) rect(r shape, style string) {
	s.Rect(s.x+r.X*s.scale, s.y+r.Y*s.scale, r.W*s.scale, r.H*s.scale, style)
}

// ground draws the page: what is printed, or the places of its content; with heat, its total ink.
func (s *sheet) ground(heat bool) {
	s.fill(inkPaper)
	s.stroke(inks["crop"], 0.2)
	s.rect(s.m.Media, "DF")
	switch picture := s.m.Picture; {
	case heat:
		for _, a := range s.m.Heat {
			s.fill(inks[a.Class])
			for _, r := range a.Shapes {
				s.rect(r, "F")
			}
		}
	case picture != nil:
		name := "page" + strconv.Itoa(s.m.Number)
		s.picture(name, picture.Layers[0].JPEG, s.m.Media)
		if s.fine != nil {
			s.picture(fmt.Sprintf("%s-%d", name, s.fine.part), s.fine.JPEG, s.fine.shape)
		}
	default:
		for _, r := range slices.Concat(s.m.Images, s.m.Text) {
			s.fill(inks[r.Class])
			s.rect(r, "F")
		}
	}
	for _, box := range s.m.Boxes {
		s.stroke(inks[box.Class], 0.25)
		if box.Class != "trim" {
			s.SetDashPattern([]float64{1, 0.6}, 0)
		}
		s.rect(box, "D")
		s.SetDashPattern(nil, 0)
	}
}

// picture draws a JPEG file, which is stored once under a name.
func (s *sheet) picture(name string, jpeg []byte, at shape) {
	options := fpdf.ImageOptions{ImageType: "JPG"}
	if s.GetImageInfo(name) == nil {
		s.RegisterImageOptionsReader(name, options, bytes.NewReader(jpeg))
	}
	s.ImageOptions(name, s.x+at.X*s.scale, s.y+at.Y*s.scale, at.W*s.scale, at.H*s.scale, false, options, 0, "")
}

// outline draws a place with a light edge, so that it can be seen on every colour.
func (s *sheet) outline(place shape, severity report.Severity) {
	s.stroke(inkPaper, 1.1)
	s.rect(place, "D")
	s.stroke(inks[string(severity)], 0.5)
	s.rect(place, "D")
}

// pins draws the outlines and the numbers of the findings.
func (s *sheet) pins() {
	for _, k := range s.m.Pins {
		if k.Place != nil {
			s.outline(*k.Place, k.Severity)
			s.SetLineWidth(0.25)
			s.Line(s.x+k.X*s.scale, s.y+k.Y*s.scale, s.x+k.ToX*s.scale, s.y+k.ToY*s.scale)
		}
	}
	for _, k := range s.m.Pins {
		x, y, r := s.x+k.X*s.scale, s.y+k.Y*s.scale, k.R*s.scale
		s.pin(x, y, r, k.Number, inks[string(k.Severity)])
		s.Link(x-r, y-r, 2*r, 2*r, s.findings[k.Number])
	}
}
