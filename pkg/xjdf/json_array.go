// SPDX-License-Identifier: Apache-2.0

package xjdf

import "strings"

// array reads an array: elements of one name, or the items of a list.
func (r *jsonReader) array(o open, m member) error {
	if r.isPool(m) && !m.sign {
		return r.pool(o, m)
	}
	if r.isText(o.node, m) {
		return r.refuse(ReasonShape, "text must be a single value")
	}
	if _, err := r.tokens.ReadToken(); err != nil {
		return r.syntax(err)
	}
	var items list
	elements := false
	known := o.node.Definition != nil && o.node.Definition.Attribute(m.local) != nil
	texts := !known && r.isTextElement(m)
	for index := int32(1); ; index++ {
		var err error
		kind := r.tokens.PeekKind()
		switch {
		case kind == ']':
			if _, err := r.tokens.ReadToken(); err != nil {
				return r.syntax(err)
			}
			if elements || items.count == 0 && !m.sign && !known && r.isElement(m) {
				return nil
			}
			name, _, err := r.attributeName(o.node, m)
			if err != nil {
				return err
			}
			if items.count == 0 {
				items.form = FormTexts
			}
			return r.attribute(o, m, Attribute{Name: name, Value: items.String(), Form: items.form})
		case kind == '{' && items.count == 0 && !m.sign:
			elements = true
			err = r.child(o, m, index)
		case kind == '{', kind == '[' && (elements || texts), !texts && elements:
			return r.refuse(ReasonShape, "an array contains both elements and values: "+quote(m.name))
		case kind == '[':
			err = r.pair(&items)
		case texts:
			elements = true
			var text string
			if text, _, err = r.value(); err == nil {
				err = r.textElement(o, m, text, index)
			}
		default:
			err = r.item(&items)
		}
		if err != nil {
			return err
		}
	}
}

// isElement reports whether the name of a member is that of an element.
func (r *jsonReader) isElement(m member) bool {
	prefix, local, _ := split(m.local)
	return r.spaces.core(prefix) && r.vocabulary.Element(local) != nil
}

// list gathers the items of an array into one value.
type list struct {
	first string
	value strings.Builder // from the second item on
	count int
	form  Form
}

// add appends an item. An item that XML could not separate from its neighbours makes
// the list a mixed one, which keeps the value readable and the fault visible.
func (l *list) add(item string, form Form) {
	if item == "" || loose(item) || strings.IndexByte(item, ' ') >= 0 {
		form = FormMixed
	}
	if l.count++; l.count == 1 {
		l.first, l.form = item, form
		return
	}
	if l.count == 2 {
		l.value.WriteString(l.first)
	}
	l.value.WriteByte(' ')
	l.value.WriteString(item)
	if l.form != form {
		l.form = FormMixed
	}
}

func (l *list) String() string {
	if l.count < 2 {
		return l.first
	}
	return l.value.String()
}

// item reads an item of a list.
func (r *jsonReader) item(items *list) error {
	value, form, err := r.value()
	if err != nil {
		return err
	}
	switch form {
	case FormNumber:
		items.add(value, FormNumbers)
	case FormBoolean:
		items.add(value, FormBooleans)
	default:
		items.add(value, FormTexts)
	}
	return nil
}

// pair reads an array in an array, a point of a transfer function. Its items
// become items of the list.
func (r *jsonReader) pair(items *list) error {
	if _, err := r.tokens.ReadToken(); err != nil {
		return r.syntax(err)
	}
	count := 0
	for ; r.tokens.PeekKind() != ']'; count++ {
		if kind := r.tokens.PeekKind(); kind == '[' || kind == '{' {
			return r.refuse(ReasonShape, "a list must contain values or pairs of values")
		}
		value, form, err := r.value()
		if err != nil {
			return err
		}
		if form != FormNumber {
			items.form = FormMixed
		}
		items.add(value, FormPairs)
	}
	if count != 2 {
		items.form = FormMixed
	}
	_, err := r.tokens.ReadToken()
	return r.syntax(err)
}

// pool reads the elements of several names that the standard has in one array, each
// with its name in the member "Name". It also reads the output of converters from XML:
// an object with a member for each name.
func (r *jsonReader) pool(o open, m member) error {
	n, reason, detail := r.element(o.node)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	name, err := r.resolve(m.local)
	if err != nil {
		return err
	}
	r.name(n, name)
	n.origin = origin{at: m.at, key: m.at}
	own, mark := r.open(n), r.spaces.mark()
	if r.tokens.PeekKind() == '{' {
		err = r.poolItem(own, 0)
	} else {
		err = r.poolItems(own)
	}
	if err != nil {
		return err
	}
	return r.finish(own, mark)
}

func (r *jsonReader) poolItems(pool open) error {
	if _, err := r.tokens.ReadToken(); err != nil {
		return r.syntax(err)
	}
	for index := int32(1); r.tokens.PeekKind() != ']'; index++ {
		if r.tokens.PeekKind() != '{' {
			if _, _, err := r.value(); err != nil {
				return err
			}
			return r.refuse(ReasonShape, quote(pool.node.Name.Local)+" is an array of objects")
		}
		if err := r.poolItem(pool, index); err != nil {
			return err
		}
	}
	_, err := r.tokens.ReadToken()
	return r.syntax(err)
}

// poolItem reads an object of a pool: an element, if it has a name, otherwise
// members of the pool itself.
func (r *jsonReader) poolItem(pool open, index int32) error {
	at, mark, err := r.begin()
	if err != nil {
		return err
	}
	if r.tokens.PeekKind() == '}' {
		r.spaces.restore(mark)
		_, err := r.tokens.ReadToken()
		return r.syntax(err)
	}
	first, err := r.memberName()
	if err != nil {
		return err
	}
	if first.local == nameMember && r.tokens.PeekKind() == '"' {
		name, _, err := r.value()
		if err != nil {
			return err
		}
		r.style = r.style || first.sign
		return r.poolElement(pool, name, nil, origin{at: at, index: index}, mark)
	}
	if r.survey == nil {
		return errSurvey
	}
	if name, ok := r.survey.names[at]; ok {
		return r.poolElement(pool, name, &first, origin{at: at, index: index}, mark)
	}
	return r.fragment(pool, &first, index, mark)
}

// poolElement reads an element of a pool whose name is known. first is the first
// member, unless that was the name.
func (r *jsonReader) poolElement(pool open, written string, first *member, from origin, mark int) error {
	n, reason, detail := r.element(pool.node)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	name, err := r.resolve(written)
	if err != nil {
		return err
	}
	r.name(n, name)
	n.origin = from
	own := r.open(n)
	if err := r.members(own, first, first != nil); err != nil {
		return err
	}
	return r.finish(own, mark)
}

// fragment reads an object without a name into the pool itself.
func (r *jsonReader) fragment(pool open, first *member, index int32, mark int) error {
	attributes, children := len(r.attributes), len(r.children)
	if err := r.members(pool, first, false); err != nil {
		return err
	}
	r.spaces.restore(mark)
	if index == 0 {
		return nil
	}
	if r.doc.fragments == nil {
		r.doc.fragments = map[int32]int32{}
	}
	for i := range r.attributes[attributes:] {
		r.doc.fragments[r.attributes[attributes+i].key] = index
	}
	for _, child := range r.children[children:] {
		r.doc.fragments[child.origin.key] = index
	}
	return nil
}
