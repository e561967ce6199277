// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// maxMessages bounds the messages of a document.
const maxMessages = 100

// version is the version of documents that this package writes.
const version = "2.2"

// ErrMessages means that a document has no message, or too many.
var ErrMessages = errors.New("wrong number of messages")

// InvalidError means that a document violates XJDF 2.2.
type InvalidError struct{ Report validate.Report }

// Error returns the first fault with its place.
func (e *InvalidError) Error() string {
	f := e.Report.Findings[0]
	text := fmt.Sprintf("invalid XJMF: %s: %s", f.Path, f.Message)
	if f.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", f.Line, f.Column)
	}
	return text
}

// Is reports whether the target is [ValidationError], the return code for this error.
func (e *InvalidError) Is(target error) bool { return target == ValidationError }

// Parse reads and validates a document in XML or JSON. An error is an [*xjdf.Error] for a
// body that cannot be read, an [*InvalidError] for a document that violates the standard, an
// [*xjdf.ValueError] for a number that is too large, or wraps [ErrMessages].
func Parse(body []byte, limits xjdf.Limits) (*Document, error) {
	source, err := xjdf.Parse(body, limits)
	if err != nil {
		return nil, fmt.Errorf("read XJMF: %w", err)
	}
	return Decode(source)
}

// Decode validates a document that was read, and returns its messages. The result shares
// the trees of resources and of unknown messages. Errors are those of [Parse].
func Decode(source *xjdf.Document) (*Document, error) {
	if report := validate.New().ValidateMessage(source, validate.Options{}); !report.Valid {
		return nil, &InvalidError{report}
	}
	d := &Document{}
	d.Version, _ = source.Root.Attr("Version")
	for _, n := range source.Root.Children {
		if n.Name.Core() && n.Name.Local == "Header" {
			if err := decode(n, reflect.ValueOf(&d.Header).Elem()); err != nil {
				return nil, fmt.Errorf("invalid XJMF: %w", err)
			}
			continue
		}
		var m Message
		var err error
		if t, known := messageTypes[n.Name.Local]; known && n.Name.Core() {
			value := reflect.New(t)
			err = decode(n, value.Elem())
			m, _ = value.Interface().(Message)
		} else {
			u := &Unknown{Element: n}
			if header := n.Child("Header"); header != nil {
				err = decode(header, reflect.ValueOf(&u.Header).Elem())
			}
			m = u
		}
		if err != nil {
			return nil, fmt.Errorf("invalid XJMF: %w", err)
		}
		d.Messages = append(d.Messages, m)
	}
	if n := len(d.Messages); n == 0 || n > maxMessages || n > 1 && source.Encoding != xjdf.XML {
		return nil, fmt.Errorf("invalid XJMF: %w: %d", ErrMessages, n)
	}
	return d, nil
}

