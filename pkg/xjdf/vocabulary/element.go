// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Kind says what part an element plays in a document.
type Kind uint8

// The kinds of elements. An element that may stand in for an abstract element
// of the standard has a kind of its own; all others are Structure.
const (
	Structure Kind = iota
	// Intent is a product intent: the child of an Intent that its @Name names.
	Intent
	// Resource is a specific resource: the child of a Resource that the @Name
	// of its ResourceSet names.
	Resource
	// Message is a child of XJMF.
	Message
	// Audit is a child of AuditPool.
	Audit
)

var kindNames = [...]string{
	Structure: "structure", Intent: "intent", Resource: "resource", Message: "message", Audit: "audit",
}

// String is the name of the kind in the tables.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return ""
	}
	return kindNames[k]
}

// Text says whether an element holds text, and how JSON writes it.
type Text uint8

// The ways in which an element holds text.
const (
	// NoText is an element whose content is attributes and elements only.
	NoText Text = iota
	// TextOnly is an element without attributes: in JSON a string.
	TextOnly
	// TextMember is an element with text and attributes: in JSON an object
	// whose text is the member "Text".
	TextMember
)

// Element describes what an element may hold.
type Element struct {
	// Name is the name of the element in a document.
	Name string
	// Clause of the standard, such as "4.11".
	Clause string
	Kind   Kind
	Text   Text
	// Pool: the children of several names are one JSON array in the order of
	// the document, told apart by a member "Name" (AuditPool, MediaLayers).
	Pool bool
	// Foreign: elements of other namespaces may stand in it. Attributes of
	// other namespaces may stand anywhere (3.5.1).
	Foreign    bool
	Attributes []Attribute
	// Children are in the order in which XML has to have them.
	Children []Child
	// Choices are rules about several children together.
	Choices []Choice

	attributes map[string]int
	children   map[string]int
}

// Attribute describes one attribute of an element.
type Attribute struct {
	Name     string
	Type     Datatype
	Required bool
	// Values is the list of values, open or closed, or nil.
	Values *List
	Unit   Unit
	// Bounds of a number, or nil.
	Bounds *Bounds
	// MinItems is the smallest number of items in a list, 0 if nothing is
	// said.
	MinItems int
	// Targets are the elements that a reference may point to: the element
	// with the ID, or in the case of a resource the specific one ("Media"
	// means a Resource that holds a Media). Empty: anything with an ID.
	Targets    []string
	Deprecated Deprecation
	// Extension marks an attribute that the standard does not have here and
	// that this service nevertheless reads: it is neither unknown nor
	// unsupported.
	Extension bool
}

// Bounds are the smallest and the largest number allowed, an infinity where
// there is none.
type Bounds struct {
	Min, Max float64
}

// Child is an element that may stand in another.
type Child struct {
	Name    string
	Element *Element
	// Min is 1 if the child has to be there, otherwise 0.
	Min int
	// Max is the largest number allowed, 0 if there is none.
	Max int
	// Many: JSON writes an array, even for one. This is so for every child that
	// there may be more than one of, except for the messages of an XJMF: JSON
	// has one message in a document, and it is not in an array (9.10.2).
	Many bool
	// Choice is the place of the rule in Element.Choices, -1 if there is none.
	Choice     int
	Deprecated Deprecation
}

// Choice is a rule about children of which one excludes the others, or whose
// order between each other counts.
type Choice struct {
	// Min is 1 if one of them, or of the foreign elements that may take its
	// place, has to be there.
	Min int
	// Many: several of them may be there, in any order.
	Many bool
	// Children are the names, in the order of Element.Children.
	Children []string
}

// Attribute is the attribute of that name, or nil.
func (e *Element) Attribute(name string) *Attribute {
	if i, ok := e.attributes[name]; ok {
		return &e.Attributes[i]
	}
	return nil
}

// Child is the child of that name and its place in the order of the schema, or
// nil and -1.
func (e *Element) Child(name string) (*Child, int) {
	if i, ok := e.children[name]; ok {
		return &e.Children[i], i
	}
	return nil, -1
}

// NearestAttribute is the attribute of this element whose name is most like
// the given one.
func (e *Element) NearestAttribute(name string) (string, bool) {
	names := make([]string, len(e.Attributes))
	for i := range e.Attributes {
		names[i] = e.Attributes[i].Name
	}
	return Nearest(name, names)
}

// NearestChild is the child of this element whose name is most like the given
// one.
func (e *Element) NearestChild(name string) (string, bool) {
	names := make([]string, len(e.Children))
	for i := range e.Children {
		names[i] = e.Children[i].Name
	}
	return Nearest(name, names)
}
