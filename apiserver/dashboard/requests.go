// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
)

const (
	requestsPath = "/requests"
	// Limits of one page: requests of the list, and requests with one id.
	requestsOnPage = 50
	requestsOfID   = 20
)

// classes are the status classes that the list can be filtered by.
var classes = []struct {
	Class requestlog.Class
	Name  string
}{{2, "success"}, {3, "not modified"}, {4, "rejected"}, {5, "error or closed"}}

// period is a choice of the filter by time; the zero time is all that is kept.
type period struct {
	Value, Name string
	Length      time.Duration
}

// periods are the choices, the longest first.
var periods = []period{
	{"", "30 days", 0}, {"7d", "7 days", 7 * 24 * time.Hour}, {"24h", "24 hours", 24 * time.Hour}, {"1h", "hour", time.Hour},
}

// searchPeriod is the longest period of a filter by path, because no index has the path.
const searchPeriod = "7d"

// requestFilter selects requests. Its texts are those of the form.
type requestFilter struct {
	ID, Code, Key, Path string
	Class               requestlog.Class
	Period              period
}

// requestsBody holds one page of requests, newest first.
type requestsBody struct {
	requestFilter
	// Keys are the names of the keys of the organization.
	Keys    []string
	Entries []requestDetail
	// First is the path of the first page, set on later pages. Older is the path of the
	// next page; empty on the last.
	First, Older string
}

// listRequests serves the list of requests.
func (s *server) listRequests(v *visit) response {
	filter, err := readRequestFilter(v.URL.Query())
	if err != nil {
		return failed(err)
	}
	query, own := filter.query(v.now), filter.values()
	query.Owner = v.caller.Tenant()
	body := requestsBody{requestFilter: filter}
	for _, key := range v.caller.Keys() {
		body.Keys = append(body.Keys, key.Name)
	}
	scope := cursor.Scope{Tenant: query.Owner.String(), Query: "requests?" + own.Encode()}
	if at := v.URL.Query().Get("cursor"); at != "" {
		if query.Before, err = s.Cursors.Open(scope, at); err != nil {
			return failed(gate.BadPage(err))
		}
		body.First = requestsPath + "?" + own.Encode()
	}
	query.Limit = requestsOnPage + 1 // the extra one shows that there is a next page
	entries, err := s.Records.Requests(v.Context(), query)
	if err != nil {
		return failed(err)
	}
	if len(entries) > requestsOnPage {
		entries = entries[:requestsOnPage]
		next, err := s.Cursors.Seal(scope, entries[requestsOnPage-1].ID)
		if err != nil {
			return failed(err)
		}
		own.Set("cursor", next)
		body.Older = requestsPath + "?" + own.Encode()
	}
	for i := range entries {
		body.Entries = append(body.Entries, requestDetail{Entry: &entries[i], Repeat: s.repeat(&entries[i])})
	}
	return show(pageRequests, "Requests", requestsPage(body))
}

// readRequestFilter reads the filter of the list.
func readRequestFilter(sent url.Values) (f requestFilter, err error) {
	trimmed := func(name string) string { return strings.TrimSpace(sent.Get(name)) }
	f.ID, f.Code, f.Key, f.Path = trimmed("id"), strings.ToUpper(trimmed("code")), trimmed("key"), trimmed("path")
	if f.ID != "" && !respond.IsRequestID(f.ID) {
		return f, problem.New(problem.CodeInvalidRequest, "A request id must have 8 to 64 letters, digits, dots, dashes and underscores.")
	}
	if _, known := problem.Lookup(problem.Code(f.Code)); f.Code != "" && !known {
		return f, problem.New(problem.CodeInvalidRequest, "The problem code is unknown.")
	}
	if len(f.Key) > maxFilter || len(f.Path) > maxFilter {
		return f, problem.New(problem.CodeInvalidRequest, "The key and the path must have at most %d bytes.", maxFilter)
	}
	text := sent.Get("class")
	for _, option := range classes {
		if text == strconv.Itoa(int(option.Class)) {
			f.Class = option.Class
		}
	}
	if text != "" && f.Class == 0 {
		return f, problem.New(problem.CodeInvalidRequest, "The status class must be 2, 3, 4 or 5.")
	}
	chosen := sent.Get("period")
	if chosen == "" && f.Path != "" {
		chosen = searchPeriod
	}
	i := slices.IndexFunc(periods, func(p period) bool { return p.Value == chosen })
	if i < 0 {
		return f, problem.New(problem.CodeInvalidRequest, "The period must be 1h, 24h or 7d, or be absent.")
	}
	f.Period = periods[i]
	return f, nil
}

// maxFilter bounds a text of the filter, in bytes.
const maxFilter = 200

// query returns the filter for the store.
func (f *requestFilter) query(now time.Time) requestlog.Query {
	q := requestlog.Query{RequestID: f.ID, Code: f.Code, Class: f.Class, Key: f.Key, Route: f.Path}
	if f.Period.Length > 0 {
		q.Since = now.Add(-f.Period.Length)
	}
	return q
}

