// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// message is a page with one sentence.
func message(status int, title, text string) response {
	return response{status: status, page: pageMessage, title: title, content: messagePage(title, text)}
}

// badRequest says why a parameter is invalid.
func badRequest(text string) response { return message(http.StatusBadRequest, "Not understood", text) }

func notFound(*visit) response {
	return message(http.StatusNotFound, "There is no such page", "Nothing is at this address. What there is can be reached from the links above.")
}

func crossOrigin(*visit) response {
	return message(http.StatusForbidden, "Not sent from here", "This form was sent from another site, so nothing was done.")
}

func methodNotAllowed(allowed string) handler {
	return func(v *visit) response {
		v.header.Set("Allow", allowed)
		return message(http.StatusMethodNotAllowed, "Not possible here", "This page takes no requests of this kind.")
	}
}

// unavailable asks the visitor to try again after a time.
func unavailable(retry time.Duration, text string) response {
	r := message(http.StatusServiceUnavailable, "Not available at the moment", text)
	r.retry = retry
	return r
}

// noPosture is the response while no posture is in force, so that nothing can be decided.
func noPosture() response {
	return unavailable(5*time.Second, "This replica has no current posture and keeps every gate closed. Try again in a moment.")
}

// problemPage shows a problem of the API as a page.
func problemPage(p *problem.Problem) response {
	title := "Not available at the moment"
	definition, _ := problem.Lookup(p.Code)
	switch definition.Status {
	case http.StatusForbidden:
		title = "Not allowed"
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		title = "Not understood"
	case http.StatusNotFound:
		title = "Not found"
	case http.StatusConflict:
		title = "Not there yet"
	case http.StatusGone:
		title = "Gone"
	case http.StatusTooManyRequests:
		title = "Too many requests"
	}
	r := message(definition.Status, title, p.Detail)
	r.retry = p.RetryAfter
	return r
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
		r.content, r.cause = messagePage(r.title, "The records cannot be read at the moment. Try again in a moment."), err
	case http.StatusInternalServerError:
		r.title, r.cause = "Something went wrong", err
		r.content = messagePage(r.title, "This is our fault. Try again; if it stays, tell the marketplace when it happened.")
	}
	return r
}
