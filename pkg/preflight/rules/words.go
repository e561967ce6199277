// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxListed bounds the names in a sentence.
const maxListed = 5

// listed returns a list of at most [maxListed] names as a parameter.
func listed(name string, names []string) values { return values{}.list(name, names) }

// list adds a list of at most [maxListed] names, and the number of omitted names.
func (v values) list(name string, names []string) values {
	if over := len(names) - maxListed; over > 0 {
		v[name+"Omitted"] = float64(over)
		names = names[:maxListed]
	}
	v[name] = slices.Clone(names)
	return v
}

// paint adds a colour.
func (v values) paint(p *facts.Paint) values {
	switch {
	case p.White:
		v["paint"] = "white"
	case registration(p):
		v["paint"] = "registration"
	case !p.Known && p.Space == "":
		v["paint"] = "unreadable"
	case !p.Known:
		v["paint"], v["space"] = "space", p.Space
	default:
		v["paint"] = "none"
		if inks := amounts(p); len(inks) > 0 {
			v["paint"] = "inks"
			v.list("inks", inks)
		}
	}
	return v
}

// amounts returns the inks of a colour: "C 20 %", "K 100 %", "PANTONE 185 C 50 %".
func amounts(p *facts.Paint) []string {
	var inks []string
	add := func(name string, amount float64) {
		if amount > 0 {
			inks = append(inks, fmt.Sprintf("%s %.0f %%", name, amount*100))
		}
	}
	for i, letter := range [...]string{"C", "M", "Y", "K"} {
		add(letter, p.CMYK[i])
	}
	for _, s := range p.Spots {
		add(s.Name, s.Amount)
	}
	return inks
}

// Classes of paint, by the inks of a press.
const (
	classWhite   = "white"
	classUnknown = "unknown"
	classOne     = "one"
	classMany    = "many"
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

// processNames are the tokens of the inks of [facts.Paint.CMYK].
var processNames = [4]string{"cyan", "magenta", "yellow", "black"} // constant

// registration reports whether a colour is that of Separation All. No other
// Separation prints with all four at once.
func registration(p *facts.Paint) bool {
	c := &p.CMYK
	return p.Space == "Separation" && c[0] > 0 && c[0] == c[1] && c[0] == c[2] && c[0] == c[3] && len(p.Spots) == 0
}

// kindOf returns the token of the kind of a mark.
func kindOf(m *facts.Mark) string {
	switch m.Kind {
	case facts.Path:
		if m.Stroked {
			return "line"
		}
		return "area"
	case facts.Text:
		return "text"
	case facts.Picture:
		return "image"
	case facts.Stencil:
		return "bitmap"
	case facts.Shading:
		return "gradient"
	}
	return "artwork"
}

// The messages of marks.

// mainMessage is the main message without parameters of its own.
func mainMessage(*instance) message { return message{} }

// markMessage names the kind of the mark.
func markMessage(i *instance) message { return message{values: values{"mark": kindOf(&i.mark)}} }

// paintedMessage names the kind and the colour of the mark.
func paintedMessage(i *instance) message {
	return message{values: values{"mark": kindOf(&i.mark)}.paint(&i.mark.Paint)}
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
