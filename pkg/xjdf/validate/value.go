// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The rules about values.
const (
	valueInvalid     = "VALUE_INVALID"
	valueBounds      = "VALUE_BOUNDS"
	valueItems       = "VALUE_ITEMS"
	valueRepeated    = "VALUE_REPEATED"
	valueForm        = "VALUE_FORM"
	valueLarge       = "VALUE_LARGE"
	valueEnumeration = "VALUE_ENUMERATION"
	valueUnlisted    = "VALUE_UNLISTED"
	productType      = "PRODUCTTYPE_UNKNOWN"
	valueDeprecated  = "VALUE_DEPRECATED"
	timeNoZone       = "TIME_NO_ZONE"
	idForm           = "ID_FORM"
	stringTooLong    = "STRING_TOO_LONG"
	stringControl    = "STRING_CONTROL"
	booleanNumeric   = "BOOLEAN_NUMERIC"
	urlForm          = "URL_FORM"
	urlScheme        = "URL_SCHEME"
)

var valueRules = []row{
	newRow(valueInvalid, Schema, both(Error), "A.1", "A value must have the datatype of its attribute.", "Write the value in the format of its datatype."),
	newRow(valueBounds, Semantics, both(Error), "A.1", "A number must be within the bounds of its attribute.", "Write a number within the bounds."),
	newRow(valueItems, Schema, both(Error), "A.1", "A list must have the number of items that its datatype requires.", "Write the required number of items."),
	newRow(valueRepeated, Semantics, lenient(), "A.1", "A list of enumeration tokens must not contain a token twice.", "Write each token once."),
	newRow(valueForm, Schema, lenient(), "9.10", "In JSON, numbers, booleans and lists must have their JSON types.", "Write numbers and booleans without quotes, and lists as arrays."),
	newRow(valueLarge, Semantics, both(Warning), "A.1", "An integer above 2147483648 may be unreadable for other systems.", "Check the number."),
	newRow(valueEnumeration, Vocabulary, both(Error), "1.10.3.1", "A value of a closed list must be one of the listed values.", "Write one of the listed values.").inSchema(),
	newRow(valueUnlisted, Vocabulary, both(Warning), "1.10.3.2", "A value of an open list should be one of the listed values, or be agreed with the receiver.", "Write one of the listed values, or agree on your value with the receiver."),
	newRow(productType, Vocabulary, both(Warning), "A.3.18", "ProductType should be one of the listed values, or be agreed with the receiver.", "Write one of the product types of the standard."),
	newRow(valueDeprecated, Vocabulary, both(Info), "1.8", "Deprecated items should not be used.", "Use the replacement."),
	newRow(timeNoZone, Semantics, both(Error), "A.1", "A date with a time must have a time zone.", "Append Z or an offset such as +01:00."),
	newRow(idForm, Schema, lenient(), "A.1", "An ID must begin with a letter or an underscore and contain no colon.", "Begin the ID with a letter, such as R1, and change the references accordingly."),
	newRow(stringTooLong, Semantics, both(Error), "A.1", "A string must have at most 1023 characters.", "Shorten the string, or move it into a Comment."),
	newRow(stringControl, Semantics, both(Warning), "A.1", "A string should not contain control characters.", "Remove tabs, line ends and other control characters."),
	newRow(booleanNumeric, Semantics, lenient(), "A.1", "A boolean must be true or false, not 1 or 0.", "Write true or false."),
	newRow(urlForm, Semantics, both(Error), "A.1", "A URL must be valid by RFC 3986, with all other characters percent-encoded.", "Write slashes instead of backslashes, and %20 instead of a space."),
	newRow(urlScheme, Semantics, both(Warning), "A.1", "A URL should have a scheme that other machines can access.", "Use https, http, cid or a relative reference."),
} // constant

// form compares the form of a value with the JSON of the standard.
func (p *pass) form(n *xjdf.Node, a *xjdf.Attribute) {
	def := a.Definition
	// JSON can write infinity only as a string, and an empty list in any form.
	free := def.Type.Numeric() && strings.Contains(a.Value, "INF") || def.Type.List() && a.Form.Array() && a.Value == ""
	if p.doc.Encoding == xjdf.CanonicalJSON && !fits(a.Form, def.Type) && !free {
		p.findAs(valueForm, n, a.Name.Local, func() (string, string) {
			return fmt.Sprintf("%s is written as %s, but its datatype is %s.", a.Name.Local, a.Form, def.Type), requiredForm(def.Type)
		})
	}
}

// value compares an attribute with its datatype and its list of values.
func (p *pass) value(n *xjdf.Node, a *xjdf.Attribute) {
	def := a.Definition
	p.form(n, a)
	if def.Deprecated.Since != "" {
		p.findAs(valueDeprecated, n, a.Name.Local, func() (string, string) {
			return fmt.Sprintf("%s is deprecated since %s.", a.Name.Local, def.Deprecated.Since), instead(def.Deprecated)
		})
	}
	if !def.Type.List() {
		p.item(n, a, a.Value, 0)
		return
	}
	count := 0
	for item := range items(a.Value) {
		if !p.item(n, a, item, count) {
			return // report one item of a list
		}
		count++
	}
	p.itemCount(n, a, count)
}

// items yields the items of a list, which the reader has separated by single spaces.
func items(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := value; rest != ""; {
			item, after, _ := strings.Cut(rest, " ")
			if !yield(item) {
				return
			}
			rest = after
		}
	}
}

