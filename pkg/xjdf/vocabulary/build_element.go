// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// elementStanza reads "Name Clause [intent|resource|message|audit] [pool]
// [foreign] [text|textmember]", and under it attributes, which begin with an at sign, and
// children.
func (b *builder) elementStanza(s stanza) error {
	if len(s.head) < 2 {
		return errHead
	}
	e := &Element{Name: s.head[0], Clause: s.head[1]}
	for _, word := range s.head[2:] {
		if err := e.trait(word); err != nil {
			return err
		}
	}
	if b.v.byElement[e.Name] != nil {
		return errDuplicate
	}
	for _, line := range s.body {
		var err error
		if attribute, ok := strings.CutPrefix(line, "@"); ok {
			var a Attribute
			a, err = b.attribute(e, strings.Fields(attribute))
			e.Attributes = append(e.Attributes, a)
		} else {
			var child childLine
			child, err = childOf(line)
			b.children[e] = append(b.children[e], child)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	e.attributes = make(map[string]int, len(e.Attributes))
	for i := range e.Attributes {
		if _, twice := e.attributes[e.Attributes[i].Name]; twice {
			return fmt.Errorf("@%s: %w", e.Attributes[i].Name, errDuplicate)
		}
		e.attributes[e.Attributes[i].Name] = i
	}
	b.v.byElement[e.Name] = e
	b.v.elements = append(b.v.elements, e)
	b.v.ofKind[e.Kind] = append(b.v.ofKind[e.Kind], e)
	return nil
}

func (e *Element) trait(word string) error {
	switch word {
	case "foreign":
		e.Foreign = true
	case "pool":
		e.Pool = true
	case "text":
		e.Text = TextOnly
	case "textmember":
		e.Text = TextMember
	default:
		kind, ok := kindNamed(word)
		if !ok {
			return fmt.Errorf("%w %q", errWord, word)
		}
		e.Kind = kind
	}
	return nil
}

func kindNamed(word string) (Kind, bool) {
	for kind, name := range kindNames {
		if name == word {
			return Kind(kind), true
		}
	}
	return Structure, false
}

// attribute reads "Name[!] datatype", then any of these in any order: "[unit]",
// "min..max", "2+" for the smallest number of items, "= List" or "= A | B" for closed
// lists, "~" instead of "=" for open ones, "-> Element ..." for the targets of a
// reference, "extension", and at the end "deprecated 2.1 hint".
func (b *builder) attribute(e *Element, words []string) (Attribute, error) {
	if len(words) < 2 {
		return Attribute{}, errHead
	}
	name, required := strings.CutSuffix(words[0], "!")
	a := Attribute{Name: name, Required: required}
	i := slices.IndexFunc(datatypeTraits[:], func(t datatypeTrait) bool { return t.name == words[1] })
	if i < 0 || Datatype(i) == Invalid {
		return a, fmt.Errorf("datatype %q: %w", words[1], errUnknown)
	}
	a.Type = Datatype(i)
	for rest := words[2:]; len(rest) > 0; {
		used, err := b.attributeWord(e, &a, rest)
		if err != nil {
			return a, err
		}
		rest = rest[used:]
	}
	return a, nil
}

// attributeWord reads one statement and returns the number of its words.
func (b *builder) attributeWord(e *Element, a *Attribute, words []string) (int, error) {
	switch word := words[0]; {
	case word == "=" || word == "~":
		return b.values(e, a, words)
	case word == "->":
		n := end(words)
		a.Targets = words[1:n]
		return n, nil
	case word == "extension":
		a.Extension = true
		return 1, nil
	case word == "deprecated" && len(words) > 1:
		a.Deprecated = Deprecation{Since: words[1], Use: strings.Join(words[2:], " ")}
		return len(words), nil
	case strings.HasPrefix(word, "["):
		unit := slices.Index(unitSymbols[:], strings.Trim(word, "[]"))
		if unit < 0 || Unit(unit) == NoUnit {
			return 0, fmt.Errorf("unit %q: %w", word, errUnknown)
		}
		a.Unit = Unit(unit)
		return 1, nil
	case strings.Contains(word, ".."):
		return 1, a.bounds(word)
	case strings.HasSuffix(word, "+"):
		n, err := strconv.Atoi(strings.TrimSuffix(word, "+"))
		a.MinItems = n
		return 1, err
	default:
		return 0, fmt.Errorf("%w %q", errWord, word)
	}
}

func (a *Attribute) bounds(word string) error {
	low, high, _ := strings.Cut(word, "..")
	b := Bounds{Min: math.Inf(-1), Max: math.Inf(1)}
	var err error
	if low != "" {
		b.Min, err = strconv.ParseFloat(low, 64)
	}
	if high != "" && err == nil {
		b.Max, err = strconv.ParseFloat(high, 64)
	}
	if err != nil {
		return fmt.Errorf("bounds %q: %w", word, err)
	}
	a.Bounds = &b
	return nil
}

// values reads the name of a list, or the values of a separate list, which are
// separated by bars.
func (b *builder) values(e *Element, a *Attribute, words []string) (int, error) {
	n := end(words)
	closed := words[0] == "="
	if n == 2 {
		if l := b.v.byList[words[1]]; l != nil {
			a.Values = l
			if l.Closed != closed {
				return 0, fmt.Errorf("list %q is not written %q: %w", l.Name, words[0], errWord)
			}
			return n, nil
		}
		if words[1] != strings.Trim(words[1], "|") || !closed {
			return 0, fmt.Errorf("list %q: %w", words[1], errUnknown)
		}
	}
	l := &List{Name: e.Name + "/@" + a.Name, Clause: e.Clause, Closed: closed}
	for _, word := range words[1:n] {
		if word != "|" {
			l.Values = append(l.Values, word)
		}
	}
	a.Values = l
	return n, b.addList(l)
}

// end returns the number of words of the first statement.
func end(words []string) int {
	for i, word := range words[1:] {
		switch {
		case word == "=", word == "~", word == "->", word == "deprecated", word == "extension",
			strings.HasPrefix(word, "["), strings.Contains(word, ".."):
			return i + 1
		}
	}
	return len(words)
}

// childOf reads "Name", with "?" for an optional child, "*" for any number, "+" for one
// or more, "{0,2}" for other numbers. "A | B" are alternatives, which may be in brackets
// before such a mark. "<resource>" is any element of a kind. The line may end with
// "deprecated 2.1 hint".
func childOf(line string) (childLine, error) {
	c := childLine{min: 1, max: 1}
	line, hint, deprecated := strings.Cut(line, " deprecated ")
	if deprecated {
		c.deprecated.Since, c.deprecated.Use, _ = strings.Cut(hint, " ")
	}
	if i := strings.IndexByte(line, '{'); i > 0 {
		if _, err := fmt.Sscanf(line[i:], "{%d,%d}", &c.min, &c.max); err != nil {
			return c, fmt.Errorf("numbers %q: %w", line[i:], err)
		}
		line = line[:i]
	} else {
		last := len(line) - 1
		switch line[last] {
		case '?':
			c.min, line = 0, line[:last]
		case '*':
			c.min, c.max, line = 0, 0, line[:last]
		case '+':
			c.max, line = 0, line[:last]
		}
	}
	if kind, ok := strings.CutPrefix(line, "<"); ok {
		if c.kind, ok = kindNamed(strings.TrimSuffix(kind, ">")); !ok {
			return c, fmt.Errorf("kind %q: %w", kind, errUnknown)
		}
		return c, nil
	}
	for name := range strings.SplitSeq(strings.Trim(line, "()"), "|") {
		c.names = append(c.names, strings.TrimSpace(name))
	}
	return c, nil
}

// link resolves the names of children and of targets.
func (b *builder) link() error {
	for _, e := range b.v.elements {
		e.children = map[string]int{}
		for _, line := range b.children[e] {
			if err := b.addChildren(e, line); err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
		}
		for i := range e.Attributes {
			for _, target := range e.Attributes[i].Targets {
				if b.v.byElement[target] == nil {
					return fmt.Errorf("%s/@%s: target %q: %w", e.Name, e.Attributes[i].Name, target, errUnknown)
				}
			}
		}
	}
	return nil
}

func (b *builder) addChildren(e *Element, line childLine) error {
	choice := -1
	names := line.names
	if line.kind != Structure {
		for _, member := range b.v.ofKind[line.kind] {
			names = append(names, member.Name)
		}
	}
	if len(names) > 1 {
		choice = len(e.Choices)
		e.Choices = append(e.Choices, Choice{Min: line.min, Many: line.max != 1, Children: names})
		line.min = 0
	}
	for _, name := range names {
		child := b.v.byElement[name]
		if child == nil {
			return fmt.Errorf("child %q: %w", name, errUnknown)
		}
		if _, twice := e.children[name]; twice {
			return fmt.Errorf("child %q: %w", name, errDuplicate)
		}
		e.children[name] = len(e.Children)
		e.Children = append(e.Children, Child{
			Name: name, Element: child, Min: line.min, Max: line.max, Choice: choice,
			Many: line.max != 1 && line.kind != Message, Deprecated: line.deprecated,
		})
	}
	return nil
}
