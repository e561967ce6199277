// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

const (
	// partnersOnPage bounds the rows of the matrix.
	partnersOnPage = 50
	// maxText bounds the text of the filter, in bytes.
	maxText = 100
)

// accesses are the values of the filter by access, with their labels.
var accesses = [...]accessChoice{
	{explain.Open, "open"}, {explain.TestOnly, "sandbox only"}, {explain.Closed, "closed"}, {explain.NotGranted, "not granted"},
}

type accessChoice struct {
	Access explain.Access
	Words  string
}

// matrixFilter selects rows and columns of the matrix. Zero members select all.
type matrixFilter struct {
	Capability posture.Capability
	Access     explain.Access
	// Text is part of a name of a partner.
	Text string
	// Page counts from 1.
	Page int
}

// matrixBody is the effective access of partners to capabilities.
type matrixBody struct {
	matrixFilter
	Revision string
	Next     time.Time
	Columns  []matrixColumn
	Rows     []matrixRow
	// From and Until are the positions of the rows among the Found that the filter
	// selects of All.
	From, Until, Found, All int
	// Earlier and Later are the paths of the pages beside this one; empty for none.
	Earlier, Later string
}

type matrixColumn struct {
	Name posture.Capability
	// Stage is the effective stage of the capability; empty without a rollout.
	Stage string
}

type matrixRow struct {
	Name, Path, DisplayName, State string
	Cells                          []explain.Cell
}

// tipOf returns the reason of a closed cell with the question of the decision table that it answers.
func tipOf(c explain.Cell) string {
	if question := c.Question(); question != "" {
		return c.Reason + ": " + question + " No."
	}
	return c.Reason
}

// cellKind returns the kind of a cell's label. A capability that is closed for all partners needs
// no attention.
func cellKind(c explain.Cell) kind {
	switch access := c.Access(); {
	case access == explain.Open:
		return kindOK
	case access == explain.TestOnly:
		return kindInfo
	case access == explain.Closed && c.Reason != posture.ReasonStageDisabled.String():
		return kindDanger
	default:
		return kindNeutral
	}
}

// showMatrix serves the effective access of partners to capabilities.
func (s *server) showMatrix(v *visit) response {
	filter, wrong := readFilter(v.URL.Query())
	if wrong != "" {
		return badRequest(wrong)
	}
	m := explain.NewMatrix(v.snapshot, v.now)
	body := matrixBody{matrixFilter: filter, Revision: v.snapshot.Revision(), Next: v.snapshot.NextTransition(v.now), All: len(m.Rows)}
	columns := m.Capabilities
	if filter.Capability != posture.NoCapability {
		columns = []posture.Capability{filter.Capability}
	}
	for _, c := range columns {
		body.Columns = append(body.Columns, matrixColumn{c, v.Decide(c, false).Posture.Stage()})
	}
	// Of several columns, one with the access is enough.
	found := slices.DeleteFunc(m.Rows, func(row explain.Row) bool {
		return !row.Has(filter.Text) || filter.Access != "" &&
			!slices.ContainsFunc(columns, func(c posture.Capability) bool { return m.Access(row, c) == filter.Access })
	})
	for _, row := range body.paginate(found) {
		path := url.URL{Path: opsPath + "/partners/" + row.Name} // a name may contain a slash, after a namespace
		out := matrixRow{Name: row.Name, Path: path.String(), DisplayName: row.Partner.Spec.DisplayName, State: row.State()}
		for _, c := range columns {
			out.Cells = append(out.Cells, row.Cell(c))
		}
		body.Rows = append(body.Rows, out)
	}
	return show(pageOpsPosture, "Posture", matrixPage(body))
}

// readFilter reads the form. The text describes what is invalid.
func readFilter(form url.Values) (f matrixFilter, wrong string) {
	f = matrixFilter{Access: explain.Access(form.Get("access")), Text: strings.TrimSpace(form.Get("text")), Page: 1}
	if name := form.Get("capability"); name != "" {
		var found bool
		if f.Capability, found = posture.ParseCapability(name); !found {
			return f, "The capability is unknown."
		}
	}
	if f.Access != "" && !slices.ContainsFunc(accesses[:], func(a accessChoice) bool { return a.Access == f.Access }) {
		return f, "The access filter is invalid."
	}
	if len(f.Text) > maxText {
		return f, fmt.Sprintf("The partner filter must have at most %d bytes.", maxText)
	}
	if page := form.Get("page"); page != "" {
		var err error
		if f.Page, err = strconv.Atoi(page); err != nil || f.Page < 1 {
			return f, "The page must be a number from 1."
		}
	}
	return f, ""
}

// path returns the path of another page of the matrix.
func (f matrixFilter) path(page int) string {
	query := url.Values{"page": {strconv.Itoa(page)}}
	for name, value := range map[string]string{"capability": f.Capability.String(), "access": string(f.Access), "text": f.Text} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return opsPath + "?" + query.Encode()
}

// paginate returns the rows of the page, and none beyond the last page.
func (m *matrixBody) paginate(found []explain.Row) []explain.Row {
	m.Found = len(found)
	last := max(1, (m.Found+partnersOnPage-1)/partnersOnPage)
	if m.Page > 1 {
		m.Earlier = m.path(min(m.Page-1, last))
	}
	if m.Page > last {
		return nil
	}
	first := (m.Page - 1) * partnersOnPage
	m.From, m.Until = first+1, min(first+partnersOnPage, m.Found)
	if m.Page < last {
		m.Later = m.path(m.Page + 1)
	}
	return found[first:m.Until]
}

// summary describes which rows are shown.
func (m *matrixBody) summary() string {
	switch {
	case len(m.Rows) == 0:
		return fmt.Sprintf("No partners on this page. The filter matches %d of %d partners.", m.Found, m.All)
	case m.Found == m.All:
		return fmt.Sprintf("Partners %d to %d of %d.", m.From, m.Until, m.All)
	default:
		return fmt.Sprintf("Partners %d to %d of %d matches, of %d in total.", m.From, m.Until, m.Found, m.All)
	}
}