// itemCount checks the number of items of a list, and that the items of an enumeration
// are distinct.
func (p *pass) itemCount(n *xjdf.Node, a *xjdf.Attribute, count int) {
	def, name := a.Definition, a.Name.Local
	least := max(def.MinItems, 1)
	// A list of numbers or of languages may be empty; a list of tokens must not.
	if def.MinItems == 0 && slices.Contains([]vocabulary.Datatype{
		vocabulary.FloatList, vocabulary.IntegerList, vocabulary.TransferFunction, vocabulary.Languages,
	}, def.Type) {
		least = 0
	}
	switch exact := def.Type.Items(); {
	case exact > 0 && count != exact:
		p.findAs(valueItems, n, name, func() (string, string) {
			return fmt.Sprintf("%s has %d items; a %s has %d.", name, count, def.Type, exact), ""
		})
	case def.Type == vocabulary.TransferFunction && count%2 != 0:
		p.findAs(valueItems, n, name, func() (string, string) {
			return fmt.Sprintf("%s has %d items; a %s has pairs of items.", name, count, def.Type), ""
		})
	case count < least:
		p.findAs(valueItems, n, name, func() (string, string) {
			return fmt.Sprintf("%s has %d items; the minimum is %d.", name, count, least), ""
		})
	case def.Type == vocabulary.Enumerations && count > 1:
		seen := map[string]bool{}
		for item := range items(a.Value) {
			if seen[item] {
				p.findAs(valueRepeated, n, name, func() (string, string) {
					return fmt.Sprintf("%s contains %s twice.", name, quoted(item)), ""
				})
				return
			}
			seen[item] = true
		}
	}
}

func instead(d vocabulary.Deprecation) string {
	if d.Use == "" {
		return "Leave it out."
	}
	return fmt.Sprintf("Write %s instead.", strings.TrimPrefix(d.Use, "use "))
}

// item checks the item at an index and reports whether it is well-formed and known.
func (p *pass) item(n *xjdf.Node, a *xjdf.Attribute, item string, place int) bool {
	code := malformed(a.Definition.Type, item)
	switch code {
	case "":
		return p.bounded(n, a, item, place) && p.known(n, a, item)
	case valueInvalid, timeNoZone, idForm:
		p.findAs(code, n, a.Name.Local, func() (string, string) {
			return fmt.Sprintf("%s is %s, which is not a valid %s.", a.Name.Local, quoted(item), a.Definition.Type), ""
		})
		return false
	case stringTooLong:
		p.findAs(code, n, a.Name.Local, func() (string, string) {
			return fmt.Sprintf("%s has more than %d characters: %s.", a.Name.Local, maxString, quoted(item)), ""
		})
		return false
	default:
		p.findAs(code, n, a.Name.Local, func() (string, string) {
			return fmt.Sprintf("%s is %s.", a.Name.Local, quoted(item)), ""
		})
		return true
	}
}

// bounded compares a number with the bounds of its attribute or, for a colour, of its
// datatype.
func (p *pass) bounded(n *xjdf.Node, a *xjdf.Attribute, item string, place int) bool {
	datatype := a.Definition.Type
	if !datatype.Numeric() {
		return true
	}
	if datatype.Whole() && len(item) >= len("2147483648") {
		const most = 1 << 31
		if value, err := strconv.ParseInt(item, 10, 64); err != nil || value < -most || value > most {
			p.findAs(valueLarge, n, a.Name.Local, func() (string, string) {
				return fmt.Sprintf("%s is %s.", a.Name.Local, clip(item)), ""
			})
		}
	}
	low, high := 0.0, 1.0
	switch bounds := a.Definition.Bounds; {
	case bounds != nil:
		low, high = bounds.Min, bounds.Max
	case datatype == vocabulary.CMYKColor, datatype == vocabulary.RGBColor:
	case datatype == vocabulary.LabColor && place == 0:
		high = 100
	default:
		return true
	}
	value, err := strconv.ParseFloat(item, 64)
	if err != nil || value >= low && value <= high {
		return true
	}
	p.findAs(valueBounds, n, a.Name.Local, func() (string, string) {
		return fmt.Sprintf("%s is %s; the valid range is %s to %s.", a.Name.Local, clip(item), number(low), number(high)), ""
	})
	return false
}

// known compares an item with the list of values of its attribute.
func (p *pass) known(n *xjdf.Node, a *xjdf.Attribute, item string) bool {
	list := a.Definition.Values
	if list == nil {
		return true
	}
	if list.Has(item) {
		if d, old := list.Deprecated(item); old {
			p.findAs(valueDeprecated, n, a.Name.Local, func() (string, string) {
				return fmt.Sprintf("%s %s is deprecated since %s.", a.Name.Local, item, d.Since), instead(d)
			})
		}
		return true
	}
	code := valueUnlisted
	switch {
	case list.Closed:
		code = valueEnumeration
	case strings.Contains(item, ":"):
		return true // prefixed: a private agreement
	case list.Name == "ProductType":
		code = productType
	}
	p.findAs(code, n, a.Name.Local, func() (string, string) {
		suggestion := ""
		if nearest, ok := list.Nearest(clip(item)); ok {
			suggestion = fmt.Sprintf("Did you mean %s?", nearest)
		} else if len(list.Values) > 0 {
			suggestion = fmt.Sprintf("Write one of %s.", some(list.Values))
		}
		return fmt.Sprintf("%s %s is not one of the values of the standard.", a.Name.Local, quoted(item)), suggestion
	})
	return !list.Closed
}
