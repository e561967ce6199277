// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
)

// ListParameters holds the query parameters of a list of RFQs. An absent parameter is nil.
type ListParameters struct {
	Status                      []string
	CreatedAfter, CreatedBefore *string
	ClientReference             *string
	Limit                       *int
	Cursor                      *string
}

// maxStatuses is the number of statuses in the contract.
const maxStatuses = 6

// Page parses the parameters of a list. Its error is the problem of the first invalid one.
func Page(in ListParameters) (page rfq.Page, err error) {
	if page.Limit, err = PageLimit(in.Limit); err != nil {
		return rfq.Page{}, err
	}
	if in.Cursor != nil {
		page.Cursor = *in.Cursor
	}
	if page.ClientReference, err = Reference(in.ClientReference); err != nil {
		return rfq.Page{}, err
	}
	for i, text := range in.Status {
		status := rfq.Status(text)
		if !status.Valid() || i >= maxStatuses {
			return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "The parameter status must be one of open, quoted, closed, awarded, expired and cancelled, and be sent at most 6 times.")
		}
		page.Statuses = append(page.Statuses, status)
	}
	page.CreatedAfter, page.CreatedBefore, err = Period(in.CreatedAfter, in.CreatedBefore)
	if err != nil {
		return rfq.Page{}, err
	}
	return page, nil
}

// PageLimit parses the parameter limit; nil is the default.
func PageLimit(limit *int) (int, error) {
	switch {
	case limit == nil:
		return rfq.DefaultLimit, nil
	case *limit < 1 || *limit > rfq.MaxLimit:
		return 0, badLimit()
	default:
		return *limit, nil
	}
}

// Reference parses the parameter clientReference; nil is empty.
func Reference(text *string) (string, error) {
	if text == nil {
		return "", nil
	}
	if n := utf8.RuneCountInString(*text); n < 1 || n > rfq.MaxReference || !utf8.ValidString(*text) || strings.ContainsRune(*text, 0) {
		return "", problem.New(problem.CodeInvalidRequest, "The parameter clientReference must have 1 to %d characters.", rfq.MaxReference)
	}
	return *text, nil
}

// Period parses the parameters createdAfter and createdBefore; nil is the zero time.
func Period(after, before *string) (from, until time.Time, err error) {
	from, known := ParseInstant(after)
	until, valid := ParseInstant(before)
	if !known || !valid {
		return time.Time{}, time.Time{}, problem.New(problem.CodeInvalidRequest, "The parameters createdAfter and createdBefore must be RFC 3339 times, for example 2026-11-20T09:00:00Z.")
	}
	return from, until, nil
}

// firstInstant and lastInstant are the bounds of valid times: those that RFC 3339 can express
// and at which records can exist.
var (
	firstInstant = time.UnixMilli(0).UTC()
	lastInstant  = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
)

// ParseInstant returns the first whole millisecond that is not before a time in RFC 3339:
// records are created at whole milliseconds. It reports whether the text is valid; nil is
// the zero time.
func ParseInstant(text *string) (time.Time, bool) {
	if text == nil {
		return time.Time{}, true
	}
	// RFC 3339, section 5.6, allows lower-case letters but no comma, which package time
	// accepts as a decimal point.
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
	return problem.New(problem.CodeInvalidRequest, "The parameter limit must be an integer from 1 to %d.", rfq.MaxLimit)
}

// BadParameter returns the problem of an invalid parameter. An empty name means that the
// parameter is missing or was sent more than once.
func BadParameter(name string) *problem.Problem {
	switch name {
	case "":
		return problem.New(problem.CodeInvalidRequest, "A parameter does not have the format given in the contract.")
	case "limit":
		return badLimit()
	default:
		return problem.New(problem.CodeInvalidRequest, "The parameter %s does not have the format given in the contract.", name)
	}
}

// BadPage returns the problem of an invalid cursor, [rfq.ErrInvalidPage].
func BadPage(err error) *problem.Problem {
	return problem.New(problem.CodeInvalidRequest, "The cursor is not valid for this list with these filters. Send nextCursor of the previous page with the same filters, or start without a cursor.").With(err)
}

// NextQuery returns the query of the next page: the query of this page with another cursor.
func NextQuery(page rfq.Page, cursor string) string {
	query := PageQuery(cursor, page.Limit, page.ClientReference, page.CreatedAfter, page.CreatedBefore)
	for _, status := range page.Statuses {
		query.Add("status", string(status))
	}
	return query.Encode()
}

// PageQuery returns the parameters that every list with these filters has.
func PageQuery(cursor string, limit int, reference string, after, before time.Time) url.Values {
	query := url.Values{"cursor": {cursor}, "limit": {strconv.Itoa(limit)}}
	if reference != "" {
		query.Set("clientReference", reference)
	}
	for name, at := range map[string]time.Time{"createdAfter": after, "createdBefore": before} {
		if !at.IsZero() {
			query.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return query
}

// OnlyParameters rejects a query that cannot be parsed, has an unknown parameter or repeats a
// single-valued one. A misspelled filter must not select everything.
func OnlyParameters(parameters []contracts.Parameter, next Handler) Handler {
	known := map[string]contracts.Parameter{}
	for _, parameter := range parameters {
		known[parameter.Name] = parameter
	}
	return func(c *Call) error {
		query, err := url.ParseQuery(c.Request.URL.RawQuery)
		if err != nil {
			return problem.New(problem.CodeInvalidRequest, "The query string is malformed. Check its percent-encoding.").With(err)
		}
		for name, values := range query {
			parameter, found := known[name]
			if !found {
				return problem.New(problem.CodeInvalidRequest, "The parameter %.40q is not supported on this path.", name)
			}
			if len(values) > 1 && !parameter.Repeats {
				return problem.New(problem.CodeInvalidRequest, "The parameter %s must be sent only once.", name)
			}
		}
		return next(c)
	}
}

// OnlyValid rejects a body that violates the schema of the contract with a problem of a code.
func OnlyValid(schema *contracts.Schema, code problem.Code, next Handler) Handler {
	return func(c *Call) error {
		if violations := schema.Violations(c.Document); len(violations) > 0 {
			return problem.New(code, "The request is not valid.").Violates(violations...)
		}
		return next(c)
	}
}
