// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

// The rules about values.
const (
	valueInvalid     = "VALUE_INVALID"
	valueBounds      = "VALUE_BOUNDS"
	valueItems       = "VALUE_ITEMS"
	valueForm        = "VALUE_FORM"
	valueEnumeration = "VALUE_ENUMERATION"
	valueUnlisted    = "VALUE_UNLISTED"
	productType      = "PRODUCTTYPE_UNKNOWN"
	valueDeprecated  = "VALUE_DEPRECATED"
	timeNoZone       = "TIME_NO_ZONE"
	idForm           = "ID_FORM"
	stringTooLong    = "STRING_TOO_LONG"
	stringControl    = "STRING_CONTROL"
	booleanNumeric   = "BOOLEAN_NUMERIC"
	urlScheme        = "URL_SCHEME"
)

func valueRules() []row {
	return []row{
		newRow(valueInvalid, Schema, both(Error), "A.1", "A value is of the datatype of its attribute.", "Write it as the datatype demands."),
		newRow(valueBounds, Schema, both(Error), "A.1", "A number is within the bounds of its attribute.", "Write a number within the bounds."),
		newRow(valueItems, Schema, both(Error), "A.1", "A list has as many items as its datatype demands.", "Write as many items as the datatype demands."),
		newRow(valueForm, Schema, lenient(), "9.10", "In JSON numbers, booleans and lists are written as such.", "Write numbers and booleans without quotes, and lists as arrays."),
		newRow(valueEnumeration, Vocabulary, both(Error), "1.10.3.1", "A value of a closed list is one of the list.", "Write one of the values of the list."),
		newRow(valueUnlisted, Vocabulary, both(Warning), "1.10.3.2", "A value of an open list is one of the list, or agreed upon.", "Write one of the values of the list, or agree on yours."),
		newRow(productType, Vocabulary, both(Warning), "A.3.18", "ProductType is one of the list, or agreed upon.", "Write one of the product types of the standard."),
		newRow(valueDeprecated, Vocabulary, both(Info), "1.10", "What is deprecated is not written any more.", "Write what has replaced it."),
		newRow(timeNoZone, Schema, both(Error), "A.1", "A date with a time has a time zone.", "Append Z or an offset such as +01:00."),
		newRow(idForm, Schema, lenient(), "A.1", "An ID begins with a letter or an underscore and holds no colon.", "Put a letter before it."),
		newRow(stringTooLong, Schema, both(Error), "A.1", "A string has at most 1023 characters.", "Shorten it, or put it into a Comment."),
		newRow(stringControl, Schema, both(Warning), "A.1", "A string holds no control characters.", "Remove tabs, line ends and other control characters."),
		newRow(booleanNumeric, Schema, both(Warning), "A.1", "A boolean is true or false, not 1 or 0.", "Write true or false."),
		newRow(urlScheme, Semantics, both(Warning), "A.1", "A URL has a scheme that another machine can follow.", "Use https, http, cid or a relative reference."),
	}
}

// value holds an attribute against its datatype and its list.
func (p *pass) value(n *xjdf.Node, a *xjdf.Attribute) {
	def := a.Definition
	if p.doc.Encoding == xjdf.CanonicalJSON && !fits(a.Form, def.Type) {
		p.findAs(valueForm, n, a.Name.Local, fmt.Sprintf("%s is a %s, and its datatype is %s.", a.Name.Local, a.Form, def.Type), "")
	}
	if def.Deprecated.Since != "" {
		p.findAs(valueDeprecated, n, a.Name.Local, fmt.Sprintf("%s is deprecated since %s.", a.Name.Local, def.Deprecated.Since), instead(def.Deprecated))
	}
	if !def.Type.List() {
		p.item(n, a, a.Value)
		return
	}
	items := 0
	for item := range strings.FieldsSeq(a.Value) {
		items++
		if !p.item(n, a, item) {
			return // one of a list is enough
		}
	}
	switch exact := def.Type.Items(); {
	case exact > 0 && items != exact:
		p.findAs(valueItems, n, a.Name.Local, fmt.Sprintf("%s has %d items; a %s has %d.", a.Name.Local, items, def.Type, exact), "")
	case items < max(def.MinItems, 1):
		p.findAs(valueItems, n, a.Name.Local, fmt.Sprintf("%s has %d items; at least %d are due.", a.Name.Local, items, max(def.MinItems, 1)), "")
	}
}

func instead(d vocabulary.Deprecation) string {
	if d.Use == "" {
		return "Leave it out."
	}
	return fmt.Sprintf("Write %s instead.", d.Use)
}

// fits reports whether a value of a datatype is written in this form in the JSON
// of the standard.
func fits(form xjdf.Form, datatype vocabulary.Datatype) bool {
	switch {
	case datatype == vocabulary.TransferFunction:
		return form == xjdf.FormPairs || form == xjdf.FormNumbers
	case datatype.List() && datatype.Numeric():
		return form == xjdf.FormNumbers
	case datatype.List():
		return form == xjdf.FormTexts
	case datatype.Numeric():
		return form == xjdf.FormNumber
	case datatype == vocabulary.Boolean:
		return form == xjdf.FormBoolean
	default:
		return form == xjdf.FormText
	}
}

