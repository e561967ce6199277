// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/tenant"
)

var requestCases = map[string]func(*testing.T, *fixture){
	"a request reads back as it was logged, for its owner alone":      requestReadsBack,
	"requests that are logged again are there once":                   requestsRepeat,
	"replicas that log at the same time all get on":                   requestsRace,
	"pages of requests join to the whole list, newest first":          requestPagesJoin,
	"requests are found by id, code and class, and by all of them":    requestsAreFound,
	"denials are counted by reason, capability and surface":           denialsAreCounted,
	"denials are counted by steps of time":                            denialsAreCountedOverTime,
	"denials are selected by organization, capability and code":       denialsAreSelected,
	"requests past their retention are erased in steps, and no other": requestsAreForgotten,
}

// line returns an entry of a request that succeeded, number minutes after nine.
func line(t testing.TB, owner tenant.ID, number int) requestlog.Entry {
	t.Helper()
	at := time.Date(2026, 11, 20, 9, number, 0, 7_000_000, time.UTC)
	id, err := recordid.New("log_", at, numbered(number))
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	return requestlog.Entry{
		ID: id, At: at, RequestID: fmt.Sprintf("req_%05d", number), Tenant: owner, Key: "production", Listener: "api", Surface: "partner",
		Method: "GET", Route: "/api/v1/rfq/{rfqId}", Status: 200, Capability: "rfq-read", Took: 1234 * time.Microsecond, Bytes: 512, Requests: 1,
	}
}

// numbered is an endless reader of one byte.
type numbered byte

func (n numbered) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(n)
	}
	return len(p), nil
}

// refusedLine returns an entry of a request that the gate refused.
func refusedLine(t testing.TB, owner tenant.ID, number, status int, code, reason string) requestlog.Entry {
	t.Helper()
	e := line(t, owner, number)
	e.Status, e.Code, e.Reason = status, code, reason
	return e
}

func (w *fixture) logged(t testing.TB, entries ...requestlog.Entry) {
	t.Helper()
	if err := w.store.AddRequests(t.Context(), entries); err != nil {
		t.Fatalf("w.store.AddRequests: %v", err)
	}
}

// listed returns the entries that a query selects; the default owner is acme.
func (w *fixture) listed(t testing.TB, q requestlog.Query) []requestlog.Entry {
	t.Helper()
	if q.Owner.IsZero() {
		q.Owner = acme
	}
	if q.Limit == 0 {
		q.Limit = 100
	}
	entries, err := w.store.Requests(t.Context(), q)
	if err != nil {
		t.Fatalf("w.store.Requests: %v", err)
	}
	return entries
}

func requestReadsBack(t *testing.T, w *fixture) {
	one, several := line(t, acme, 1), refusedLine(t, acme, 2, 429, "RATE_LIMIT_EXCEEDED", "RateLimited")
	several.RequestID, several.Requests, several.Key = "", 12_345, `"'><script>`
	w.logged(t)
	w.logged(t, one, several)
	wantEqual(t, "requests", []requestlog.Entry{several, one}, w.listed(t, requestlog.Query{}))
	for _, owner := range strangers {
		if found := w.listed(t, requestlog.Query{Owner: owner}); len(found) != 0 {
			t.Errorf("%s sees %v", owner, found)
		}
		if found := w.listed(t, requestlog.Query{Owner: owner, RequestID: one.RequestID}); len(found) != 0 {
			t.Errorf("%s finds %v", owner, found)
		}
	}
}

func requestsRepeat(t *testing.T, w *fixture) {
	first, second := line(t, acme, 1), line(t, acme, 2)
	w.logged(t, first)
	w.logged(t, first, second)
	wantEqual(t, "requests", []requestlog.Entry{second, first}, w.listed(t, requestlog.Query{}))
}

func requestsRace(t *testing.T, w *fixture) {
	const replicas, each = 6, 50
	entries := make([][]requestlog.Entry, replicas)
	for r := range entries {
		for n := range each {
			// Neighbouring calls have half of their entries in common.
			entries[r] = append(entries[r], line(t, acme, r*each/2+n))
		}
		if r%2 == 1 {
			slices.Reverse(entries[r])
		}
	}
	for i, err := range concurrently(replicas, func(i int) error { return w.store.AddRequests(t.Context(), entries[i]) }) {
		if err != nil {
			t.Errorf("replica %d: %v", i, err)
		}
	}
	if n, want := len(w.listed(t, requestlog.Query{Limit: 1000})), (replicas+1)*each/2; n != want {
		t.Errorf("%d requests, want %d", n, want)
	}
}

func requestPagesJoin(t *testing.T, w *fixture) {
	var want []string
	for n := range 23 {
		w.logged(t, line(t, acme, n), line(t, stark, n))
		want = append(want, line(t, acme, n).ID)
	}
	slices.Reverse(want)
	var got []string
	before := ""
	for range maxPages {
		page := w.listed(t, requestlog.Query{Before: before, Limit: 7})
		for i := range page {
			got, before = append(got, page[i].ID), page[i].ID
		}
		if len(page) < 7 {
			break
		}
	}
	wantEqual(t, "ids", want, got)
}

