// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlReader makes a tree of XML tokens. encoding/xml does the lexical work. xmlReader
// checks what encoding/xml does not check in raw tokens, or at all: that tags match,
// that prefixes are bound, and that attributes are unique.
type xmlReader struct {
	builder
	body   []byte
	tokens *xml.Decoder
	doc    *Document
	spaces namespaces
	frames []frame
	start  int64 // the offset of the token
}

// frame is an open element.
type frame struct {
	open
	tag  xml.Name // as it was written
	text []byte
	mark int
}

// errCharset comes back from the tokenizer for a declared encoding that is not
// UTF-8.
var errCharset = errors.New("only UTF-8 is supported")

func readXML(body []byte, limits Limits) (*Document, error) {
	r := &xmlReader{
		builder: newBuilder(body, limits),
		body:    body,
		doc:     &Document{Encoding: XML, body: body},
	}
	text := bytes.TrimPrefix(body, byteOrderMark)
	r.tokens = xml.NewDecoder(bytes.NewReader(text))
	r.tokens.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errCharset }
	if err := r.document(int64(len(body) - len(text))); err != nil {
		return nil, err
	}
	return r.doc, nil
}

func (r *xmlReader) document(skipped int64) error {
	for {
		r.start = skipped + r.tokens.InputOffset()
		token, err := r.tokens.RawToken()
		if errors.Is(err, io.EOF) {
			switch {
			case len(r.frames) > 0:
				return refusal(r.body, int64(len(r.body)), ReasonSyntax, "the document is incomplete")
			case r.doc.Root == nil:
				return refusal(r.body, 0, ReasonEmpty, "no element")
			default:
				return nil
			}
		}
		if err != nil {
			offset := skipped + r.tokens.InputOffset()
			if errors.Is(err, errCharset) {
				return refusal(r.body, r.start, ReasonCharset, fmt.Sprint(errCharset))
			}
			if syntactic, ok := errors.AsType[*xml.SyntaxError](err); ok {
				return refusal(r.body, offset, ReasonSyntax, syntactic.Msg)
			}
			return refusal(r.body, offset, ReasonSyntax, strings.TrimPrefix(err.Error(), "xml: "))
		}
		if err := r.token(token, skipped); err != nil {
			return err
		}
	}
}

func (r *xmlReader) token(token xml.Token, skipped int64) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.startTag(t, skipped)
	case xml.EndElement:
		if len(r.frames) == 0 {
			return r.refuse(ReasonSyntax, "an end tag without a start tag")
		}
		f := r.frames[len(r.frames)-1]
		if f.tag != t.Name {
			return r.refuse(ReasonSyntax, "an end tag of "+quote(written(t.Name))+" in "+quote(written(f.tag)))
		}
		r.frames = r.frames[:len(r.frames)-1]
		f.node.Text = string(f.text)
		r.close(f.open)
		for _, child := range f.node.Children {
			child.after = int32(len(f.text)) - child.after // it held the length before the child
		}
		r.spaces.restore(f.mark)
		r.depth--
		return nil
	case xml.CharData:
		space := len(bytes.Trim(t, " \t\r\n")) == 0
		if len(r.frames) == 0 {
			if space {
				return nil
			}
			reason := ReasonTrailing
			if r.doc.Root == nil {
				reason = ReasonSyntax
			}
			return r.refuse(reason, "text outside the root element")
		}
		f := &r.frames[len(r.frames)-1]
		if !space || keepsBlank(f.node.Definition) {
			f.text = append(f.text, t...)
		}
		return nil
	case xml.ProcInst:
		if t.Target == "xml" && r.start == skipped {
			return nil
		}
		return r.refuse(ReasonInstruction, quote(t.Target))
	case xml.Directive:
		return r.refuse(ReasonDoctype, "")
	default: // a comment
		return nil
	}
}

