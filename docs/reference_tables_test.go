// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"cmp"
	"fmt"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// problems writes a heading for each code, so that a link can refer to it.
func problems() []byte {
	t := newText("Problem codes", "Every error is a problem (RFC 9457) with one of these values of `code`. The meaning of a code never changes; new codes may be added.\nThe same table is served as JSON at `/docs/api/problem-codes.json`.")
	for _, one := range problem.Codes() {
		t.heading(2, string(one.Code))
		t.paragraph(fmt.Sprintf("Status %d, type %s.", one.Status, code(cmp.Or(string(one.Slug), "about:blank"))))
		t.paragraph(one.Do)
	}
	return t.bytes()
}

func costingCodes() []byte {
	t := newText("Codes of costing", "The codes in the result of a [cost calculation](../guides/costing.md). The meaning of a code never changes; new codes may be added.")
	t.heading(2, "Reasons for a review")
	t.paragraph("A result with one of these values of `reasons[].code` requires a person: the API returns 409 `COSTING_MANUAL_REVIEW_REQUIRED`.")
	var rows [][]string
	for _, one := range costing.Codes() {
		rows = append(rows, []string{code(string(one.Code)), one.Meaning})
	}
	t.table([]string{"code", "meaning"}, rows)
	t.heading(2, "Assumptions")
	t.paragraph("`assumptions[].code` names a value that the document does not contain.")
	rows = nil
	for _, one := range costing.Assumptions() {
		rows = append(rows, []string{code(string(one.Code)), one.Meaning})
	}
	t.table([]string{"code", "the calculation assumes"}, rows)
	return t.bytes()
}

func capabilities() []byte {
	t := newText("Capabilities and scopes", "The capabilities that can be granted to a partner, and the scopes that its keys require for them. The ceiling is the highest stage that this version supports; a rollout above it is closed. [Problem codes](problem-codes.md) describes what to do about each code.")
	t.heading(2, "Capabilities")
	var rows [][]string
	for c := range posture.Capabilities() {
		d := c.Definition()
		rows = append(rows, []string{code(d.Name), d.Ceiling.Stage(), d.Shipped.Stage(), scope(d.Read), scope(d.Write), code(d.Code)})
	}
	t.table([]string{"capability", "ceiling", "shipped", "to read", "to write", "code when it is closed"}, rows)
	t.heading(2, "Scopes")
	for s := range posture.AllScopes() {
		t.item(code(s.String()))
	}
	return t.bytes()
}

func scope(s posture.Scope) string {
	if s == posture.NoScope {
		return "none"
	}
	return code(s.String())
}
