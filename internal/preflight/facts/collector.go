// SPDX-License-Identifier: Apache-2.0

package facts

import "github.com/printmarket/printmarket/internal/preflight/geom"

// The bounds of a collection. What goes over them is an incident, never
// forgotten in silence.
const (
	maxImages    = 20_000
	maxFonts     = 5_000
	maxIncidents = 1_000
	// maxSameRule is how many incidents of one rule are kept.
	maxSameRule = 60
)

// Rules of the incidents that a collection makes itself.
const (
	ruleImages = "limits.images"
	ruleFonts  = "limits.fonts"
)

// Collector gathers facts in the order of reading. It is not safe for concurrent
// use.
type Collector struct {
	doc     Document
	perRule map[string]int
	colors  map[string]*Color
}

// NewCollector makes an empty one.
func NewCollector() *Collector {
	return &Collector{doc: Document{Complete: true}, perRule: map[string]int{}, colors: map[string]*Color{}}
}

// Document is what has been gathered so far.
func (c *Collector) Document() *Document { return &c.doc }

// Incident notes something that went wrong.
func (c *Collector) Incident(in Incident) {
	if c.perRule[in.Rule] >= maxSameRule || len(c.doc.Incidents) >= maxIncidents {
		return
	}
	c.perRule[in.Rule]++
	c.doc.Incidents = append(c.doc.Incidents, in)
}

// Exhausted notes that a limit stopped the reading: once for each limit.
func (c *Collector) Exhausted(rule string, page int, detail string) {
	c.doc.Complete = false
	if c.perRule[rule] == 0 {
		c.Incident(Incident{Rule: rule, Page: page, Detail: detail})
	}
}

// Incomplete notes that part of the file was not read.
func (c *Collector) Incomplete() { c.doc.Complete = false }

// Page adds a page.
func (c *Collector) Page(p Page) { c.doc.Pages = append(c.doc.Pages, p) }

// Font adds a font that is declared and returns it, or nil when there are too
// many.
func (c *Collector) Font(f Font) *Font {
	if len(c.doc.Fonts) >= maxFonts {
		c.Exhausted(ruleFonts, 0, "The document declares more than 5000 fonts; the rest was not looked at.")
		return nil
	}
	c.doc.Fonts = append(c.doc.Fonts, &f)
	return &f
}

// UseFont notes that visible text is shown.
func (c *Collector) UseFont(f *Font, page int) { f.Uses.add(page) }

// Image adds a placement.
func (c *Collector) Image(i Image) {
	if len(c.doc.Images) >= maxImages {
		c.Exhausted(ruleImages, i.Page, "The document places images more than 20000 times; the rest was not looked at.")
		return
	}
	c.doc.Images = append(c.doc.Images, i)
}

// Color notes that something is painted in a family of colour; where may be nil.
func (c *Collector) Color(space string, page int, where *geom.Rect) {
	color := c.colors[space]
	if color == nil {
		color = &Color{Space: space}
		c.colors[space] = color
		c.doc.Colors = append(c.doc.Colors, color)
	}
	if color.Uses.add(page) {
		color.First = append(color.First, where)
	}
}
