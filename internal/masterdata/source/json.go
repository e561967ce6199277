// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonFile reads a JSON file token by token.
type jsonFile struct {
	*draft
	file   int
	data   []byte
	tokens *jsontext.Decoder
	// only is the only list allowed in the file, or nil for a whole document.
	only *table
	// Lines are counted up to offset, which is in the line that begins at start.
	offset, start int
	line          uint32
}

// failJSON reports a syntax error.
func (j *jsonFile) failJSON(err *jsontext.SyntacticError) {
	j.offset, j.start, j.line = 0, 0, 1 // the fault may be before the current offset
	at := j.spotOf(int(min(err.ByteOffset, int64(len(j.data)))))
	reason := fmt.Sprintf("no JSON: %.200s", strings.TrimPrefix(err.Err.Error(), "jsontext: "))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		reason = "this name is there already"
	}
	j.fail(place{j.file, at}, reason)
}

// document reads the whole file.
func (j *jsonFile) document() error {
	if j.only != nil && j.tokens.PeekKind() == '[' {
		if err := j.list(j.only); err != nil {
			return err
		}
		return j.finish()
	}
	if k := j.tokens.PeekKind(); k != '{' {
		if k > 0 {
			j.fail(j.here(), "a document is an object of "+strings.Join(j.members(), ", "))
		}
		return j.tokens.SkipValue()
	}
	if err := j.each(j.member); err != nil {
		return err
	}
	return j.finish()
}

// finish reports content after the document.
func (j *jsonFile) finish() error {
	if _, err := j.tokens.ReadToken(); err == nil {
		j.fail(j.here(), "more than one value")
	} else if syntax := new(jsontext.SyntacticError); errors.As(err, &syntax) {
		return syntax
	}
	return nil
}

// each reads the members of an object.
func (j *jsonFile) each(one func(name string, at spot) error) error {
	if _, err := j.tokens.ReadToken(); err != nil {
		return err
	}
	for j.tokens.PeekKind() == '"' {
		at := j.here().spot
		name, err := j.tokens.ReadToken()
		if err != nil {
			return err
		}
		if err := one(name.String(), at); err != nil {
			return err
		}
		if err := j.advance(j.tokens.InputOffset()); err != nil {
			return err
		}
	}
	_, err := j.tokens.ReadToken() // the end of the object, or a syntax error
	return err
}

// member reads a member of the document.
func (j *jsonFile) member(name string, at spot) error {
	here := place{j.file, at}
	if t := j.table(name); t != nil {
		if j.only != nil && t != j.only {
			j.fail(here, fmt.Sprintf("this file has %s alone", j.only.member))
			return j.tokens.SkipValue()
		}
		return j.list(t)
	}
	m, known := j.header().shape.root.members[name]
	switch {
	case j.only != nil:
		j.fail(here, fmt.Sprintf("this file has %s alone; the rest stands in %s", j.only.member, headerFile))
		return j.tokens.SkipValue()
	case !known:
		j.fail(here, meant(name, j.members()))
		return j.tokens.SkipValue()
	}
	if j.header().size() == 0 {
		if err := j.begin(j.header(), place{j.file, spot{1, 0}}); err != nil {
			return err
		}
	}
	return j.value(j.header(), m, name, at)
}

// list reads the entries of a list.
func (j *jsonFile) list(t *table) error {
	at := j.here()
	if !j.open(t, at) {
		return j.tokens.SkipValue()
	}
	if j.tokens.PeekKind() != '[' {
		j.fail(at, t.member+" is an array")
		return j.tokens.SkipValue()
	}
	if _, err := j.tokens.ReadToken(); err != nil {
		return err
	}
	for more(j.tokens.PeekKind()) {
		if err := j.entry(t); err != nil {
			return err
		}
	}
	_, err := j.tokens.ReadToken()
	return err
}

// more reports whether a value of an array follows.
func more(k jsontext.Kind) bool { return k != ']' && k > 0 }

func (j *jsonFile) entry(t *table) error {
	at := j.here()
	if err := j.begin(t, at); err != nil {
		return err
	}
	if j.tokens.PeekKind() != '{' {
		j.refuse(t, wholeEntry, "is an object of "+strings.Join(t.shape.root.names, ", "), at.spot)
		return errors.Join(j.tokens.SkipValue(), j.advance(j.progressed))
	}
	if err := j.object(t, t.shape.root, ""); err != nil {
		return err
	}
	j.end(t)
	return nil
}

func (j *jsonFile) object(t *table, m *member, path string) error {
	return j.each(func(name string, at spot) error {
		below, known := m.members[name]
		if !known {
			j.refuse(t, path+shown(name), meant(name, m.names), at)
			return j.tokens.SkipValue()
		}
		return j.value(t, below, path+name, at)
	})
}

// value reads the value of a member.
func (j *jsonFile) value(t *table, m *member, path string, at spot) error {
	object := j.tokens.PeekKind() == '{'
	switch {
	case m.column >= 0 && object:
		j.refuse(t, path, "is a value, not an object", at)
		return j.tokens.SkipValue()
	case m.column >= 0:
		v, err := j.scalars()
		if err == nil {
			j.put(t, m.column, v, at)
		}
		return err
	case object:
		return j.object(t, m, path+".")
	default:
		j.refuse(t, path, "is an object of "+strings.Join(m.names, ", "), at)
		return j.tokens.SkipValue()
	}
}

// scalars reads a value or an array of values.
func (j *jsonFile) scalars() (value, error) {
	if j.tokens.PeekKind() != '[' {
		return j.scalar()
	}
	if _, err := j.tokens.ReadToken(); err != nil {
		return value{}, err
	}
	list := value{form: sequence}
	for more(j.tokens.PeekKind()) {
		item, err := j.scalar()
		if err != nil {
			return list, err
		}
		// One item above the bound is enough to report the excess.
		if len(list.items) <= maxItems {
			list.items = append(list.items, item)
		}
	}
	_, err := j.tokens.ReadToken()
	return list, err
}

func (j *jsonFile) scalar() (value, error) {
	if k := j.tokens.PeekKind(); k == '{' || k == '[' {
		return value{form: sequence}, j.tokens.SkipValue()
	}
	token, err := j.tokens.ReadToken()
	if err != nil {
		return value{}, err
	}
	v := value{form: quoted, text: token.String()}
	switch token.Kind() {
	case 'n':
		v = value{form: nothing}
	case 't', 'f':
		v.form = boolean
	case '0':
		v.form = number
	}
	return v, nil
}

// here returns the place of the next token.
func (j *jsonFile) here() place {
	at := int(j.tokens.InputOffset())
	for at < len(j.data) && strings.IndexByte(" \t\r\n,:", j.data[at]) >= 0 {
		at++
	}
	return place{j.file, j.spotOf(at)}
}

// spotOf returns the line and column of an offset, which must not precede the last one.
func (j *jsonFile) spotOf(offset int) spot {
	passed := j.data[j.offset:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		j.line += uint32(n)
		j.start = j.offset + bytes.LastIndexByte(passed, '\n') + 1
	}
	j.offset = offset
	return spot{j.line, uint32(offset - j.start + 1)}
}
