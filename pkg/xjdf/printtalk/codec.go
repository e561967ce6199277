// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The reasons why XML is not a document of this package.
var (
	// ErrRoot means that the root is not PrintTalk 2.
	ErrRoot = errors.New("not a PrintTalk 2 document")
	// ErrMissing means that a required attribute or element is missing.
	ErrMissing = errors.New("a required item is missing")
	// ErrValue means that a value is invalid.
	ErrValue = errors.New("invalid value")
	// ErrRepeated means that an element occurs too often.
	ErrRepeated = errors.New("too many elements")
	// ErrObject means that the business object is unknown or has no type.
	ErrObject = errors.New("unsupported business object")
)

// Error is a fault and its place.
type Error struct {
	// Place is without line and column for a document that was not read.
	Place  xjdf.Place
	Reason error
	Detail string
}

// Error returns the reason, the detail and the place in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("PrintTalk: %s: %v: %s", e.Place.XPath, e.Reason, e.Detail)
	if e.Place.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Place.Line, e.Place.Column)
	}
	return text
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// Parse reads a document in XML. It ignores unknown attributes and elements; [Validate]
// reports them. An error is an [*xjdf.Error] for a body that is not XML or exceeds a limit,
// and an [*Error] otherwise.
func Parse(body []byte, limits xjdf.Limits) (*Document, error) {
	source, err := xjdf.ParseXML(body, limits)
	if err != nil {
		return nil, fmt.Errorf("read PrintTalk: %w", err)
	}
	return Decode(source)
}

// Decode returns the typed values of a document that was read. The result shares its
// elements of XJDF. An error is an [*Error].
func Decode(source *xjdf.Document) (*Document, error) {
	d := decoder{source}
	if name := source.Root.Name; name.Local != "PrintTalk" || name.Space != Namespace {
		return nil, d.fault(source.Root, "", ErrRoot, fmt.Sprintf("the root is %.80q in the namespace %.80q", name.Local, name.Space))
	}
	decoded := &Document{}
	if err := d.element(source.Root, shared().root, reflect.ValueOf(decoded).Elem()); err != nil {
		return nil, err
	}
	return decoded, nil
}

type decoder struct{ source *xjdf.Document }

func (d *decoder) fault(n *xjdf.Node, attribute string, reason error, detail string) *Error {
	place := d.source.Place(n)
	if attribute != "" {
		place = d.source.AttributePlace(n, attribute)
	}
	return &Error{Place: place, Reason: reason, Detail: detail}
}

func (d *decoder) element(n *xjdf.Node, e *element, to reflect.Value) error {
	for i := range e.attributes {
		f := &e.attributes[i]
		text, given := n.Attr(f.name)
		if !given {
			if f.required {
				return d.fault(n, f.name, ErrMissing, f.name)
			}
			continue
		}
		value, ok := f.read(text)
		if !ok {
			return d.fault(n, f.name, ErrValue, fmt.Sprintf("%.80q", text))
		}
		set(to.Field(f.index), value)
	}
	for i := range e.children {
		f := &e.children[i]
		count := 0
		for _, child := range n.Children {
			if !f.matches(child) {
				continue
			}
			if count++; f.max > 0 && count > f.max {
				return d.fault(child, "", ErrRepeated, fmt.Sprintf("at most %d", f.max))
			}
			if err := d.child(child, f, to.Field(f.index)); err != nil {
				return err
			}
		}
		if count == 0 && f.required {
			return d.fault(n, "", ErrMissing, f.title())
		}
	}
	return nil
}

// title returns the name of a child for messages.
func (f *field) title() string {
	if f.datatype == "object" {
		return "business object"
	}
	return f.name
}

