// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Kind is the role of an element in a document.
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

// Text defines whether an element contains text, and how JSON encodes the text.
type Text uint8

// The kinds of text of elements.
const (
	// NoText is an element whose content is attributes and elements only.
	NoText Text = iota
	// TextOnly is an element without attributes: in JSON a string.
	TextOnly
	// TextMember is an element with text and attributes: in JSON an object
	// whose text is the member "Text".
	TextMember
)

// Element defines the attributes, children and text of an element.
type Element struct {
	// Name is the name of the element in a document.
	Name string
	// Clause of the standard, such as "4.11".
	Clause string
	Kind   Kind
	Text   Text
	// Pool reports whether the children of several names are one JSON array in the order
	// of the document, with a member "Name" in each (AuditPool, MediaLayers).
	Pool bool
	// Foreign reports whether the element may contain elements of other namespaces.
	// Attributes of other namespaces are allowed everywhere (3.5.1).
	Foreign    bool
	Attributes []Attribute
	// Children are in the order of XML.
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
	// MinItems is the smallest number of items in a list, or 0.
	MinItems int
	// Targets are the elements that a reference may point to: the element with the ID,
	// or for a resource the specific one ("Media" means a Resource with a Media). If
	// empty, a reference may point to any element with an ID.
	Targets    []string
	Deprecated Deprecation
	// Extension marks an attribute outside of the standard that this service supports.
	Extension bool
}

// Bounds are the smallest and the largest allowed number, possibly infinite.
type Bounds struct {
	Min, Max float64
}

// Child is a child of an element.
type Child struct {
	Name    string
	Element *Element
	// Min is 1 for a required child, otherwise 0.
	Min int
	// Max is the largest allowed number, or 0.
	Max int
	// Many reports whether JSON writes an array, even for one child. It does for every
	// child that may repeat, except for the messages of an XJMF: JSON has one message in
	// a document, without an array (9.10.2).
	Many bool
	// Choice is the index of the rule in Element.Choices, or -1.
	Choice     int
	Deprecated Deprecation
}

// Choice is a rule about children that exclude each other, or whose mutual order
// counts.
type Choice struct {
	// Min is 1 if one of them, or of the foreign elements that may replace it, is
	// required.
	Min int
	// Many reports whether several of them are allowed, in any order.
	Many bool
	// Children are the names, in the order of Element.Children.
	Children []string
}

// Attribute returns the attribute of that name, or nil.
func (e *Element) Attribute(name string) *Attribute {
	if i, ok := e.attributes[name]; ok {
		return &e.Attributes[i]
	}
	return nil
}

// Child returns the child of that name and its index in the order of the schema, or nil
// and -1.
func (e *Element) Child(name string) (*Child, int) {
	if i, ok := e.children[name]; ok {
		return &e.Children[i], i
	}
	return nil, -1
}

// NearestAttribute returns the attribute of this element with the most similar name.
func (e *Element) NearestAttribute(name string) (string, bool) {
	names := make([]string, len(e.Attributes))
	for i := range e.Attributes {
		names[i] = e.Attributes[i].Name
	}
	return Nearest(name, names)
}

// NearestChild returns the child of this element with the most similar name.
func (e *Element) NearestChild(name string) (string, bool) {
	names := make([]string, len(e.Children))
	for i := range e.Children {
		names[i] = e.Children[i].Name
	}
	return Nearest(name, names)
}
