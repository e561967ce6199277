// SPDX-License-Identifier: Apache-2.0

package validate

import "github.com/printmarket/printmarket/internal/xjdf"

// Unreadable is the report of a document that could not be read: one finding,
// which says why and where.
func (v *Validator) Unreadable(fault *xjdf.Error, encoding xjdf.Encoding, profile Profile) Report {
	if profile == "" {
		profile = ProductIntent
	}
	row := v.row(unreadable)
	finding := Finding{
		Code: row.Code, Severity: Error, Kind: row.Kind, Path: rootName, Line: fault.Line, Column: fault.Column,
		Message: "The document cannot be read: " + fault.Reason.Error() + detail(fault) + ".", Suggestion: row.Fix, Reference: row.Reference,
	}
	if encoding != xjdf.XML {
		finding.Pointer = &fault.Pointer
	}
	return Report{
		Profile: profile, Encoding: encoding.String(), Unsupported: []Unsupported{}, Defaults: []Default{},
		Findings: []Finding{finding}, Summary: Summary{Errors: 1},
	}
}

func detail(fault *xjdf.Error) string {
	if fault.Detail == "" {
		return ""
	}
	return ", " + fault.Detail
}