func requestsAreFound(t *testing.T, w *fixture) {
	good, again := line(t, acme, 1), line(t, acme, 2)
	again.RequestID, again.Key = good.RequestID, "shop-2"
	unknown := refusedLine(t, acme, 3, 404, "RFQ_NOT_FOUND", "")
	closed := refusedLine(t, acme, 4, 503, "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "Killed")
	closed.Route = "/api/v1/xjdf/validate"
	w.logged(t, good, again, unknown, closed, line(t, stark, 5))
	for name, one := range map[string]struct {
		query requestlog.Query
		want  []requestlog.Entry
	}{
		"an id that a client has used twice": {requestlog.Query{RequestID: good.RequestID}, []requestlog.Entry{again, good}},
		"an unused id":                       {requestlog.Query{RequestID: "req_none"}, []requestlog.Entry{}},
		"an id of another tenant":            {requestlog.Query{RequestID: "req_00005"}, []requestlog.Entry{}},
		"a code":                             {requestlog.Query{Code: "RFQ_NOT_FOUND"}, []requestlog.Entry{unknown}},
		"successes":                          {requestlog.Query{Class: 2}, []requestlog.Entry{again, good}},
		"faults of the client":               {requestlog.Query{Class: 4}, []requestlog.Entry{unknown}},
		"faults of the server":               {requestlog.Query{Class: 5}, []requestlog.Entry{closed}},
		"all of them": {
			requestlog.Query{RequestID: closed.RequestID, Code: closed.Code, Class: 5}, []requestlog.Entry{closed},
		},
		"a key":                       {requestlog.Query{Key: "shop-2"}, []requestlog.Entry{again}},
		"a part of a key":             {requestlog.Query{Key: "shop"}, []requestlog.Entry{}},
		"the beginning of a route":    {requestlog.Query{Route: "/api/v1/x"}, []requestlog.Entry{closed}},
		"a route with wildcards":      {requestlog.Query{Route: "/api/v1/%"}, []requestlog.Entry{}},
		"a route that is longer":      {requestlog.Query{Route: good.Route + "/more"}, []requestlog.Entry{}},
		"since the arrival of one":    {requestlog.Query{Since: unknown.At}, []requestlog.Entry{closed, unknown}},
		"since later than all":        {requestlog.Query{Since: closed.At.Add(time.Millisecond)}, []requestlog.Entry{}},
		"a key since a time":          {requestlog.Query{Key: "shop-2", Since: unknown.At}, []requestlog.Entry{}},
		"two that exclude each other": {requestlog.Query{Code: closed.Code, Class: 4}, []requestlog.Entry{}},
	} {
		wantEqual(t, name, one.want, w.listed(t, one.query))
	}
}

func denialsAreCounted(t *testing.T, w *fixture) {
	many := refusedLine(t, stark, 9, 429, "RATE_LIMIT_EXCEEDED", "RateLimited")
	many.RequestID, many.Requests = "", 1000
	w.logged(t, line(t, acme, 1), refusedLine(t, acme, 2, 422, "PARTNER_RFQ_INVALID", ""),
		refusedLine(t, acme, 3, 503, "CLOSED", "Killed"), refusedLine(t, acmeTest, 4, 503, "CLOSED", "Killed"),
		refusedLine(t, upper, 5, 503, "CLOSED", "Killed"), refusedLine(t, acme, 6, 403, "CAPABILITY_NOT_ENTITLED", "NotEntitled"), many)
	killed := requestlog.Denial{
		Reason: "Killed", Code: "CLOSED", Capability: "rfq-read", Surface: "partner", Requests: 3, Organizations: 2, Last: line(t, upper, 5).At,
	}
	limited := requestlog.Denial{
		Reason: "RateLimited", Code: "RATE_LIMIT_EXCEEDED", Capability: "rfq-read", Surface: "partner", Requests: 1000, Organizations: 1, Last: many.At,
	}
	entitled := requestlog.Denial{
		Reason: "NotEntitled", Code: "CAPABILITY_NOT_ENTITLED", Capability: "rfq-read", Surface: "partner", Requests: 1, Organizations: 1, Last: line(t, acme, 6).At,
	}
	denials := func(q requestlog.DenialQuery) []requestlog.Denial {
		found, err := w.store.Denials(t.Context(), q)
		if err != nil {
			t.Fatalf("w.store.Denials: %v", err)
		}
		return found
	}
	start := line(t, acme, 0).At
	wantEqual(t, "denials", []requestlog.Denial{limited, killed, entitled}, denials(requestlog.DenialQuery{Since: start, Limit: 10}))
	wantEqual(t, "the most frequent", []requestlog.Denial{limited}, denials(requestlog.DenialQuery{Since: start, Limit: 1}))
	wantEqual(t, "the next", []requestlog.Denial{killed}, denials(requestlog.DenialQuery{Since: start, Offset: 1, Limit: 1}))
	killed.Requests, killed.Organizations = 1, 1
	wantEqual(t, "denials since the fifth minute", []requestlog.Denial{limited, killed, entitled}, denials(requestlog.DenialQuery{Since: killed.Last, Limit: 10}))
}

func denialsAreCountedOverTime(t *testing.T, w *fixture) {
	hour := line(t, acme, 0).At.Truncate(time.Hour)
	many := refusedLine(t, stark, 9, 429, "RATE_LIMIT_EXCEEDED", "RateLimited")
	many.Requests = 1000
	w.logged(t, line(t, acme, 1), refusedLine(t, acme, 2, 503, "CLOSED", "Killed"), refusedLine(t, acmeTest, 4, 403, "CAPABILITY_NOT_ENTITLED", "NotEntitled"),
		many, refusedLine(t, acme, 59, 503, "CLOSED", "Killed"), refusedLine(t, acme, 61, 403, "SCOPE_MISSING", "ScopeMissing"))
	for name, one := range map[string]struct {
		query requestlog.DenialQuery
		step  time.Duration
		want  []requestlog.DeniedTime
	}{
		"by the hour": {requestlog.DenialQuery{Since: hour}, time.Hour, []requestlog.DeniedTime{
			{At: hour, Rejected: 1, Limited: 1000, Closed: 2}, {At: hour.Add(time.Hour), Rejected: 1},
		}},
		"by the day": {requestlog.DenialQuery{Since: hour}, 24 * time.Hour, []requestlog.DeniedTime{
			{At: hour.Truncate(24 * time.Hour), Rejected: 2, Limited: 1000, Closed: 2},
		}},
		"by five minutes of one organization": {requestlog.DenialQuery{Since: hour, Organization: "org_acme01"}, 5 * time.Minute, []requestlog.DeniedTime{
			{At: hour, Rejected: 1, Closed: 1}, {At: hour.Add(55 * time.Minute), Closed: 1}, {At: hour.Add(time.Hour), Rejected: 1},
		}},
		"since later than all": {requestlog.DenialQuery{Since: hour.Add(2 * time.Hour)}, time.Hour, []requestlog.DeniedTime{}},
	} {
		got, err := w.store.DeniedTimes(t.Context(), one.query, one.step)
		if err != nil {
			t.Fatalf("w.store.DeniedTimes: %v", err)
		}
		wantEqual(t, name, one.want, got)
	}
}

func denialsAreSelected(t *testing.T, w *fixture) {
	other := refusedLine(t, stark, 4, 403, "CAPABILITY_NOT_ENTITLED", "NotEntitled")
	other.Capability = "xjdf"
	w.logged(t, refusedLine(t, acme, 1, 503, "CLOSED", "Killed"), refusedLine(t, acmeTest, 2, 503, "CLOSED", "Killed"), refusedLine(t, upper, 3, 503, "CLOSED", "Killed"), other)
	for name, one := range map[string]struct {
		query requestlog.DenialQuery
		want  int64
	}{
		"both modes of an organization":      {requestlog.DenialQuery{Organization: acme.Organization}, 2},
		"an organization in another case":    {requestlog.DenialQuery{Organization: upper.Organization}, 1},
		"a part of an organization":          {requestlog.DenialQuery{Organization: "org"}, 0},
		"a capability":                       {requestlog.DenialQuery{Capability: "xjdf"}, 1},
		"a code":                             {requestlog.DenialQuery{Code: "CLOSED"}, 3},
		"filters that exclude each other":    {requestlog.DenialQuery{Code: "CLOSED", Capability: "xjdf"}, 0},
		"a code with a wildcard of patterns": {requestlog.DenialQuery{Code: "%"}, 0},
	} {
		one.query.Limit = 10
		found, err := w.store.Denials(t.Context(), one.query)
		if err != nil {
			t.Fatalf("w.store.Denials: %v", err)
		}
		var got int64
		for _, denial := range found {
			got += denial.Requests
		}
		if got != one.want {
			t.Errorf("%s: %d requests, want %d", name, got, one.want)
		}
	}
}

func requestsAreForgotten(t *testing.T, w *fixture) {
	for n := range 10 {
		w.logged(t, line(t, acme, n))
	}
	until := line(t, acme, 6).At
	for step, want := range []int{3, 3, 1, 0} {
		if n, err := w.store.PurgeRequests(t.Context(), until, 3); n != want || err != nil {
			t.Errorf("step %d erased %d requests (%v), want %d", step, n, err, want)
		}
	}
	left := w.listed(t, requestlog.Query{})
	if len(left) != 3 || left[2].ID != line(t, acme, 7).ID {
		t.Errorf("left are %v", left)
	}
}
