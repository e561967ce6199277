// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

const (
	// partnersOnPage bounds the rows of the matrix.
	partnersOnPage = 50
	// maxSought bounds the text that partners are sought by, in bytes.
	maxSought = 100
)

// accesses are those that the matrix may be narrowed to, with words for people.
var accesses = [...]accessChoice{
	{explain.Open, "open"}, {explain.TestOnly, "sandbox only"}, {explain.Closed, "closed"}, {explain.NotGranted, "not granted"},
}

type accessChoice struct {
	Access explain.Access
	Words  string
}

// matrixFilter is what the matrix is narrowed to. Empty members narrow nothing.
type matrixFilter struct {
	Capability posture.Capability
	Access     explain.Access
	// Text is part of one of the names of a partner.
	Text string
	// Page counts from 1.
	Page int
}

// matrixBody is who may do what.
type matrixBody struct {
	matrixFilter
	Revision string
	Next     instant
	Columns  []matrixColumn
	Rows     []matrixRow
	// From and Until are the places of the rows among those that were Found of All.
	From, Until, Found, All int
	// Earlier and Later are the pages beside this one; empty where there is none.
	Earlier, Later string
}

// summary says which rows are shown.
func (m *matrixBody) summary() string {
	switch {
	case len(m.Rows) == 0:
		return fmt.Sprintf("No partner to show: %d of %d were sought.", m.Found, m.All)
	case m.Found == m.All:
		return fmt.Sprintf("Partners %d to %d of %d.", m.From, m.Until, m.All)
	default:
		return fmt.Sprintf("Partners %d to %d of %d that were sought, of %d in all.", m.From, m.Until, m.Found, m.All)
	}
}

type matrixColumn struct {
	Name posture.Capability
	// Stage is how far the capability is open at all.
	Stage string
}

type matrixRow struct {
	Name, Path, DisplayName, State string
	Cells                          []explain.Cell
}

// showMatrix serves who may do what.
func (b *board) showMatrix(v *visit) answer {
	filter, wrong := readFilter(v.URL.Query())
	if wrong != "" {
		return refused(wrong)
	}
	m := explain.NewMatrix(v.snapshot, v.now)
	body := matrixBody{
		matrixFilter: filter, Revision: v.snapshot.Revision(), Next: instant(v.snapshot.NextTransition(v.now)), All: len(m.Rows),
	}
	columns := m.Capabilities
	if filter.Capability != posture.NoCapability {
		columns = []posture.Capability{filter.Capability}
	}
	for _, c := range columns {
		body.Columns = append(body.Columns, matrixColumn{c, v.Decide(c, false).Posture.Stage()})
	}
	found := slices.DeleteFunc(m.Rows, func(row explain.Row) bool { return !filter.wants(&m, row, columns) })
	for _, row := range body.turn(found) {
		body.Rows = append(body.Rows, matrixRowOf(row, columns))
	}
	return answer{status: http.StatusOK, page: pageOpsPosture, title: "Posture", content: matrixPage(body)}
}

// readFilter reads the form. The text is what is wrong with it.
func readFilter(form url.Values) (f matrixFilter, wrong string) {
	f = matrixFilter{Access: explain.Access(form.Get("access")), Text: strings.TrimSpace(form.Get("text")), Page: 1}
	if name := form.Get("capability"); name != "" {
		var known bool
		if f.Capability, known = posture.ParseCapability(name); !known {
			return f, "There is no such capability."
		}
	}
	if f.Access != "" && !slices.ContainsFunc(accesses[:], func(a accessChoice) bool { return a.Access == f.Access }) {
		return f, "There is no such access."
	}
	if len(f.Text) > maxSought {
		return f, "The text is too long."
	}
	if page := form.Get("page"); page != "" {
		var err error
		if f.Page, err = strconv.Atoi(page); err != nil || f.Page < 1 {
			return f, "There is no such page."
		}
	}
	return f, ""
}

// wants reports whether a row is shown: of several columns one with the access is
// enough.
func (f matrixFilter) wants(m *explain.Matrix, row explain.Row, columns []posture.Capability) bool {
	return row.Has(f.Text) && (f.Access == "" || slices.ContainsFunc(columns, func(c posture.Capability) bool { return m.Access(row, c) == f.Access }))
}

// path is that of another page of the matrix.
func (f matrixFilter) path(page int) string {
	query := url.Values{"page": {strconv.Itoa(page)}}
	for name, value := range map[string]string{"capability": f.Capability.String(), "access": string(f.Access), "text": f.Text} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return opsPath + "?" + query.Encode()
}

// turn finds the rows of the page. One beyond the last has none.
func (m *matrixBody) turn(found []explain.Row) []explain.Row {
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

func matrixRowOf(row explain.Row, columns []posture.Capability) matrixRow {
	out := matrixRow{Name: row.Name, Path: partnerPath(row.Name), DisplayName: row.Partner.Spec.DisplayName, State: row.State()}
	for _, c := range columns {
		out.Cells = append(out.Cells, row.Cell(c))
	}
	return out
}

func partnerPath(name string) string { return (&url.URL{Path: opsPath + "/partners/" + name}).String() }
