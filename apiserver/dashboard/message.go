// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// message is a page with one sentence.
func message(status int, title, text string) response {
	return response{status: status, page: pageMessage, title: title, content: messagePage(title, text)}
}

// badRequest shows why a parameter is invalid.
func badRequest(text string) response { return message(http.StatusBadRequest, "Invalid request", text) }

func notFound(*visit) response {
	return message(http.StatusNotFound, "Page not found", "This page does not exist. Use the menu to continue.")
}

// unavailable returns a page that requests a retry after a time.
func unavailable(retry time.Duration, text string) response {
	r := message(http.StatusServiceUnavailable, "Temporarily unavailable", text)
	r.retry = retry
	return r
}

// noPosture is the response while no posture is loaded.
func noPosture() response {
	return unavailable(5*time.Second, "The server has not loaded current access rules and rejects all requests. Try again in a moment.")
}

// problemTitles are the titles of problem pages by status. A page with another status has the text of
// the status.
var problemTitles = map[int]string{
	http.StatusBadRequest:            "Invalid request",
	http.StatusForbidden:             "Access denied",
	http.StatusNotFound:              "Not found",
	http.StatusConflict:              "Not ready",
	http.StatusGone:                  "No longer available",
	http.StatusRequestEntityTooLarge: "File too large",
	http.StatusUnprocessableEntity:   "Invalid request",
	http.StatusServiceUnavailable:    "Temporarily unavailable",
}

// problemPage shows a problem of the API as a page.
func problemPage(p *problem.Problem) response {
	definition, _ := problem.Lookup(p.Code)
	title := cmp.Or(problemTitles[definition.Status], http.StatusText(definition.Status))
	return response{status: definition.Status, retry: p.RetryAfter, page: pageMessage, title: title, content: problemContent(title, p)}
}

// failed is the response to an error of a store. Only the log contains the error.
func failed(err error) response {
	p := respond.StoreProblem(err, problem.CodeRFQQuotaExceeded)
	if p == nil {
		p = problem.Of(err)
	}
	r := problemPage(p)
	switch r.status {
	case http.StatusServiceUnavailable:
		r.content, r.cause = messagePage(r.title, "The records are temporarily unavailable. Try again in a moment."), err
	case http.StatusInternalServerError:
		r.title, r.cause = "Something went wrong", err
		r.content = messagePage(r.title, "An internal error occurred. Try again. If the error persists, contact the marketplace with the time of the error.")
	}
	return r
}
