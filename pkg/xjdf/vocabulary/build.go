// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"fmt"
	"regexp"
	"strings"
)

// builder builds a vocabulary from stanzas.
type builder struct {
	v *Vocabulary
	// children are the lines of the tables by element, until all elements are known.
	children map[*Element][]childLine
}

// childLine is a line that names a child, an abstract child or alternatives.
type childLine struct {
	names      []string
	kind       Kind
	min, max   int
	deprecated Deprecation
}

// listStanza reads "Name open|closed [fold] Clause", and the values below. A line "-
// Value 2.1 hint" marks a value as deprecated. A line "/ expression" allows values of a
// form. A line "= Flyer Leaflet" defines a synonym.
func (b *builder) listStanza(s stanza) error {
	if len(s.head) < 3 {
		return errHead
	}
	l := &List{Name: s.head[0], Clause: s.head[len(s.head)-1]}
	for _, word := range s.head[1 : len(s.head)-1] {
		switch word {
		case "closed":
			l.Closed = true
		case "open":
		case "fold":
			l.Fold = true
		default:
			return fmt.Errorf("%w %q", errWord, word)
		}
	}
	for _, line := range s.body {
		if err := l.line(line); err != nil {
			return err
		}
	}
	return b.addList(l)
}

func (l *List) line(line string) error {
	words := strings.Fields(line)
	switch {
	case words[0] == "/":
		expression, err := regexp.Compile(`\A(?:` + words[1] + `)\z`)
		if err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
		l.pattern = expression
	case words[0] == "-" && len(words) >= 3:
		l.Values = append(l.Values, words[1])
		if l.deprecated == nil {
			l.deprecated = map[string]Deprecation{}
		}
		l.deprecated[words[1]] = Deprecation{Since: words[2], Use: strings.Join(words[3:], " ")}
	case words[0] == "=" && len(words) == 3:
		if l.synonyms == nil {
			l.synonyms = map[string]string{}
		}
		l.synonyms[strings.ToLower(words[1])] = words[2]
	default:
		l.Values = append(l.Values, words...)
	}
	return nil
}

func (b *builder) addList(l *List) error {
	if len(l.Values) == 0 && l.pattern == nil {
		return errEmpty
	}
	if b.v.byList[l.Name] != nil {
		return errDuplicate
	}
	l.values = make(map[string]struct{}, len(l.Values))
	for _, value := range l.Values {
		if _, twice := l.values[value]; twice {
			return fmt.Errorf("%q: %w", value, errDuplicate)
		}
		l.values[value] = struct{}{}
	}
	for word, meant := range l.synonyms {
		if _, ok := l.values[meant]; !ok {
			return fmt.Errorf("%q means %q: %w", word, meant, errUnknown)
		}
	}
	b.v.byList[l.Name] = l
	b.v.lists = append(b.v.lists, l)
	return nil
}

// processStanza reads "Name Clause", and under it "in Resource[(Usage)] ...",
// "may ..." and "out ...".
func (b *builder) processStanza(s stanza) error {
	if len(s.head) != 2 {
		return errHead
	}
	p := Process{Name: s.head[0], Clause: s.head[1]}
	for _, line := range s.body {
		direction, rest, _ := strings.Cut(line, " ")
		words := strings.Fields(rest)
		requirements := make([]Requirement, 0, len(words))
		for _, word := range words {
			name, usage, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
			if e := b.v.byElement[name]; e == nil || e.Kind != Resource {
				return fmt.Errorf("resource %q: %w", name, errUnknown)
			}
			requirements = append(requirements, Requirement{Resource: name, Usage: usage})
		}
		switch direction {
		case "in":
			p.Inputs = append(p.Inputs, requirements...)
		case "may":
			p.Options = append(p.Options, requirements...)
		case "out":
			p.Outputs = append(p.Outputs, requirements...)
		default:
			return fmt.Errorf("%w %q", errWord, direction)
		}
	}
	if _, twice := b.v.byProcess[p.Name]; twice {
		return errDuplicate
	}
	b.v.byProcess[p.Name] = len(b.v.processes)
	b.v.processes = append(b.v.processes, p)
	return nil
}

// statusStanza reads "Table", and under it "Detail NodeStatus[,...] DeviceStatus[,...]"
// with a dash for missing statuses.
func (b *builder) statusStanza(s stanza) error {
	for _, line := range s.body {
		words := strings.Fields(line)
		if len(words) != 3 {
			return fmt.Errorf("%w %q", errWord, line)
		}
		if _, twice := b.v.statuses[words[0]]; twice {
			return fmt.Errorf("%q: %w", words[0], errDuplicate)
		}
		node, err := b.statuses("Status", words[1])
		if err != nil {
			return err
		}
		device, err := b.statuses("DeviceStatus", words[2])
		if err != nil {
			return err
		}
		b.v.statuses[words[0]] = statusPair{node: node, device: device}
	}
	return nil
}

func (b *builder) statuses(list, text string) (string, error) {
	if text == "-" {
		return "", nil
	}
	values := strings.Split(text, ",")
	for _, value := range values {
		if l := b.v.byList[list]; l == nil || !l.Has(value) {
			return "", fmt.Errorf("%s %q: %w", list, value, errUnknown)
		}
	}
	return strings.Join(values, " "), nil
}