// Encode returns the document in an encoding. Errors are those of [Parse]: a document that
// the standard does not allow is not written.
func (d *Document) Encode(to xjdf.Encoding) ([]byte, error) {
	root := xjdf.New("XJMF").Set("Version", version)
	encode(root.Add("Header"), reflect.ValueOf(d.Header))
	for _, m := range d.Messages {
		if u, unknown := m.(*Unknown); unknown {
			element := *u.Element
			root.Children = append(root.Children, &element)
			continue
		}
		encode(root.Add(NameOf(m)), reflect.ValueOf(m).Elem())
	}
	var out bytes.Buffer
	if err := xjdf.Write(&out, root, to); err != nil {
		return nil, fmt.Errorf("write XJMF: %w", err)
	}
	if _, err := Parse(out.Bytes(), xjdf.Limits{Bytes: out.Len() + 1}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// nameOf returns the name of a field in XJMF: the name of the field, unless a tag
// names another one.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("xjmf"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// decode reads the attributes and children of a valid element into the fields of the same
// names. An error is an [*xjdf.ValueError] for a value that is valid and has no form in Go,
// such as an integer of thirty digits.
func decode(n *xjdf.Node, to reflect.Value) error {
	for i := range to.NumField() {
		definition, field := to.Type().Field(i), to.Field(i)
		name := nameOf(definition)
		var err error
		switch {
		case definition.Anonymous:
			err = decode(n, field)
		case strings.HasSuffix(definition.Tag.Get("xjmf"), ",text"):
			field.SetString(n.Text)
		case isAttribute(field.Type()):
			if n.Attribute(name) != nil {
				err = decodeAttribute(n, name, field)
			}
		default:
			for child := range n.All(name) {
				if err = decodeChild(child, field); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isAttribute reports whether a field of this type is an attribute, and not an element.
func isAttribute(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return t != reflect.TypeFor[*xjdf.Node]() && isAttribute(t.Elem())
	case reflect.Struct:
		return t == reflect.TypeFor[time.Time]()
	default:
		return true
	}
}

func decodeAttribute(n *xjdf.Node, name string, to reflect.Value) (err error) {
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return decodeAttribute(n, name, to.Elem())
	case reflect.Slice:
		for _, item := range n.Items(name) {
			to.Set(reflect.Append(to, reflect.ValueOf(item).Convert(to.Type().Elem())))
		}
	case reflect.Struct:
		var at time.Time
		at, err = n.Time(name)
		to.Set(reflect.ValueOf(at))
	case reflect.Int, reflect.Int64:
		var value int64
		value, err = n.Integer(name)
		to.SetInt(value)
	case reflect.Float64:
		var value float64
		value, err = n.Number(name)
		to.SetFloat(value)
	default:
		text, _ := n.Attr(name)
		to.SetString(text)
	}
	return err
}

func decodeChild(n *xjdf.Node, to reflect.Value) error {
	switch to.Kind() {
	case reflect.Slice:
		made := reflect.New(to.Type().Elem()).Elem()
		if err := decodeChild(n, made); err != nil {
			return err
		}
		to.Set(reflect.Append(to, made))
		return nil
	case reflect.Pointer:
		if to.Type() == reflect.TypeFor[*xjdf.Node]() {
			to.Set(reflect.ValueOf(n))
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return decode(n, to.Elem())
	default:
		return decode(n, to)
	}
}

// encode writes the fields that are set.
func encode(n *xjdf.Node, from reflect.Value) {
	for i := range from.NumField() {
		definition, field := from.Type().Field(i), from.Field(i)
		name := nameOf(definition)
		switch {
		case definition.Anonymous:
			encode(n, field)
		case strings.HasSuffix(definition.Tag.Get("xjmf"), ",text"):
			n.Text = field.String()
		case isAttribute(field.Type()):
			if text, set := format(field); set {
				n.Set(name, text)
			}
		default:
			encodeChildren(n, name, field)
		}
	}
}

func encodeChildren(n *xjdf.Node, name string, from reflect.Value) {
	switch from.Kind() {
	case reflect.Slice:
		for i := range from.Len() {
			encodeChildren(n, name, from.Index(i))
		}
	case reflect.Pointer:
		if from.IsNil() {
			return
		}
		if tree, isTree := from.Interface().(*xjdf.Node); isTree {
			copied := *tree
			copied.Parent = n
			n.Children = append(n.Children, &copied)
			return
		}
		encode(n.Add(name), from.Elem())
	default:
		encode(n.Add(name), from)
	}
}

// format returns the text of an attribute, and whether it is set. A return code is always
// set.
func format(from reflect.Value) (string, bool) {
	switch value := from.Interface().(type) {
	case time.Time:
		return value.UTC().Format("2006-01-02T15:04:05.000Z"), !value.IsZero()
	case ReturnCode:
		return strconv.Itoa(int(value)), true
	}
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return "", false
		}
		text, _ := format(from.Elem())
		return text, true
	case reflect.Slice:
		var items []string
		for i := range from.Len() {
			items = append(items, from.Index(i).String())
		}
		return strings.Join(items, " "), len(items) > 0
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(from.Int(), 10), from.Int() != 0
	case reflect.Float64:
		return strconv.FormatFloat(from.Float(), 'f', -1, 64), from.Float() != 0
	default:
		return from.String(), from.String() != ""
	}
}

// Respond returns the response to a message, of the type that belongs to it, with a code. A
// code other than [Success] has its meaning as a comment. A message without a response of its
// own gets a ResponseNotification.
func Respond(to Message, code ReturnCode) ResponseMessage {
	name := "ResponseNotification"
	if f := to.family(); f != "" && f != responses {
		name = "Response" + strings.TrimPrefix(NameOf(to), string(f))
	}
	t, known := messageTypes[name]
	if !known {
		t = reflect.TypeFor[ResponseNotification]()
	}
	made, _ := reflect.New(t).Interface().(ResponseMessage) // the names begin with Response
	made.Head().RefID = to.Head().ID
	if made.Result().ReturnCode = code; code != Success {
		made.Result().Notification = &Notification{Class: "Error", Comment: []Comment{{Text: code.String()}}}
	}
	return made
}
