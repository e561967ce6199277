// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
)

const (
	requestsPath = "/requests"
	// Limits of one page: requests of the list, and requests with one id.
	requestsOnPage = 50
	requestsOfID   = 20
)

// requestID is the syntax of request ids.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// classes are the status classes that the list can be filtered by.
var classes = []classOption{{2, "success"}, {3, "not modified"}, {4, "rejected"}, {5, "error or closed"}}

type classOption struct {
	Class requestlog.Class
	Name  string
}

// requestRoutes are the pages of the request log.
func (s *server) requestRoutes() []route {
	return []route{
		{pattern: requestsPath, get: s.requirePartner(posture.SurfacePartner, s.listRequests)},
		{pattern: requestsPath + "/{id}", get: s.requirePartner(posture.SurfacePartner, s.showRequest)},
	}
}

// requestsBody holds one page of requests, newest first.
type requestsBody struct {
	// ID, Code and Class are the filter.
	ID, Code string
	Class    requestlog.Class
	Entries  []requestlog.Entry
	// First is the path of the first page, set on later pages. Older is the path of the
	// next page; empty on the last.
	First, Older string
}

// listRequests serves the list of requests.
func (s *server) listRequests(v *visit) response {
	query, err := requestQuery(v.URL.Query())
	if err != nil {
		return failed(err)
	}
	query.Owner = v.caller.Tenant()
	body := requestsBody{ID: query.RequestID, Code: query.Code, Class: query.Class}
	own := url.Values{}
	if query.RequestID != "" {
		own.Set("id", query.RequestID)
	}
	if query.Code != "" {
		own.Set("code", query.Code)
	}
	if query.Class != 0 {
		own.Set("class", strconv.Itoa(int(query.Class)))
	}
	scope := cursor.Scope{Tenant: query.Owner.String(), Query: "requests?" + own.Encode()}
	if at := v.URL.Query().Get("cursor"); at != "" {
		if query.Before, err = s.Cursors.Open(scope, at); err != nil {
			return failed(gate.BadPage(err))
		}
		body.First = requestsPath + "?" + own.Encode()
	}
	query.Limit = requestsOnPage + 1 // the extra one shows that there is a next page
	body.Entries, err = s.Records.Requests(v.Context(), query)
	if err != nil {
		return failed(err)
	}
	if len(body.Entries) > requestsOnPage {
		body.Entries = body.Entries[:requestsOnPage]
		next, err := s.Cursors.Seal(scope, body.Entries[requestsOnPage-1].ID)
		if err != nil {
			return failed(err)
		}
		own.Set("cursor", next)
		body.Older = requestsPath + "?" + own.Encode()
	}
	return show(pageRequests, "Requests", requestsPage(body))
}

// requestQuery reads the filter of the list.
func requestQuery(sent url.Values) (q requestlog.Query, err error) {
	q.RequestID, q.Code = strings.TrimSpace(sent.Get("id")), strings.ToUpper(strings.TrimSpace(sent.Get("code")))
	if q.RequestID != "" && !requestID.MatchString(q.RequestID) {
		return q, problem.New(problem.CodeInvalidRequest, "A request id must have 8 to 64 letters, digits, dots, dashes and underscores.")
	}
	if _, known := problem.Lookup(problem.Code(q.Code)); q.Code != "" && !known {
		return q, problem.New(problem.CodeInvalidRequest, "The problem code is unknown.")
	}
	text := sent.Get("class")
	for _, option := range classes {
		if text == strconv.Itoa(int(option.Class)) {
			q.Class = option.Class
		}
	}
	if text != "" && q.Class == 0 {
		return q, problem.New(problem.CodeInvalidRequest, "The status class must be 2, 3, 4 or 5.")
	}
	return q, nil
}

// none describes the empty list.
func (b *requestsBody) none() string {
	text := "No requests"
	if b.ID != "" || b.Code != "" || b.Class != 0 {
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
	// Repeat is a command that sends the request again; empty for a listener other than the
	// API's.
	Repeat string
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
	if requestID.MatchString(id) {
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
	d := requestDetail{Entry: e}
	if e.Listener == "api" && strings.HasPrefix(e.Route, "/") {
		d.Repeat = "curl -i -X " + e.Method + " " + quoted(s.APIURL+e.Route) + ` -H "Authorization: Bearer $PRINTMARKET_KEY"`
	}
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