// item judges one item and reports whether it is well-formed and known.
func (p *pass) item(n *xjdf.Node, a *xjdf.Attribute, item string) bool {
	code := malformed(a.Definition.Type, item)
	switch code {
	case "":
		return p.bounded(n, a, item) && p.listed(n, a, item)
	case booleanNumeric, stringControl, urlScheme:
		p.findAs(code, n, a.Name.Local, fmt.Sprintf("%s is %s.", a.Name.Local, quoted(item)), "")
		return true
	default:
		p.findAs(code, n, a.Name.Local, fmt.Sprintf("%s is %s, which is no %s.", a.Name.Local, quoted(item), a.Definition.Type), "")
		return false
	}
}

func (p *pass) bounded(n *xjdf.Node, a *xjdf.Attribute, item string) bool {
	bounds := a.Definition.Bounds
	if bounds == nil || !a.Definition.Type.Numeric() {
		return true
	}
	value, err := strconv.ParseFloat(item, 64)
	if err != nil || value >= bounds.Min && value <= bounds.Max {
		return true
	}
	p.findAs(valueBounds, n, a.Name.Local, fmt.Sprintf("%s is %s; it lies between %s and %s.", a.Name.Local, clip(item), number(bounds.Min), number(bounds.Max)), "")
	return false
}

// listed holds an item against the attribute's list of values.
func (p *pass) listed(n *xjdf.Node, a *xjdf.Attribute, item string) bool {
	list := a.Definition.Values
	if list == nil {
		return true
	}
	if list.Has(item) {
		if d, old := list.Deprecated(item); old {
			p.findAs(valueDeprecated, n, a.Name.Local, fmt.Sprintf("%s %s is deprecated since %s.", a.Name.Local, item, d.Since), instead(d))
		}
		return true
	}
	code, suggestion := valueUnlisted, ""
	if list.Closed {
		code = valueEnumeration
	} else if strings.Contains(item, ":") {
		return true // prefixed: agreed upon by definition
	}
	if list.Name == "ProductType" {
		code = productType
	}
	if nearest, ok := list.Nearest(item); ok {
		suggestion = fmt.Sprintf("Did you mean %s?", nearest)
	} else if len(list.Values) > 0 {
		suggestion = fmt.Sprintf("Write one of %s.", some(list.Values))
	}
	p.findAs(code, n, a.Name.Local, fmt.Sprintf("%s %s is not one of the values of the standard.", a.Name.Local, quoted(item)), suggestion)
	return !list.Closed
}

// maxString is the length of a string in characters (A.1).
const maxString = 1023

// malformed is the code of what is wrong with one item of a datatype; empty if
// nothing is.
func malformed(datatype vocabulary.Datatype, item string) string {
	switch {
	case datatype == vocabulary.Boolean:
		return malformedBoolean(item)
	case datatype.Numeric():
		return invalidUnless(datatype.Whole() && whole(item) || !datatype.Whole() && decimal(item))
	case datatype == vocabulary.DateTime:
		return malformedTime(item)
	case datatype == vocabulary.Duration:
		return invalidUnless(duration(item))
	case datatype == vocabulary.Language, datatype == vocabulary.Languages:
		return invalidUnless(language(item))
	case datatype == vocabulary.HexBinary:
		return invalidUnless(len(item)%2 == 0 && strings.Trim(item, "0123456789abcdefABCDEF") == "")
	case datatype == vocabulary.ID:
		return malformedID(item)
	case datatype.Token():
		return invalidUnless(token(item))
	case datatype == vocabulary.URL, datatype == vocabulary.URI:
		return malformedURL(item)
	default:
		return malformedString(item)
	}
}

func invalidUnless(ok bool) string {
	if ok {
		return ""
	}
	return valueInvalid
}

func malformedBoolean(item string) string {
	switch item {
	case "true", "false":
		return ""
	case "0", "1":
		return booleanNumeric
	default:
		return valueInvalid
	}
}

func malformedID(item string) string {
	if !token(item) {
		return valueInvalid
	}
	if first := item[0]; first >= '0' && first <= '9' || first == '-' || first == '.' || strings.Contains(item, ":") {
		return idForm
	}
	return ""
}

func malformedString(item string) string {
	if len(item) > maxString && utf8.RuneCountInString(item) > maxString {
		return stringTooLong
	}
	for i := range len(item) {
		if item[i] < ' ' || item[i] == 0x7f {
			return stringControl
		}
	}
	return ""
}

// malformedURL takes relative references too (RFC 3986).
func malformedURL(item string) string {
	for i := range len(item) {
		if c := item[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`"<>\^`+"`{|}", c) >= 0 {
			return valueInvalid
		}
	}
	if item == "" || len(item) > 8192 {
		return valueInvalid
	}
	end := strings.IndexAny(item, ":/?#")
	if end <= 0 || item[end] != ':' {
		return ""
	}
	switch strings.ToLower(item[:end]) {
	case "http", "https", "cid", "ftps", "sftp", "urn", "mailto", "data":
		return ""
	default:
		return urlScheme
	}
}