func (r *xmlReader) startTag(t xml.StartElement, skipped int64) error {
	if len(r.frames) == 0 && r.doc.Root != nil {
		return r.refuse(ReasonTrailing, "a second root element")
	}
	var parent *Node
	before := 0
	if len(r.frames) > 0 {
		outer := &r.frames[len(r.frames)-1]
		parent, before = outer.node, len(outer.text)
	}
	n, reason, detail := r.element(parent)
	if reason == 0 {
		reason, detail = r.count(len(t.Attr))
	}
	if reason != 0 {
		return r.refuse(reason, detail)
	}
	n.origin.at, n.after = int32(r.start)+1, int32(before)
	mark := r.spaces.mark()
	if err := r.declare(n, t.Attr); err != nil {
		return err
	}
	name, err := r.resolve(t.Name, true)
	if err != nil {
		return err
	}
	r.name(n, name)
	if parent == nil {
		r.doc.Root = n
	}
	own := r.open(n)
	r.frames = append(r.frames, frame{open: own, tag: t.Name, mark: mark})
	tag := r.body[r.start : skipped+r.tokens.InputOffset()]
	return r.addAttributes(own, t.Attr, tag)
}

// declare applies the namespaces that a tag declares.
func (r *xmlReader) declare(n *Node, attributes []xml.Attr) error {
	var declared map[string]string
	for _, a := range attributes {
		prefix, ok := declaredPrefix(a.Name)
		if !ok {
			continue
		}
		if _, twice := declared[prefix]; twice {
			return r.refuse(ReasonDuplicate, quote("xmlns:"+prefix))
		}
		if !allowed(prefix, a.Value) {
			return r.refuse(ReasonPrefix, quote(prefix)+" for "+quote(a.Value))
		}
		if declared == nil {
			declared = map[string]string{}
		}
		declared[prefix] = a.Value
		r.spaces.declare(prefix, a.Value)
	}
	if n.Parent == nil {
		r.doc.Context = r.spaces.declared()
	}
	return nil
}

func declaredPrefix(name xml.Name) (prefix string, ok bool) {
	if name.Space == "xmlns" {
		return name.Local, true
	}
	return "", name.Space == "" && name.Local == "xmlns"
}

// resolve finds the namespace of a name. Attributes without a prefix have none.
func (r *xmlReader) resolve(written xml.Name, element bool) (Name, error) {
	// encoding/xml checks a name with its prefix, and so accepts "a:0".
	if strings.IndexByte(written.Local, ':') >= 0 || written.Space != "" && !plain(written.Local) {
		return Name{}, r.refuse(ReasonName, quote(written.Local))
	}
	name := Name{Prefix: written.Space, Local: written.Local}
	if name.Prefix == "" && !element {
		return name, nil
	}
	var bound bool
	if name.Space, bound = r.spaces.lookup(name.Prefix); !bound {
		return Name{}, r.refuse(ReasonPrefix, quote(name.Prefix)+" is not declared")
	}
	return name, nil
}

func (r *xmlReader) addAttributes(o open, attributes []xml.Attr, tag []byte) error {
	scanner := tagScanner{text: tag}
	for i, written := range attributes {
		if _, ok := declaredPrefix(written.Name); ok {
			continue
		}
		name, err := r.resolve(written.Name, false)
		if err != nil {
			return err
		}
		a := Attribute{Name: name, Value: written.Value}
		if strings.ContainsAny(a.Value, "\t\n\r") {
			a.Value = scanner.normalized(i, a.Value)
		}
		define(&a, o.node.Definition)
		r.attributes = append(r.attributes, a)
	}
	if twice := repeated(r.attributesOf(o)); twice != nil {
		return r.refuse(ReasonDuplicate, quote(twice.Name.String()))
	}
	// Take out what speaks to a validator of XML Schema:
	// xsi:type, xsi:schemaLocation. What it refers to is never fetched.
	kept := r.attributes[:o.attributes]
	for _, a := range r.attributes[o.attributes:] {
		if a.Name.Space != schemaNamespace {
			kept = append(kept, a)
		}
	}
	r.attributes = kept
	return nil
}

func written(name xml.Name) string {
	return Name{Prefix: name.Space, Local: name.Local}.String()
}

func (r *xmlReader) refuse(reason Reason, detail string) error {
	return refusal(r.body, r.start, reason, detail)
}