// values returns the filter as the query of a path.
func (f *requestFilter) values() url.Values {
	values := url.Values{}
	for name, text := range map[string]string{"id": f.ID, "code": f.Code, "key": f.Key, "path": f.Path, "period": f.Period.Value} {
		if text != "" {
			values.Set(name, text)
		}
	}
	if f.Class != 0 {
		values.Set("class", strconv.Itoa(int(f.Class)))
	}
	return values
}

// none describes the empty list.
func (b *requestsBody) none() string {
	text := "No requests"
	if b.requestFilter != (requestFilter{Period: periods[0]}) {
		text += " match the filter"
	}
	return text + beyond(b.First) + "."
}

// milliseconds returns the duration of a request.
func milliseconds(e *requestlog.Entry) string {
	return strconv.FormatFloat(float64(e.Took.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// requestBody holds the known data of a request id.
type requestBody struct {
	// Requests are those with the id, the newest first. More reports whether there are
	// others.
	Requests []requestDetail
	More     bool
}

// requestDetail is one request with an explanation of its problem.
type requestDetail struct {
	*requestlog.Entry
	// Title and Do explain the problem; empty for a success.
	Title, Do string
	// Docs and Registry are addresses of more about the problem; empty for none.
	Docs, Registry string
	Repeat         repetition
}

// statusKind returns the kind of an HTTP status.
func statusKind(status int) kind {
	switch {
	case status >= 500:
		return kindDanger
	case status >= 400:
		return kindAttention
	case status >= 300:
		return kindNeutral
	default:
		return kindOK
	}
}

// showRequest serves the requests with one id.
func (s *server) showRequest(v *visit) response {
	id := v.PathValue("id")
	var found []requestlog.Entry
	if respond.IsRequestID(id) {
		var err error
		if found, err = s.Records.Requests(v.Context(), requestlog.Query{Owner: v.caller.Tenant(), RequestID: id, Limit: requestsOfID + 1}); err != nil {
			return failed(err)
		}
	}
	if len(found) == 0 {
		return message(http.StatusNotFound, "Request not found",
			"The request may be older than 30 days, only seconds old, from the other mode (test or live), or one of many that were counted but not listed.")
	}
	body := requestBody{More: len(found) > requestsOfID}
	for i := range found[:min(len(found), requestsOfID)] {
		body.Requests = append(body.Requests, s.explain(&found[i]))
	}
	title := "Request " + id
	return show(pageRequest, title, requestPage(title, body))
}

// explain adds to a request what its problem means.
func (s *server) explain(e *requestlog.Entry) requestDetail {
	d := requestDetail{Entry: e, Repeat: s.repeat(e)}
	definition, known := problem.Lookup(problem.Code(e.Code))
	if !known {
		return d
	}
	d.Title, d.Do = http.StatusText(definition.Status), definition.Do
	if s.Docs {
		d.Docs = "/docs/reference/problem-codes.html#" + strings.ToLower(e.Code)
	}
	if kind, ok := problem.TypeOf(definition.Slug); ok {
		d.Title = cmp.Or(kind.Title, d.Title)
		d.Registry = s.RegistryURL + respond.TypePath + string(kind.Slug)
	}
	return d
}

// repetition is a command that sends a request again.
type repetition struct {
	// Command is empty for a request that was not sent to a path of the API.
	Command string
	// Parameters are the parts of the path to replace, and File is the name of the file with the body.
	Parameters []string
	File       string
}

var pathParameter = regexp.MustCompile(`\{[A-Za-z]+\}`)

// bodyFiles are the names of files with bodies by media type.
var bodyFiles = map[string]string{"application/json": "body.json", "application/pdf": "file.pdf"}

// repeat returns the command for a request. Keys, ids and bodies are not stored.
func (s *server) repeat(e *requestlog.Entry) repetition {
	if e.Listener != "api" || !strings.HasPrefix(e.Route, "/") {
		return repetition{}
	}
	command := "curl -i -X " + e.Method + " " + quoted(s.APIURL+e.Route) + ` -H "Authorization: Bearer $PRINTMARKET_KEY"`
	if e.Method == http.MethodHead {
		command = strings.Replace(command, "curl -i -X HEAD", "curl -I", 1)
	}
	sends := s.sends[e.Method+" "+e.Route]
	if sends.IdempotencyKey {
		command += ` -H "Idempotency-Key: $(uuidgen)"`
	}
	file := ""
	if sends.MediaType != "" {
		file = cmp.Or(bodyFiles[sends.MediaType], "body")
		command += " -H " + quoted("Content-Type: "+sends.MediaType) + " --data-binary @" + file
	}
	return repetition{command, pathParameter.FindAllString(e.Route, -1), file}
}
