// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Datatype is one of the datatypes of XJDF table A.1. It decides how a value
// is checked and how it is written in JSON.
type Datatype uint8

// The datatypes, in the order of table A.1. Invalid is the zero value and
// never appears in a loaded vocabulary.
const (
	Invalid Datatype = iota
	Boolean
	CMYKColor
	DateTime
	Duration
	Enumeration
	Enumerations
	Float
	FloatList
	HexBinary
	ID
	IDREF
	IDREFS
	Integer
	IntegerList
	IntegerRange
	LabColor
	Language
	Languages
	Matrix
	NMTOKEN
	NMTOKENS
	PDFPath
	Rectangle
	RegExp
	RGBColor
	Shape
	String
	TransferFunction
	URI
	URL
	XPath
	XYPair
)

// datatypeTrait holds the name of a datatype in the standard, whether an attribute has
// several items, whether an item is a number, and the required number of items, 0 for
// any.
type datatypeTrait struct {
	name    string
	list    bool
	numeric bool
	items   int
}

var datatypeTraits = [...]datatypeTrait{
	Invalid:          {name: "invalid"},
	Boolean:          {name: "boolean"},
	CMYKColor:        {name: "CMYKColor", list: true, numeric: true, items: 4},
	DateTime:         {name: "dateTime"},
	Duration:         {name: "duration"},
	Enumeration:      {name: "enumeration"},
	Enumerations:     {name: "enumerations", list: true},
	Float:            {name: "float", numeric: true},
	FloatList:        {name: "FloatList", list: true, numeric: true},
	HexBinary:        {name: "hexBinary"},
	ID:               {name: "ID"},
	IDREF:            {name: "IDREF"},
	IDREFS:           {name: "IDREFS", list: true},
	Integer:          {name: "integer", numeric: true},
	IntegerList:      {name: "IntegerList", list: true, numeric: true},
	IntegerRange:     {name: "IntegerRange", list: true, numeric: true, items: 2},
	LabColor:         {name: "LabColor", list: true, numeric: true, items: 3},
	Language:         {name: "language"},
	Languages:        {name: "languages", list: true},
	Matrix:           {name: "matrix", list: true, numeric: true, items: 6},
	NMTOKEN:          {name: "NMTOKEN"},
	NMTOKENS:         {name: "NMTOKENS", list: true},
	PDFPath:          {name: "PDFPath"},
	Rectangle:        {name: "rectangle", list: true, numeric: true, items: 4},
	RegExp:           {name: "regExp"},
	RGBColor:         {name: "RGBColor", list: true, numeric: true, items: 3},
	Shape:            {name: "shape", list: true, numeric: true, items: 3},
	String:           {name: "string"},
	TransferFunction: {name: "TransferFunction", list: true, numeric: true},
	URI:              {name: "URI"},
	URL:              {name: "URL"},
	XPath:            {name: "XPath"},
	XYPair:           {name: "XYPair", list: true, numeric: true, items: 2},
}

// String is the name that the standard gives the datatype.
func (d Datatype) String() string {
	if int(d) >= len(datatypeTraits) {
		return datatypeTraits[Invalid].name
	}
	return datatypeTraits[d].name
}

// List reports whether one attribute carries several items: separated by
// white space in XML, an array in JSON.
func (d Datatype) List() bool {
	return int(d) < len(datatypeTraits) && datatypeTraits[d].list
}

// Numeric reports whether an item is a number, and so a JSON number.
func (d Datatype) Numeric() bool {
	return int(d) < len(datatypeTraits) && datatypeTraits[d].numeric
}

// Whole reports whether an item is a whole number.
func (d Datatype) Whole() bool {
	return d == Integer || d == IntegerList || d == IntegerRange
}

// Items is the number of items that a list has to have, 0 where any number
// will do.
func (d Datatype) Items() int {
	if int(d) >= len(datatypeTraits) {
		return 0
	}
	return datatypeTraits[d].items
}

// Token reports whether an item is an XML name token or a reference made of
// one, and so holds no white space.
func (d Datatype) Token() bool {
	switch d {
	case Enumeration, Enumerations, ID, IDREF, IDREFS, NMTOKEN, NMTOKENS:
		return true
	default:
		return false
	}
}
