// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bounds of a collection. Exceeding one is an incident.
const (
	maxImages      = 20_000
	maxFonts       = 5_000
	maxIncidents   = 1_000
	maxAnnotations = 20_000
	maxInks        = 500
	maxFeatures    = 1_000
	maxProfiles    = 500
	// maxSameRule bounds the incidents of one rule.
	maxSameRule = 60
	// maxFrame and maxText bound the boxes that are kept of one page.
	maxFrame = 1_024
	maxText  = 60
)

// The rules of the incidents of a collection.
const (
	ruleImages      = "limits.images"
	ruleFonts       = "limits.fonts"
	ruleAnnotations = "limits.annotations"
	ruleInks        = "limits.inks"
)

// Collector gathers facts in the order of reading. It is not safe for concurrent
// use.
type Collector struct {
	doc      Document
	sink     Sink
	perRule  map[string]int
	colors   map[string]*Color
	inks     map[string]*Ink
	features map[featureKey]*Feature
}

// Sink takes the marks of the pages, in the order of painting. It must not keep the page
// or the mark.
type Sink interface {
	Mark(page *Page, mark *Mark)
	// EndPage ends a page. visible reports whether a mark can be seen on it, and the box
	// around what the mark paints, to a pixel; [geom.Everything] if it is not known.
	EndPage(page *Page, visible func(mark uint32) (geom.Rect, bool))
}

type featureKey struct {
	kind   FeatureKind
	detail string
}

// NewCollector returns an empty collector that passes marks to a sink, which may be
// nil.
func NewCollector(sink Sink) *Collector {
	return &Collector{
		doc: Document{Complete: true}, sink: sink,
		perRule: map[string]int{}, colors: map[string]*Color{}, inks: map[string]*Ink{}, features: map[featureKey]*Feature{},
	}
}

// Document returns the facts so far.
func (c *Collector) Document() *Document { return &c.doc }

// Incident records a fault of the file.
func (c *Collector) Incident(in Incident) {
	if c.perRule[in.Rule] >= maxSameRule || len(c.doc.Incidents) >= maxIncidents {
		return
	}
	c.perRule[in.Rule]++
	c.doc.Incidents = append(c.doc.Incidents, in)
}

// Exhausted records that a limit stopped the reading, once for each limit.
func (c *Collector) Exhausted(in Incident) {
	c.doc.Complete = false
	if c.perRule[in.Rule] == 0 {
		c.Incident(in)
	}
}

// Incomplete records that part of the file was not read.
func (c *Collector) Incomplete() { c.doc.Complete = false }

// Page adds a page. Pages must come in the order of their numbers.
func (c *Collector) Page(p Page) {
	p.Extent = geom.Nothing()
	c.doc.Pages = append(c.doc.Pages, p)
}

// Mark passes a mark to the sink, and adds it to the colours of the document and to
// the sums of its page.
func (c *Collector) Mark(number int, m *Mark) {
	page := &c.doc.Pages[number-1]
	if c.sink != nil {
		c.sink.Mark(page, m)
	}
	if m.Paint.Space != "" {
		c.Color(m.Paint.Space, number, &m.Box)
	}
	if m.Alpha < 1 || m.Blend != "" && m.Blend != "Normal" {
		page.Transparent = true
	}
	switch {
	case m.Kind == Text:
		page.MinText.add(m.Size)
		page.addText(m.Box)
	case m.Kind == Path && m.Stroked:
		page.MinStroke.add(m.Width)
	}
	page.Parts += m.parts(page.UserUnit) // bars of a code may be white, too
	if m.Paint.White {
		return
	}
	if m.Paint.Known {
		page.MaxInk = max(page.MaxInk, m.Paint.Total())
	}
	page.Painted++
	page.Extent = page.Extent.Union(m.Box)
	finished := page.Finished()
	page.Printed = page.Printed || finished.Touches(m.Box)
	// Keep a box near the finished edge, unless a kept box contains it.
	inner := finished.Grow(-FrameDepth / page.UserUnit)
	switch {
	case inner.Contains(m.Box, 0), slices.ContainsFunc(page.Frame, func(kept geom.Rect) bool { return kept.Contains(m.Box, 0) }):
	case len(page.Frame) >= maxFrame:
		page.FrameFull = true
	default:
		page.Frame = append(page.Frame, m.Box)
	}
}

// EndPage ends a page. ink is the measured ink, or nil.
func (c *Collector) EndPage(number int, ink *InkMap, visible func(mark uint32) (geom.Rect, bool)) {
	page := &c.doc.Pages[number-1]
	page.Ink = ink
	for i := len(c.doc.Images) - 1; i >= 0 && c.doc.Images[i].Page == number; i-- {
		image := &c.doc.Images[i]
		_, seen := visible(image.Mark)
		image.Hidden = image.Hidden || !seen
	}
	if c.sink != nil {
		c.sink.EndPage(page, visible)
	}
}

