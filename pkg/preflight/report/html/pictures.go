// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/jpeg"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
)

const (
	// maxPictures bounds the bytes of all pictures, so that a page has less than 8 MB.
	maxPictures = 7_000_000
	// jpegQuality is that of the pictures.
	jpegQuality = 82
	// maxLayers bounds the layers of a page: the style sheet has rules for as many.
	maxLayers = 20
)

// layer is a picture of a page that a reader can select.
type layer struct {
	// Name is the text of the control.
	Name string
	// Class is that of the control and of the picture.
	Class string
	// URI contains the picture.
	URI string
	// Heat is set for the map of total ink.
	Heat bool
}

// picture holds the layers of a page, the printed page first.
type picture struct {
	pageimage.Page
	Layers []layer
}

// embed adds the pictures of the drawn pages. The separations of a page, and the map of its total ink
// where that is high, follow if all pictures together remain small.
func (v *view) embed(set *pageimage.Set) error {
	total := 0
	for _, width := range []int{0, 500, 250} {
		total = 0
		for i := range v.Maps {
			m := &v.Maps[i]
			at := slices.IndexFunc(set.Pages(), func(p pageimage.Page) bool { return p.Number == m.Number })
			if at < 0 {
				continue
			}
			m.Picture = &picture{Page: set.Pages()[at]}
			size, err := m.add(set, pageimage.Printed, v.in.Report("layerPrinted"), width)
			if err != nil {
				return err
			}
			if total += size; total > maxPictures {
				break
			}
		}
		if total <= maxPictures {
			break
		}
	}
	for i := range v.Maps {
		m := &v.Maps[i]
		if m.Picture == nil {
			continue
		}
		names := m.Picture.Inks
		if m.MaxInk > pageimage.HeatFrom {
			names = append([]string{pageimage.Heat}, names...)
		}
		for _, name := range names[:min(len(names), maxLayers-1)] {
			title := name
			if name == pageimage.Heat {
				title = v.in.Report("layerHeat", "percent", pageimage.HeatFrom)
			}
			size, err := m.add(set, name, title, 0)
			if err != nil {
				return err
			}
			if total += size; total > maxPictures {
				m.Picture.Layers = m.Picture.Layers[:1]
				return nil
			}
		}
	}
	return nil
}

// add adds a layer to the picture of a page and returns its size. A picture that is damaged is left
// out, with all after it.
func (m *pageMap) add(set *pageimage.Set, name, title string, width int) (int, error) {
	made, err := set.Picture(m.Number, name, width)
	if errors.Is(err, pageimage.ErrInvalid) || errors.Is(err, pageimage.ErrNotFound) {
		if name == pageimage.Printed {
			m.Picture = nil
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, made, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return 0, fmt.Errorf("encode picture of page %d: %w", m.Number, err)
	}
	uri := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
	m.Picture.Layers = append(m.Picture.Layers, layer{Name: title, Class: fmt.Sprintf("k%d", len(m.Picture.Layers)), URI: uri, Heat: name == pageimage.Heat})
	return len(uri), nil
}
