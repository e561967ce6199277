// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// maxListed bounds the names in a sentence.
const maxListed = 5

// pagesInWords returns "one page" or "7 pages".
func pagesInWords(n int) string {
	if n == 1 {
		return "one page"
	}
	return fmt.Sprintf("%d pages", n)
}

// number formats a value without trailing zeros.
func number(v float64, decimals int) string {
	return geom.Decimal(v, decimals)
}

// listed joins names, at most [maxListed] of them.
func listed(names []string) string {
	if len(names) > maxListed {
		names = append(names[:maxListed:maxListed], fmt.Sprintf("%d more", len(names)-maxListed))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Classes of paint, by the inks of a press.
const (
	classWhite   = "white"
	classUnknown = "a colour that the printer converts"
	classOne     = "one ink"
	classMany    = "several inks"
)

func class(p *facts.Paint) string {
	switch {
	case p.White:
		return classWhite
	case !p.Known:
		return classUnknown
	case p.Inks() > 1:
		return classMany
	}
	return classOne
}

// paintInWords returns "white", "cyan 20 % and black 100 %" or "a colour of
// DeviceRGB".
func paintInWords(p *facts.Paint) string {
	switch {
	case p.White:
		return "white"
	case registration(p):
		return "the registration colour"
	case !p.Known && p.Space == "":
		return "an unreadable colour"
	case !p.Known:
		return "a colour of " + p.Space
	}
	var inks []string
	add := func(name string, amount float64) {
		if amount > 0 {
			inks = append(inks, fmt.Sprintf("%s %.0f %%", name, amount*100))
		}
	}
	for i, name := range processNames {
		add(name, p.CMYK[i])
	}
	for _, s := range p.Spots {
		add(s.Name, s.Amount)
	}
	if len(inks) == 0 {
		return "no ink"
	}
	return listed(inks)
}

// processNames are the inks of [facts.Paint.CMYK].
var processNames = [4]string{"cyan", "magenta", "yellow", "black"} // constant

// registration reports whether a colour is that of Separation All. No other
// Separation prints with all four at once.
func registration(p *facts.Paint) bool {
	c := &p.CMYK
	return p.Space == "Separation" && c[0] > 0 && c[0] == c[1] && c[0] == c[2] && c[0] == c[3] && len(p.Spots) == 0
}

// markInWords returns the kind of a mark: "Text", "A line", ...
func markInWords(m *facts.Mark) string {
	switch m.Kind {
	case facts.Path:
		if m.Stroked {
			return "A line"
		}
		return "An area"
	case facts.Text:
		return "Text"
	case facts.Picture:
		return "An image"
	case facts.Stencil:
		return "A one-bit image"
	case facts.Shading:
		return "A gradient"
	}
	return "Artwork"
}

// The groupings of marks to findings.

// whole groups all marks.
func whole(*facts.Mark) group { return group{} }

// byPaint groups marks by kind and paint.
func byPaint(m *facts.Mark) group { return group{kind: slotOf(m), class: class(&m.Paint)} }

// byFont groups marks by font and paint.
func byFont(m *facts.Mark) group { return group{font: m.Font, class: class(&m.Paint)} }

// byObject groups images by object, and other marks by family of colour.
func byObject(m *facts.Mark) group {
	if m.Kind == facts.Picture {
		return group{object: m.Object, class: m.Paint.Space}
	}
	return group{class: m.Paint.Space}
}
