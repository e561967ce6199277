// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
)

const (
	// maxPictures bounds the bytes of all pictures, so that a page has less than 8 MB.
	maxPictures = 7_000_000
	// maxLayers bounds the layers of a page: the style sheet has rules for as many.
	maxLayers = 20
)

// layer is what a reader can select to see of a page.
type layer struct {
	// Name is the text of the control.
	Name string
	// Class is that of the control and of the picture.
	Class string
	// JPEG is the picture, or Address is where pages load the picture from. Both are empty for the map of
	// total ink, which is drawn.
	JPEG    []byte
	Address string
}

// uri returns the address of the picture, or "" for the map of total ink.
func (l *layer) uri() string {
	if l.JPEG == nil {
		return l.Address
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(l.JPEG)
}

// picture holds the layers of a page, the printed page first, and its close-ups by their index, empty for one
// that is not shown.
type picture struct {
	pageimage.Page
	Layers []layer
	Parts  []layer
}

// finer returns the picture of a part of the page, or nil.
func (p *picture) finer(part geom.Rect) *finePart {
	part = part.Intersect(geom.Rect{0, 0, p.Width, p.Height})
	const rounding = 0.1 // of a point
	for i := range p.Parts {
		c := p.CloseUps[i]
		of := geom.Rect{c.X, c.Y, c.X + c.Width, c.Y + c.Height}
		if l := &p.Parts[i]; (l.JPEG != nil || l.Address != "") && of.Contains(part, rounding) && part.Contains(of, rounding) {
			return &finePart{layer: l, part: i, shape: shape{X: c.X, Y: c.Y, W: c.Width, H: c.Height}}
		}
	}
	return nil
}

// finePart is a picture of a part of a page, with its index.
type finePart struct {
	shape
	*layer
	part int
}

// embed adds the pictures of the drawn pages as they are stored, until all together would be too
// large: the printed pages first, then close-ups, then separations.
func (v *view) embed(separations bool) error {
	set, total := v.Pictures, 0
	for i := range v.Maps {
		m := &v.Maps[i]
		for _, p := range set.Pages() {
			if p.Number == m.Number {
				m.Picture = &picture{Page: p}
			}
		}
		if m.Picture == nil {
			continue
		}
		size, err := m.add(set, pageimage.Printed, v.in.Report("layerPrinted"))
		if err != nil {
			return err
		}
		if total += size; size == 0 || total > maxPictures {
			m.Picture = nil
			continue
		}
		m.addHeatLayer()
	}
	for i := range v.Maps {
		if m := &v.Maps[i]; m.Picture != nil {
			m.Picture.Parts = make([]layer, len(m.Picture.CloseUps))
			for k := range m.Picture.Parts {
				file, err := set.CloseUp(m.Number, k)
				if size := base64.StdEncoding.EncodedLen(len(file)); err == nil && total+size <= maxPictures {
					m.Picture.Parts[k].JPEG = file
					total += size
				}
			}
		}
	}
	if !separations {
		return nil
	}
	for i := range v.Maps {
		m := &v.Maps[i]
		if m.Picture == nil {
			continue
		}
		kept := len(m.Picture.Layers)
		for _, ink := range m.Picture.Inks[:min(len(m.Picture.Inks), maxLayers-kept)] {
			size, err := m.add(set, ink, ink)
			if err != nil {
				return err
			}
			if total += size; total > maxPictures {
				m.Picture.Layers = m.Picture.Layers[:kept]
				return nil
			}
		}
	}
	return nil
}

// add adds a layer to the picture of a page and returns its size, or 0 for a picture that is damaged.
func (m *pageMap) add(set *pageimage.Set, name, title string) (int, error) {
	file, err := set.JPEG(m.Number, name)
	if errors.Is(err, pageimage.ErrInvalid) || errors.Is(err, pageimage.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	m.layer(layer{Name: title, JPEG: file})
	return base64.StdEncoding.EncodedLen(len(file)), nil
}

// addHeatLayer adds the map of total ink, if the page has one.
func (m *pageMap) addHeatLayer() {
	if len(m.Heat) > 0 {
		m.layer(layer{Name: m.in.Report("layerHeat", "percent", pageimage.HeatFrom)})
	}
}

func (m *pageMap) layer(l layer) {
	l.Class = fmt.Sprintf("k%d", len(m.Picture.Layers))
	m.Picture.Layers = append(m.Picture.Layers, l)
}
