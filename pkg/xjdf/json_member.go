// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Names of members with a special meaning.
const (
	nameMember    = "Name"     // the name of an item of a pool, and of the root
	textMember    = "Text"     // the text of a Comment
	anyTextMember = "#text"    // text in attribute JSON, and of elements that should have none
	contextMember = "@context" // namespaces of prefixes
	schemaMember  = "$schema"
)

// member is the name of a member of an object.
type member struct {
	name  string // as it was written
	local string // without the at sign
	at    int32  // offset plus one
	sign  bool   // it had an at sign
}

func (r *jsonReader) memberName() (member, error) {
	raw, err := r.tokens.ReadValue()
	if err != nil {
		return member{}, r.syntax(err)
	}
	r.last = int(r.tokens.InputOffset()) - len(raw)
	m := member{at: int32(r.last + 1)}
	if m.name, err = r.unquote(raw); err != nil {
		return member{}, err
	}
	m.local, m.sign = strings.CutPrefix(m.name, "@")
	return m, nil
}

// unquote returns the text of the string that was just read. It is a part of the body,
// unless it has escapes.
func (r *jsonReader) unquote(raw jsontext.Value) (string, error) {
	end := int(r.tokens.InputOffset())
	text := r.text[end-len(raw)+1 : end-1]
	escaped := bytes.IndexByte(raw, '\\') >= 0
	if escaped {
		plain, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return "", r.syntax(err)
		}
		text = string(plain)
	}
	if (escaped || r.odd) && !storable(text) {
		return "", r.refuse(ReasonCharacter, "XML does not allow the character")
	}
	return text, nil
}

// member reads the value of a member: an attribute, text, or elements.
func (r *jsonReader) member(o open, m member) error {
	if done, err := r.special(o, m); done || err != nil {
		return err
	}
	switch kind := r.tokens.PeekKind(); kind {
	case '{':
		if m.sign {
			return r.refuse(ReasonShape, "the attribute "+quote(m.local)+" is an object")
		}
		if r.isPool(m) {
			return r.pool(o, m)
		}
		return r.child(o, m, 0)
	case '[':
		return r.array(o, m)
	default:
		return r.scalar(o, m)
	}
}

// special reads the members that are neither attributes nor elements.
func (r *jsonReader) special(o open, m member) (bool, error) {
	if m.name == contextMember {
		return true, r.declare(o, m)
	}
	if o.node.Parent == nil {
		if done, err := r.rootMember(o, m); done || err != nil {
			return done, err
		}
	}
	r.style = r.style || m.sign
	if strings.HasPrefix(m.local, "xmlns") && declares(m.local, r.tokens.PeekKind()) {
		return true, r.declare(o, m)
	}
	return false, nil
}

// scalar reads a string, a number or a boolean.
func (r *jsonReader) scalar(o open, m member) error {
	value, form, err := r.value()
	if err != nil {
		return err
	}
	if r.isText(o.node, m) {
		if o.node.Text != "" {
			return r.refuse(ReasonDuplicate, quote(m.name))
		}
		o.node.Text = value
		return nil
	}
	attribute, known, err := r.attributeName(o.node, m)
	if err != nil {
		return err
	}
	if !known && !m.sign && r.isTextElement(m) {
		return r.textElement(o, m, value, 0)
	}
	return r.attribute(o, m, Attribute{Name: attribute, Value: value, Form: form})
}

// value reads a string, a number or a boolean as XML would have it.
func (r *jsonReader) value() (string, Form, error) {
	raw, err := r.tokens.ReadValue()
	if err != nil {
		return "", 0, r.syntax(err)
	}
	end := int(r.tokens.InputOffset())
	r.last = end - len(raw)
	switch raw.Kind() {
	case '"':
		text, err := r.unquote(raw)
		return text, FormText, err
	case '0':
		return r.text[end-len(raw) : end], FormNumber, nil
	case 't', 'f':
		return r.text[end-len(raw) : end], FormBoolean, nil
	default:
		return "", 0, r.refuse(ReasonNull, "omit unknown members")
	}
}

