// SPDX-License-Identifier: Apache-2.0

package xjdf

import "github.com/go-json-experiment/json/jsontext"

// root reads the object that is the root element or that wraps it. The
// element of a wrapper has a name and an origin.
func (r *jsonReader) root(wrapper *string, key, index int32) error {
	n, reason, detail := r.element(nil)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	at, mark, err := r.begin()
	if err != nil {
		return err
	}
	n.origin = origin{at: at, key: key, index: index}
	if wrapper != nil {
		r.doc.Wrapped = true
		if n.Name, err = r.resolve(*wrapper); err != nil {
			return err
		}
	}
	r.doc.Root = n
	// Until its name is known, the attributes are read as those of an XJDF.
	n.Definition = r.vocabulary.Root("XJDF")
	o := r.open(n)
	if err := r.members(o, nil, false); err != nil {
		return err
	}
	if r.doc.Root != n { // it was the wrapper
		return nil
	}
	if err := r.nameRoot(o, wrapper != nil); err != nil {
		return err
	}
	return r.finish(o, mark)
}

// nameRoot finds the name of the root: that of its wrapper, that of its member "Name",
// or else the name that fits its children.
func (r *jsonReader) nameRoot(o open, wrapped bool) error {
	n := o.node
	name := n.Name
	if r.named != "" {
		var err error
		if name, err = r.resolve(r.named); err != nil {
			return err
		}
		if wrapped && !name.same(n.Name) {
			return r.refuse(ReasonShape, "the root has the names "+quote(n.Name.String())+" and "+quote(r.named))
		}
	} else if !wrapped {
		name = Name{Space: r.spaces.unprefixed, Local: "XJDF"}
		if r.isMessage(o) {
			name.Local = "XJMF"
		}
	}
	n.Definition = nil
	r.name(n, name)
	for i := range r.attributesOf(o) {
		a := &r.attributes[o.attributes+i]
		a.Definition = nil
		define(a, n.Definition)
	}
	r.doc.Context = r.spaces.declared()
	return nil
}

// isMessage reports whether a root has a child that only an XJMF has.
func (r *jsonReader) isMessage(o open) bool {
	xjmf := r.vocabulary.Root("XJMF")
	for _, child := range r.children[o.children:] {
		if known, _ := xjmf.Child(child.Name.Local); known != nil && child.Name.Core() {
			return true
		}
	}
	return false
}

// declare reads a declaration. It needs a survey unless the declaration is the first
// member of the root, and so precedes all names that it could affect.
func (r *jsonReader) declare(o open, m member) error {
	if r.survey != nil {
		return r.syntax(r.tokens.SkipValue())
	}
	if o.node != r.doc.Root || !r.empty(o) {
		return errSurvey
	}
	value, err := r.tokens.ReadValue()
	if err != nil {
		return r.syntax(err)
	}
	r.last = int(r.tokens.InputOffset()) - len(value)
	found, reason, detail := declarations(m.name, value)
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	for _, d := range found {
		if d.prefix == "" && d.space != Namespace && r.doc.Wrapped {
			return errSurvey // the name of the root was read before it
		}
		r.spaces.declare(d.prefix, d.space)
	}
	return nil
}

// rootMember reads the members that only the outermost object has.
func (r *jsonReader) rootMember(o open, m member) (bool, error) {
	kind := r.tokens.PeekKind()
	switch {
	case m.name == schemaMember && kind == '"':
		var err error
		r.doc.Schema, _, err = r.value()
		return true, err
	case r.doc.Root != o.node:
		return true, r.refuse(ReasonShape, quote(m.name)+" beside the document")
	case m.local == nameMember && kind == '"':
		var err error
		r.style = r.style || m.sign
		if r.named != "" {
			return true, r.refuse(ReasonDuplicate, quote(nameMember))
		}
		r.named, _, err = r.value()
		r.doc.Named = true
		return true, err
	case !r.doc.Wrapped && r.named == "" && r.empty(o) && (kind == '{' || kind == '['):
		if _, local, ok := split(m.name); ok && r.vocabulary.Root(local) != nil {
			return true, r.wrapped(m, kind)
		}
	}
	return false, nil
}

// wrapped reads the document out of {"XJDF": {...}}. The object around it is no
// element, so it does not count.
func (r *jsonReader) wrapped(m member, kind jsontext.Kind) error {
	r.depth--
	r.nodes--
	if kind == '{' {
		return r.root(&m.name, m.at, 0)
	}
	if _, err := r.tokens.ReadToken(); err != nil {
		return r.syntax(err)
	}
	if r.tokens.PeekKind() == '{' {
		if err := r.root(&m.name, m.at, 1); err != nil {
			return err
		}
	}
	if kind := r.tokens.PeekKind(); kind != ']' && kind != 0 || !r.doc.Wrapped {
		return r.refuse(ReasonShape, "a body must contain exactly one document")
	}
	_, err := r.tokens.ReadToken()
	return r.syntax(err)
}