// child decodes one child into its field, or appends it to the list there.
func (d *decoder) child(n *xjdf.Node, f *field, to reflect.Value) error {
	if f.datatype == "object" {
		e, known := shared().objects[n.Name.Local]
		if !known {
			return d.fault(n, "", ErrObject, fmt.Sprintf("%.80q", n.Name.Local))
		}
		made := reflect.New(objects()[n.Name.Local])
		to.Set(made)
		return d.element(n, e, made.Elem())
	}
	t := to.Type()
	if to.Kind() == reflect.Slice {
		t = t.Elem()
	}
	made := reflect.New(t).Elem()
	switch f.datatype {
	case "core":
		made.Set(reflect.ValueOf(n))
	case "text":
		if len(n.Text) > maxText {
			return d.fault(n, "", ErrValue, "the text is too long")
		}
		made.SetString(n.Text)
	default:
		inner := made
		if t.Kind() == reflect.Pointer {
			made.Set(reflect.New(t.Elem()))
			inner = made.Elem()
		}
		if err := d.element(n, f.of, inner); err != nil {
			return err
		}
	}
	if to.Kind() == reflect.Slice {
		made = reflect.Append(to, made)
	}
	to.Set(made)
	return nil
}

// set stores a value of field.read, where the field may be optional or of a named type.
func set(to reflect.Value, value any) {
	if amount, ok := value.(decimal.Decimal); ok && to.Type() == reflect.TypeFor[decimal.NullDecimal]() {
		value = decimal.NewNullDecimal(amount)
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	to.Set(reflect.ValueOf(value).Convert(to.Type()))
}

// Write writes the document as XML. An error is an [*Error] if the document has no valid
// form: a required item is missing, or a value is invalid.
func (d *Document) Write(w io.Writer) error {
	root, err := d.Tree()
	if err != nil {
		return err
	}
	if err := xjdf.WriteXML(w, root); err != nil {
		return fmt.Errorf("write PrintTalk: %w", err)
	}
	return nil
}

// Tree returns the document as a tree. Errors are those of [Document.Write].
func (d *Document) Tree() (*xjdf.Node, error) {
	root := &xjdf.Node{Name: xjdf.Name{Space: Namespace, Local: "PrintTalk"}}
	encode(root, shared().root, reflect.ValueOf(d).Elem())
	if _, err := Decode(&xjdf.Document{Root: root, Encoding: xjdf.XML}); err != nil {
		return nil, err
	}
	return root, nil
}

func encode(n *xjdf.Node, e *element, from reflect.Value) {
	for i := range e.attributes {
		f := &e.attributes[i]
		if text := format(from.Field(f.index)); text != "" {
			n.Set(f.name, text)
		}
	}
	for i := range e.children {
		f := &e.children[i]
		value := from.Field(f.index)
		switch {
		case value.Kind() == reflect.Slice:
			for j := range value.Len() {
				encodeChild(n, f, value.Index(j))
			}
		case value.Kind() == reflect.Struct || !value.IsZero() || f.required && f.datatype == "text":
			encodeChild(n, f, value)
		}
	}
}

func encodeChild(parent *xjdf.Node, f *field, from reflect.Value) {
	switch f.datatype {
	case "core":
		if given, _ := from.Interface().(*xjdf.Node); given != nil {
			copied := *given
			copied.Parent = parent
			parent.Children = append(parent.Children, &copied)
		}
	case "object":
		object, _ := from.Interface().(Object)
		if under := reflect.ValueOf(object); !under.IsNil() {
			encode(parent.Add(object.object()), shared().objects[object.object()], under.Elem())
		}
	case "text":
		parent.Add(f.name).Text = from.String()
	default:
		if from.Kind() == reflect.Pointer {
			from = from.Elem()
		}
		encode(parent.Add(f.name), f.of, from)
	}
}

// Jobs returns the XJDF documents of the business object, those of its quotes included.
func (d *Document) Jobs() []*xjdf.Node {
	switch o := d.Request.Object.(type) {
	case *RFQ:
		return slices.Clone(o.Jobs)
	case *PurchaseOrder:
		return slices.Clone(o.Jobs)
	case *Quotation:
		var all []*xjdf.Node
		for i := range o.Quotes {
			all = append(all, o.Quotes[i].Jobs...)
		}
		return all
	default:
		return nil
	}
}
