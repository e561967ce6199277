// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// element is the definition of an element: the tags of its type.
type element struct {
	attributes, children []field
	names                []string
	// anyOrder reports whether children may have any order.
	anyOrder bool
}

// field is an attribute or a child.
type field struct {
	index int
	name  string
	// datatype is that of an attribute; text, element and core are children, and object
	// is the business object.
	datatype string
	required bool
	// max is the largest number of children; 0 is any number.
	max    int
	values []string
	of     *element
}

// model is the definition of PrintTalk: the root, and each business object.
type model struct {
	root    *element
	objects map[string]*element
}

// shared returns the one model. It is immutable.
var shared = sync.OnceValue(func() *model {
	m := &model{root: define(reflect.TypeFor[Document]()), objects: map[string]*element{}}
	for name, t := range objects() {
		m.objects[name] = define(t)
	}
	return m
})

// define reads the tags of a struct.
func define(t reflect.Type) *element {
	e := &element{}
	for i := range t.NumField() {
		own := t.Field(i)
		parts := strings.Split(own.Tag.Get("ptk"), ",")
		f := field{index: i, name: parts[0], datatype: parts[1], max: 1}
		if own.Type.Kind() == reflect.Slice {
			f.max = 0
		}
		anyOrder := false
		for _, option := range parts[2:] {
			switch count, limited := strings.CutPrefix(option, "max="); {
			case limited:
				f.max, _ = strconv.Atoi(count)
			case option == "anyorder":
				anyOrder = true
			default:
				f.required = true
			}
		}
		if closed, ok := reflect.Zero(own.Type).Interface().(interface{ values() []string }); ok {
			f.values = closed.values()
		}
		switch f.datatype {
		case "element":
			under := own.Type
			for under.Kind() == reflect.Slice || under.Kind() == reflect.Pointer {
				under = under.Elem()
			}
			f.of = define(under)
			f.of.anyOrder = anyOrder
			e.children = append(e.children, f)
		case "text", "core", "object":
			e.children = append(e.children, f)
		default:
			e.attributes = append(e.attributes, f)
			e.names = append(e.names, f.name)
		}
	}
	return e
}

// attribute returns the definition of an attribute, or nil.
func (e *element) attribute(name string) *field {
	for i := range e.attributes {
		if e.attributes[i].name == name {
			return &e.attributes[i]
		}
	}
	return nil
}

// matches reports whether a node is a child of this definition.
func (f *field) matches(n *xjdf.Node) bool {
	switch f.datatype {
	case "core":
		return n.Name.Core() && n.Name.Local == f.name
	case "object":
		return n.Name.Space == Namespace
	default:
		return n.Name.Space == Namespace && n.Name.Local == f.name
	}
}