// addText adds a box, or joins it to the last box when they are neighbours or when
// there is no room for another.
func (p *Page) addText(box geom.Rect) {
	n := len(p.Text)
	if n == 0 {
		p.Text = append(p.Text, box)
		return
	}
	reach := box.Height()
	last := p.Text[n-1]
	if n >= maxText || last.Grow(reach).Touches(box) {
		p.Text[n-1] = last.Union(box)
		return
	}
	p.Text = append(p.Text, box)
}

// Font adds a declared font and returns it, or nil when there are too many.
func (c *Collector) Font(f Font) *Font {
	if len(c.doc.Fonts) >= maxFonts {
		c.Exhausted(Incident{Rule: ruleFonts, Parameters: Values{"limit": float64(maxFonts)}})
		return nil
	}
	c.doc.Fonts = append(c.doc.Fonts, &f)
	return &f
}

// UseFont records that a page shows visible text in a font.
func (c *Collector) UseFont(f *Font, page int) { f.Uses.add(page) }

// Image adds a placement of an image.
func (c *Collector) Image(i Image) {
	if len(c.doc.Images) >= maxImages {
		c.Exhausted(Incident{Rule: ruleImages, Page: i.Page, Parameters: Values{"limit": float64(maxImages)}})
		return
	}
	c.doc.Images = append(c.doc.Images, i)
}

// Color records that a page paints in a family of colour; where may be nil.
func (c *Collector) Color(space string, page int, where *geom.Rect) {
	color := c.colors[space]
	if color == nil {
		color = &Color{Space: space}
		c.colors[space] = color
		c.doc.Colors = append(c.doc.Colors, color)
	}
	if color.Uses.add(page) {
		color.First = append(color.First, copied(where))
	}
}

// Ink records that a page paints with a named colorant. definition is a digest of its
// alternate space and tint transform, full the colour of its full tint in that space;
// both may be empty.
func (c *Collector) Ink(name string, kind InkKind, page int, space, definition string, full []float64) {
	ink := c.inks[name]
	if ink == nil {
		if len(c.doc.Inks) >= maxInks {
			c.Exhausted(Incident{Rule: ruleInks, Page: page, Parameters: Values{"limit": float64(maxInks)}})
			return
		}
		ink = &Ink{Name: name, Kind: kind, Space: space, Full: full}
		c.inks[name] = ink
		c.doc.Inks = append(c.doc.Inks, ink)
	}
	if ink.Space == "" { // DeviceN does not define each of its colorants
		ink.Space, ink.Full = space, full
	}
	ink.Uses.add(page)
	if definition != "" && len(ink.Alternates) < MaxUses && !slices.Contains(ink.Alternates, definition) {
		ink.Alternates = append(ink.Alternates, definition)
	}
}

// Feature records that a page uses a feature; where may be nil. The same kind and
// detail is one feature. Page 0 is the document.
func (c *Collector) Feature(kind FeatureKind, detail, object string, page int, where *geom.Rect) {
	key := featureKey{kind: kind, detail: detail}
	feature := c.features[key]
	if feature == nil {
		if len(c.doc.Features) >= maxFeatures {
			return
		}
		feature = &Feature{Kind: kind, Detail: detail, Object: object}
		c.features[key] = feature
		c.doc.Features = append(c.doc.Features, feature)
	}
	if feature.Uses.add(page) {
		feature.First = append(feature.First, copied(where))
	}
	if kind == Transparency && page > 0 {
		c.doc.Pages[page-1].Transparent = true
	}
}

// Profile adds an ICC profile that the file holds and returns it, or nil when
// there are too many.
func (c *Collector) Profile(p ICC) *ICC {
	if len(c.doc.Profiles) >= maxProfiles {
		return nil
	}
	c.doc.Profiles = append(c.doc.Profiles, &p)
	return &p
}

// UseProfile records that a page paints through a profile.
func (c *Collector) UseProfile(p *ICC, page int) { p.Uses.add(page) }

// UseLayer records that a page has content on a layer, printed or not.
func (c *Collector) UseLayer(l *Layer, page int) { l.Uses.add(page) }

// Annotation adds an annotation.
func (c *Collector) Annotation(a Annotation) {
	if len(c.doc.Annotations) >= maxAnnotations {
		c.Exhausted(Incident{Rule: ruleAnnotations, Page: a.Page, Parameters: Values{"limit": float64(maxAnnotations)}})
		return
	}
	c.doc.Annotations = append(c.doc.Annotations, a)
}

// copied copies a box that its owner may change.
func copied(r *geom.Rect) *geom.Rect {
	if r == nil {
		return nil
	}
	out := *r
	return &out
}
