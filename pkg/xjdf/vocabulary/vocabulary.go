// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"embed"
	"sync"
)

//go:embed tables/*.txt
var tables embed.FS

// Vocabulary is all that the standard names: elements with their attributes
// and children, lists of values, processes, status details. It does not change
// after Load; do not write to what its methods return.
type Vocabulary struct {
	elements  []*Element
	byElement map[string]*Element
	ofKind    map[Kind][]*Element
	lists     []*List
	byList    map[string]*List
	processes []Process
	byProcess map[string]int
	statuses  map[string]statusPair
	names     nameLists
}

// nameLists holds the names that suggestions are made from, so that a
// suggestion need not collect them again.
type nameLists struct {
	elements, processes, intents, resources []string
}

// load reads the tables once in the life of a program. A table that cannot be
// read is a mistake in this package, which its tests find, so there is no error
// for a caller to handle.
var load = sync.OnceValue(func() *Vocabulary {
	v, err := read(tables)
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	return v
})

// Load is the vocabulary of XJDF 2.2 and XJMF 2.2.
func Load() *Vocabulary { return load() }

// Root is the element that a document may begin with, "XJDF" or "XJMF", or nil
// for any other name.
func (v *Vocabulary) Root(name string) *Element {
	if name != "XJDF" && name != "XJMF" {
		return nil
	}
	return v.byElement[name]
}

// Element is the element of that name, or nil. What an element may hold does
// not depend on where it stands.
func (v *Vocabulary) Element(name string) *Element { return v.byElement[name] }

// Elements are all elements, in the order of the standard.
func (v *Vocabulary) Elements() []*Element { return v.elements }

// OfKind are the elements of one kind, such as the 102 specific resources.
func (v *Vocabulary) OfKind(kind Kind) []*Element { return v.ofKind[kind] }

// List is the list of values of that name, or nil. A list that the standard
// keeps in its appendix A has the name that it has there ("MediaType"); one
// that belongs to a single attribute is called "Element/@Attribute".
func (v *Vocabulary) List(name string) *List { return v.byList[name] }

// Lists are all lists of values.
func (v *Vocabulary) Lists() []*List { return v.lists }

// SuggestElement is the element whose name is most like the given one.
func (v *Vocabulary) SuggestElement(name string) (string, bool) {
	return Nearest(name, v.names.elements)
}

// SuggestIntent is the product intent whose name is most like the given one.
func (v *Vocabulary) SuggestIntent(name string) (string, bool) {
	return Nearest(name, v.names.intents)
}

// SuggestResource is the specific resource whose name is most like the given
// one.
func (v *Vocabulary) SuggestResource(name string) (string, bool) {
	return Nearest(name, v.names.resources)
}

// SuggestProcess is the process whose name is most like the given one.
func (v *Vocabulary) SuggestProcess(name string) (string, bool) {
	return Nearest(name, v.names.processes)
}
