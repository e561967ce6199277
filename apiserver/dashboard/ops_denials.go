// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
)

// Denials reads the denials of all organizations. The stores implement it.
type Denials interface {
	Denials(ctx context.Context, query requestlog.DenialQuery) ([]requestlog.Denial, error)
	DeniedTimes(ctx context.Context, query requestlog.DenialQuery, step time.Duration) ([]requestlog.DeniedTime, error)
}

const (
	denialsPath = opsPath + "/denials"
	// denialsOnPage bounds the rows of a page, and denialPages the pages.
	denialsOnPage, denialPages = 100, 100
)

// windows are the periods that the page can show; the first is the default.
var windows = []window{
	{"1h", "hour", time.Hour, 5 * time.Minute},
	{"24h", "day", 24 * time.Hour, time.Hour},
	{"7d", "7 days", 7 * 24 * time.Hour, time.Hour},
	{"30d", "30 days", requestlog.Retention, 24 * time.Hour},
}

// window is a period until now, by its name in the query. Step is the length of the steps of
// its chart.
type window struct {
	Name, Words  string
	Length, Step time.Duration
}

// denialFilter selects denials. Zero members select all.
type denialFilter struct {
	Within window
	// Partner is the text of the form: the name of a partner or its organization.
	Partner, Organization string
	Capability            posture.Capability
	Code                  string
	// Page counts from 1.
	Page int
}

// denialsBody holds the denials of the gates, most frequent first.
type denialsBody struct {
	denialFilter
	Rows  []requestlog.Denial
	Chart timeChart
	// Earlier and Later are the paths of the pages beside this one; empty for none.
	Earlier, Later string
}

// showDenials serves the recent denials of the gates.
func (s *server) showDenials(v *visit) response {
	filter, wrong := readDenialFilter(v.URL.Query())
	if wrong != "" {
		return badRequest(wrong)
	}
	filter.Organization = filter.Partner
	for p := range v.snapshot.Partners() {
		if p.Name == filter.Partner {
			filter.Organization = p.Spec.OrganizationID
		}
	}
	query := requestlog.DenialQuery{
		Since: v.now.Add(-filter.Within.Length), Organization: filter.Organization, Capability: filter.Capability.String(), Code: filter.Code,
		Offset: (filter.Page - 1) * denialsOnPage, Limit: denialsOnPage + 1, // the extra one shows that there is a next page
	}
	found, err := s.Ops.Denials.Denials(v.Context(), query)
	if err != nil {
		return failed(err)
	}
	times, err := s.Ops.Denials.DeniedTimes(v.Context(), query, filter.Within.Step)
	if err != nil {
		return failed(err)
	}
	body := denialsBody{denialFilter: filter, Rows: found[:min(len(found), denialsOnPage)]}
	if filter.Page > 1 {
		body.Earlier = filter.path(filter.Page - 1)
	}
	if len(found) > denialsOnPage && filter.Page < denialPages {
		body.Later = filter.path(filter.Page + 1)
	}
	var rows []timeRow
	for _, at := range times {
		rows = append(rows, timeRow{at.At, []int64{at.Rejected, at.Limited, at.Closed}})
	}
	body.Chart = timeChartOf(query.Since, v.now, filter.Within.Step, []chartSeries{
		{Kind: kindAttention, Name: "rejected", Legend: "Rejected: the caller lacks access"},
		{Kind: kindInfo, Name: "limited", Legend: "Rate limit exceeded"},
		{Kind: kindDanger, Name: "closed", Legend: "Capability closed"},
	}, rows)
	return show(pageOpsDenials, "Denials", denialsPage(body))
}

// readDenialFilter reads the form. The text describes what is invalid.
func readDenialFilter(form url.Values) (f denialFilter, wrong string) {
	f = denialFilter{Partner: strings.TrimSpace(form.Get("partner")), Code: strings.ToUpper(strings.TrimSpace(form.Get("code"))), Page: 1}
	i := slices.IndexFunc(windows, func(w window) bool { return w.Name == cmp.Or(form.Get("within"), windows[0].Name) })
	if i < 0 {
		return f, "The period must be 1h, 24h, 7d or 30d."
	}
	f.Within = windows[i]
	if name := form.Get("capability"); name != "" {
		var found bool
		if f.Capability, found = posture.ParseCapability(name); !found {
			return f, "The capability is unknown."
		}
	}
	if _, known := problem.Lookup(problem.Code(f.Code)); f.Code != "" && !known {
		return f, "The problem code is unknown."
	}
	if len(f.Partner) > maxText {
		return f, fmt.Sprintf("The partner must have at most %d bytes.", maxText)
	}
	if page := form.Get("page"); page != "" {
		var err error
		if f.Page, err = strconv.Atoi(page); err != nil || f.Page < 1 || f.Page > denialPages {
			return f, fmt.Sprintf("The page must be a number from 1 to %d.", denialPages)
		}
	}
	return f, ""
}

// path returns the path of another page.
func (f denialFilter) path(page int) string {
	query := url.Values{}
	for name, value := range map[string]string{"within": f.Within.Name, "partner": f.Partner, "capability": f.Capability.String(), "code": f.Code} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	return denialsPath + "?" + query.Encode()
}

// commands are those that print the page in a terminal.
func (f denialFilter) commands() string {
	var flags strings.Builder
	fmt.Fprintf(&flags, " --since %.0fh", f.Within.Length.Hours())
	for _, flag := range [...][2]string{{"organization", f.Organization}, {"capability", f.Capability.String()}, {"code", f.Code}} {
		if flag[1] != "" {
			flags.WriteString(" --" + flag[0] + " " + quoted(flag[1]))
		}
	}
	steps := strconv.Itoa(int(f.Within.Step.Hours())) + "h"
	if f.Within.Step < time.Hour {
		steps = strconv.Itoa(int(f.Within.Step.Minutes())) + "m"
	}
	return "printmarket requests denials" + flags.String() + "\nprintmarket requests denial-counts" + flags.String() + " --step " + steps +
		"\nprintmarket requests list --organization " + cmp.Or(quoted(f.Organization), "ORGANIZATION")
}

// requests is the sum of the chart.
func (b *denialsBody) requests() (sum int64) {
	for _, series := range b.Chart.Series {
		sum += series.Total
	}
	return sum
}

// caption is the chart in a sentence.
func (b *denialsBody) caption() string {
	if b.requests() == 0 {
		return "No denials in the last " + b.Within.Words + "."
	}
	var parts []string
	for _, series := range b.Chart.Series {
		parts = append(parts, number(series.Total)+" "+series.Name)
	}
	return "Last " + b.Within.Words + ": " + strings.Join(parts, ", ") + "."
}
