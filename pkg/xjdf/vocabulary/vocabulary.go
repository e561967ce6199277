// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"embed"
	"sync"
)

//go:embed tables/*.txt
var tables embed.FS

// Vocabulary contains the names of the standard: elements with their attributes and
// children, lists of values, processes, status details. It is immutable; do not write to
// the results of its methods.
type Vocabulary struct {
	elements  []*Element
	byElement map[string]*Element
	ofKind    map[Kind][]*Element
	lists     []*List
	byList    map[string]*List
	processes []Process
	byProcess map[string]int
	statuses  map[string]statusPair
	// names are the candidates for suggestions.
	names struct{ elements, processes, intents, resources []string }
}

// load reads the tables once. It panics on an invalid table, which is a mistake in this
// package that its tests find.
var load = sync.OnceValue(func() *Vocabulary {
	v, err := read(tables)
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	return v
})

// Load returns the vocabulary of XJDF 2.2 and XJMF 2.2.
func Load() *Vocabulary { return load() }

// Root returns a root element, "XJDF" or "XJMF", or nil for any other name.
func (v *Vocabulary) Root(name string) *Element {
	if name != "XJDF" && name != "XJMF" {
		return nil
	}
	return v.byElement[name]
}

// Element returns the element of that name, or nil. The definition of an element does
// not depend on its parent.
func (v *Vocabulary) Element(name string) *Element { return v.byElement[name] }

// Elements returns all elements, in the order of the standard.
func (v *Vocabulary) Elements() []*Element { return v.elements }

// OfKind returns the elements of one kind, such as the 102 specific resources.
func (v *Vocabulary) OfKind(kind Kind) []*Element { return v.ofKind[kind] }

// List returns the list of values of that name, or nil. A list in appendix A of the
// standard has its name there ("MediaType"); a list of a single attribute has the name
// "Element/@Attribute".
func (v *Vocabulary) List(name string) *List { return v.byList[name] }

// Lists returns all lists of values.
func (v *Vocabulary) Lists() []*List { return v.lists }

// SuggestElement returns the most similar name of an element.
func (v *Vocabulary) SuggestElement(name string) (string, bool) {
	return Nearest(name, v.names.elements)
}

// SuggestIntent returns the most similar name of a product intent.
func (v *Vocabulary) SuggestIntent(name string) (string, bool) {
	return Nearest(name, v.names.intents)
}

// SuggestResource returns the most similar name of a specific resource.
func (v *Vocabulary) SuggestResource(name string) (string, bool) {
	return Nearest(name, v.names.resources)
}

// SuggestProcess returns the most similar name of a process.
func (v *Vocabulary) SuggestProcess(name string) (string, bool) {
	return Nearest(name, v.names.processes)
}
