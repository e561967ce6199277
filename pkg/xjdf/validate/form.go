// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// fits reports whether the JSON of the standard writes a value of a datatype in this
// form.
func fits(form xjdf.Form, datatype vocabulary.Datatype) bool {
	switch {
	case form == xjdf.FormTexts && datatype.List() && !datatype.Numeric():
		return true
	case datatype == vocabulary.TransferFunction:
		return form == xjdf.FormPairs
	case datatype.List() && datatype.Numeric():
		return form == xjdf.FormNumbers
	case datatype.List():
		return false
	case datatype.Numeric():
		return form == xjdf.FormNumber
	case datatype == vocabulary.Boolean:
		return form == xjdf.FormBoolean
	default:
		return form == xjdf.FormText
	}
}

// requiredForm says how the JSON of the standard writes a datatype.
func requiredForm(datatype vocabulary.Datatype) string {
	switch {
	case datatype == vocabulary.TransferFunction:
		return "Write an array of pairs, such as [[0, 0], [1, 1]]."
	case datatype.List() && datatype.Numeric():
		return "Write an array of numbers."
	case datatype.List():
		return "Write an array of strings."
	case datatype.Numeric():
		return "Write a number, without quotes."
	case datatype == vocabulary.Boolean:
		return "Write true or false, without quotes."
	default:
		return "Write a string."
	}
}
