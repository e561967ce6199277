// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
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
	// Bounds of what one page shows: entries of the list, and those with one id.
	requestsOnPage = 50
	requestsOfID   = 20
)

// requestID is the form of request ids.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// classes are the kinds of answers that a list may be narrowed to.
var classes = []classOption{{2, "success"}, {3, "not changed"}, {4, "refused"}, {5, "failed or closed"}}

type classOption struct {
	Class requestlog.Class
	Name  string
}

// requestRoutes are the pages of the request log.
func (b *board) requestRoutes() []route {
	return []route{
		{pattern: requestsPath, get: b.member(b.listRequests)},
		{pattern: requestsPath + "/{id}", get: b.member(b.showRequest)},
	}
}

// requestsBody is one page of requests, the newest first.
type requestsBody struct {
	// ID, Code and Class are what the list is narrowed to.
	ID, Code string
	Class    requestlog.Class
	Rows     []requestRow
	// First is the list from its beginning, set on later pages; Older is the next
	// page; empty on the last.
	First, Older string
}

// none says that the list is empty.
func (r *requestsBody) none() string {
	text := "There are no "
	if r.ID != "" || r.Code != "" || r.Class != 0 {
		text += "such "
	}
	return text + "requests" + beyond(r.First) + "."
}

// requestRow is one request, or several that were counted.
type requestRow struct {
	// ID and Path are empty where several were counted, Requests of them.
	ID, Path string
	Requests int64
	At       instant

	Method, Route, Capability, Key, Listener, Code, Took string
	Status                                               int
	Bytes                                                int64
}

func requestRowOf(e *requestlog.Entry) requestRow {
	row := requestRow{
		ID: e.RequestID, Requests: e.Requests, At: instant(e.At), Method: e.Method, Route: e.Route, Capability: e.Capability, Key: e.Key,
		Code: e.Code, Status: e.Status, Took: milliseconds(e.Took), Bytes: e.Bytes, Listener: e.Listener,
	}
	if e.RequestID == "" {
		row.Took = "at most " + row.Took
	} else {
		row.Path = requestsPath + "/" + e.RequestID
	}
	return row
}

// milliseconds is a short time for people.
func milliseconds(took time.Duration) string {
	return strconv.FormatFloat(float64(took.Microseconds())/1000, 'f', 1, 64) + " ms"
}

// listRequests serves the list.
func (b *board) listRequests(v *visit) answer {
	query, err := requestQuery(v.URL.Query())
	if err != nil {
		return failed(err)
	}
	query.Owner = v.caller.Tenant()
	body := requestsBody{ID: query.RequestID, Code: query.Code, Class: query.Class}
	own := filters(query)
	scope := cursor.Scope{Tenant: query.Owner.String(), Query: "requests?" + own.Encode()}
	if at := v.URL.Query().Get("cursor"); at != "" {
		if query.Before, err = b.Cursors.Open(scope, at); err != nil {
			return failed(gate.BadPage(err))
		}
		body.First = requestsPath + "?" + own.Encode()
	}
	query.Limit = requestsOnPage + 1 // one more says whether there is a next page
	found, err := b.Records.Requests(v.Context(), query)
	if err != nil {
		return failed(err)
	}
	if len(found) > requestsOnPage {
		found = found[:requestsOnPage]
		next, err := b.Cursors.Seal(scope, found[requestsOnPage-1].ID)
		if err != nil {
			return failed(err)
		}
		own.Set("cursor", next)
		body.Older = requestsPath + "?" + own.Encode()
	}
	for i := range found {
		body.Rows = append(body.Rows, requestRowOf(&found[i]))
	}
	return answer{status: http.StatusOK, page: pageRequests, title: "Requests", content: requestsPage(body)}
}

// requestQuery reads what a list is narrowed to.
func requestQuery(sent url.Values) (q requestlog.Query, err error) {
	q.RequestID, q.Code = strings.TrimSpace(sent.Get("id")), strings.ToUpper(strings.TrimSpace(sent.Get("code")))
	if q.RequestID != "" && !requestID.MatchString(q.RequestID) {
		return q, problem.New(problem.CodeInvalidRequest, "A request id has 8 to 64 letters, digits, dots, dashes and underscores.")
	}
	if _, known := problem.Lookup(problem.Code(q.Code)); q.Code != "" && !known {
		return q, problem.New(problem.CodeInvalidRequest, "There is no problem with this code.")
	}
	text := sent.Get("class")
	for _, option := range classes {
		if text == strconv.Itoa(int(option.Class)) {
			q.Class = option.Class
		}
	}
	if text != "" && q.Class == 0 {
		return q, problem.New(problem.CodeInvalidRequest, "The kind of an answer is 2, 3, 4 or 5.")
	}
	return q, nil
}

// filters are what a list is narrowed to, as its form sends it.
func filters(q requestlog.Query) url.Values {
	own := url.Values{}
	if q.RequestID != "" {
		own.Set("id", q.RequestID)
	}
	if q.Code != "" {
		own.Set("code", q.Code)
	}
	if q.Class != 0 {
		own.Set("class", strconv.Itoa(int(q.Class)))
	}
	return own
}

// requestBody is what is known of a request id.
type requestBody struct {
	ID string
	// Requests are those with the id, the newest first; More is whether there are more.
	Requests []requestDetail
	More     bool
}

// requestDetail is one request with what to do about its answer.
type requestDetail struct {
	requestRow
	// Title and Do are those of the problem; empty for a success.
	Title, Do string
	// Docs and Registry are where more is written of it; empty where that is nowhere.
	Docs, Registry string
}

// showRequest serves what is known of one request id.
func (b *board) showRequest(v *visit) answer {
	id := v.PathValue("id")
	if !requestID.MatchString(id) {
		return unknownRequest()
	}
	found, err := b.Records.Requests(v.Context(), requestlog.Query{Owner: v.caller.Tenant(), RequestID: id, Limit: requestsOfID + 1})
	if err != nil {
		return failed(err)
	}
	if len(found) == 0 {
		return unknownRequest()
	}
	body := requestBody{ID: id, More: len(found) > requestsOfID}
	for i := range found[:min(len(found), requestsOfID)] {
		body.Requests = append(body.Requests, b.detail(&found[i]))
	}
	title := "Request " + id
	return answer{status: http.StatusOK, page: pageRequest, title: title, content: requestPage(title, body)}
}

// unknownRequest says why a request may not be found.
func unknownRequest() answer {
	return say(http.StatusNotFound, "No request with this id is known",
		"It may be older than 30 days, of the last seconds, of the other mode, or one of so many that they were counted and not listed.")
}

// detail explains one request.
func (b *board) detail(e *requestlog.Entry) requestDetail {
	d := requestDetail{requestRow: requestRowOf(e)}
	definition, known := problem.Lookup(problem.Code(e.Code))
	if !known {
		return d
	}
	d.Title, d.Do = http.StatusText(definition.Status), definition.Do
	if b.Docs {
		d.Docs = "/docs/reference/problem-codes.html#" + strings.ToLower(e.Code)
	}
	if kind, ok := problem.TypeOf(definition.Slug); ok {
		d.Title = cmp.Or(kind.Title, d.Title)
		d.Registry = b.RegistryURL + respond.TypePath + string(kind.Slug)
	}
	return d
}