// isText reports whether a member is the text of its element.
func (r *jsonReader) isText(n *Node, m member) bool {
	if m.name == anyTextMember {
		return true
	}
	return m.name == textMember && keepsBlank(n.Definition)
}

// isTextElement reports whether a string under this name is an element.
func (r *jsonReader) isTextElement(m member) bool {
	if m.sign {
		return false
	}
	prefix, local, _ := split(m.local)
	e := r.vocabulary.Element(local)
	return e != nil && e.Text != vocabulary.NoText && r.spaces.core(prefix)
}

// isPool reports whether a member holds elements of several names in one array.
func (r *jsonReader) isPool(m member) bool {
	prefix, local, _ := split(m.local)
	e := r.vocabulary.Element(local)
	return e != nil && e.Pool && r.spaces.core(prefix)
}

// attributeName returns the name of an attribute, and whether the vocabulary has it on
// the element.
func (r *jsonReader) attributeName(n *Node, m member) (name Name, known bool, err error) {
	if n.Definition != nil {
		if a := n.Definition.Attribute(m.local); a != nil {
			return Name{Local: a.Name}, true, nil
		}
	}
	if strings.IndexByte(m.local, ':') >= 0 {
		name, err = r.resolve(m.local)
		return name, false, err
	}
	if !plain(m.local) {
		return Name{}, false, r.refuse(ReasonName, quote(m.name))
	}
	return Name{Local: m.local}, false, nil
}

// attribute adds an attribute to the element that is open.
func (r *jsonReader) attribute(o open, m member, a Attribute) error {
	if a.Name.Space == schemaNamespace {
		return nil
	}
	if reason, detail := r.count(1); reason != 0 {
		return r.refuse(reason, detail)
	}
	a.key = m.at
	r.prefixed = r.prefixed || a.Name.Space != ""
	define(&a, o.node.Definition)
	if a.Form == FormNumber && a.Definition != nil && a.Definition.Type.Whole() {
		a.Value = wholeNumber(a.Value)
	}
	r.attributes = append(r.attributes, a)
	return nil
}

// maxExponent is the largest exponent that wholeNumber writes as zeros.
const maxExponent = 18

// wholeNumber returns the digits of a whole number. JSON and its schemas do not distinguish
// 5000.0 and 5e3 from 5000, and programs write their decimal numbers in these ways. Numbers
// with a fraction, a negative exponent or a large one are returned as they are.
func wholeNumber(number string) string {
	if !strings.ContainsAny(number, ".eE") {
		return number
	}
	unsigned, negative := strings.CutPrefix(strings.ToLower(number), "-")
	mantissa, power, _ := strings.Cut(unsigned, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	exponent, err := strconv.Atoi(cmp.Or(power, "0"))
	if err != nil || exponent < len(fraction) || exponent > maxExponent {
		return number
	}
	digits := strings.TrimLeft(whole+fraction+strings.Repeat("0", exponent-len(fraction)), "0")
	if negative {
		return "-" + cmp.Or(digits, "0")
	}
	return cmp.Or(digits, "0")
}

// textElement adds an element that was written as a string.
func (r *jsonReader) textElement(o open, m member, text string, index int32) error {
	n, reason, detail := r.element(o.node)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	name, err := r.resolve(m.local)
	if err != nil {
		return err
	}
	r.name(n, name)
	n.Text = text
	n.origin = origin{at: int32(r.last + 1), key: m.at, index: index}
	r.depth--
	return nil
}

// child reads an object that is an element.
func (r *jsonReader) child(o open, m member, index int32) error {
	n, reason, detail := r.element(o.node)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	at, mark, err := r.begin()
	if err != nil {
		return err
	}
	n.origin = origin{at: at, key: m.at, index: index}
	name, err := r.resolve(m.local)
	if err != nil {
		return err
	}
	r.name(n, name)
	own := r.open(n)
	if err := r.members(own, nil, false); err != nil {
		return err
	}
	return r.finish(own, mark)
}
