// SPDX-License-Identifier: Apache-2.0

package validate

import "github.com/printmarket/printmarket/pkg/xjdf"

// Unreadable returns the report of a document that could not be read: one finding with
// the reason and the place.
func (v *Validator) Unreadable(fault *xjdf.Error, encoding xjdf.Encoding, profile Profile) Report {
	if profile == "" {
		profile = ProductIntent
	}
	row := v.row(unreadable)
	message := "The document cannot be read: " + fault.Reason.Error()
	if fault.Detail != "" {
		message += ", " + fault.Detail
	}
	finding := Finding{
		Code: row.Code, Severity: Error, Kind: row.Kind, Pointer: fault.Pointer, Path: rootName, Line: fault.Line, Column: fault.Column,
		Message: message + ".", Suggestion: fixFor(fault.Reason, row.Fix), Reference: row.Reference,
	}
	return Report{
		Profile: profile, Encoding: encoding.String(), Unsupported: []Unsupported{}, Defaults: []Default{},
		Findings: []Finding{finding}, Summary: Summary{Errors: 1},
	}
}

// fixFor returns the fix for a reason that has a specific one.
func fixFor(reason xjdf.Reason, otherwise string) string {
	switch reason {
	case xjdf.ReasonCharset:
		return "Save the document as UTF-8."
	case xjdf.ReasonByteOrderMark:
		return "Save the document without a byte order mark."
	case xjdf.ReasonDoctype:
		return "Remove the document type declaration; entities are not expanded."
	case xjdf.ReasonInstruction:
		return "Remove the processing instruction."
	case xjdf.ReasonNull:
		return "Omit the member."
	case xjdf.ReasonDuplicate:
		return "Keep only one of the members."
	case xjdf.ReasonPrefix:
		return "Declare the prefix with xmlns, or in @context."
	case xjdf.ReasonDepth, xjdf.ReasonNodes, xjdf.ReasonLength:
		return "Send a smaller document. GET /api/v1/xjdf/capabilities returns the limits."
	default:
		return otherwise
	}
}
