// SPDX-License-Identifier: Apache-2.0

// Package listing is what the surfaces that list RFQs have in common: the
// parameters of a list, and what is wrong with them.
package listing

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
)

// Parameters are those of a request, as generated code reads them; nil is
// absent.
type Parameters struct {
	Status                      []string
	CreatedAfter, CreatedBefore *string
	Limit                       *int
	Cursor                      *string
}

// maxStatuses is the contract's bound: there are no more.
const maxStatuses = 6

// Page turns parameters into a page, or into the problem with them.
func Page(in Parameters) (rfq.Page, error) {
	page := rfq.Page{Limit: rfq.DefaultLimit}
	if in.Limit != nil {
		page.Limit = *in.Limit
	}
	if page.Limit < 1 || page.Limit > rfq.MaxLimit {
		return rfq.Page{}, badLimit()
	}
	if in.Cursor != nil {
		page.Cursor = *in.Cursor
	}
	for i, text := range in.Status {
		status := rfq.Status(text)
		if !status.Valid() || i >= maxStatuses {
			return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "The parameter status is open, quoted, closed, awarded, expired or cancelled.")
		}
		page.Statuses = append(page.Statuses, status)
	}
	var after, before bool
	page.CreatedAfter, after = Instant(in.CreatedAfter)
	page.CreatedBefore, before = Instant(in.CreatedBefore)
	if !after || !before {
		return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "The parameters createdAfter and createdBefore are times like 2026-11-20T09:00:00Z.")
	}
	return page, nil
}

// firstInstant and lastInstant bound the times that RFC 3339 can write and that
// anything can have been created at.
var (
	firstInstant = time.UnixMilli(0).UTC()
	lastInstant  = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
)

// Instant is the first whole millisecond that is not before a time of RFC 3339:
// nothing is created in between. It reports whether the text is one;
// no text is the zero time.
func Instant(text *string) (time.Time, bool) {
	if text == nil {
		return time.Time{}, true
	}
	// The letters may be small (RFC 3339, section 5.6); a comma, which package
	// time takes for a point, may not be there.
	at, err := time.Parse(time.RFC3339, strings.ToUpper(*text))
	if err != nil || strings.Contains(*text, ",") {
		return time.Time{}, false
	}
	whole := at.UTC().Truncate(time.Millisecond)
	if whole.Before(at) {
		whole = whole.Add(time.Millisecond)
	}
	switch {
	case whole.Before(firstInstant):
		return firstInstant, true
	case whole.After(lastInstant):
		return lastInstant, true
	default:
		return whole, true
	}
}

func badLimit() *problem.Problem {
	return problem.New(problem.CodeInvalidRequest, "The parameter limit is an integer from 1 to %d.", rfq.MaxLimit)
}

// BadParameter is the ErrorHandlerFunc of a generated server, whose errors have
// types of their own: name finds the parameter that cannot be read in one.
func BadParameter(name func(error) string) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		switch name := name(err); name {
		case "":
			strict.BadParameter(w, r, err)
		case "limit":
			strict.Refuse(w, badLimit())
		default:
			strict.Refuse(w, problem.New(problem.CodeInvalidRequest, "The parameter %s is not of the form that the contract gives.", name))
		}
	}
}

// BadPage is the answer to rfq.ErrInvalidPage: everything else was checked.
func BadPage(err error) *problem.Problem {
	return problem.New(problem.CodeInvalidRequest, "The cursor is not one that was handed out for this list with these filters.").With(err)
}

// Next is the query of the next page: this one's with another cursor.
func Next(page rfq.Page, cursor string) string {
	query := url.Values{"cursor": {cursor}, "limit": {strconv.Itoa(page.Limit)}}
	for _, status := range page.Statuses {
		query.Add("status", string(status))
	}
	for name, at := range map[string]time.Time{"createdAfter": page.CreatedAfter, "createdBefore": page.CreatedBefore} {
		if !at.IsZero() {
			query.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return query.Encode()
}

// Only refuses a query that holds anything but the parameters of an operation,
// or one of them too often, or cannot be read: a filter with a typing error must
// not be answered with everything.
func Only(parameters []contracts.Parameter, next gate.Handler) gate.Handler {
	known := map[string]contracts.Parameter{}
	for _, parameter := range parameters {
		known[parameter.Name] = parameter
	}
	return func(c *gate.Call) error {
		query, err := url.ParseQuery(c.Request.URL.RawQuery)
		if err != nil {
			return problem.New(problem.CodeInvalidRequest, "The query cannot be read.").With(err)
		}
		for name, values := range query {
			parameter, found := known[name]
			if !found {
				return problem.New(problem.CodeInvalidRequest, "There is no parameter %.40q here.", name)
			}
			if len(values) > 1 && !parameter.Repeats {
				return problem.New(problem.CodeInvalidRequest, "Send the parameter %s once.", name)
			}
		}
		return next(c)
	}
}
