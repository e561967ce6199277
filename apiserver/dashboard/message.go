// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

func say(status int, title, text string) answer {
	return answer{status: status, page: pageMessage, title: title, content: messagePage(title, text)}
}

func missing(*visit) answer {
	return say(http.StatusNotFound, "There is no such page", "Nothing is at this address. What there is can be reached from the links above.")
}

func foreign(*visit) answer {
	return say(http.StatusForbidden, "Not sent from here", "This form was sent from another site, so nothing was done.")
}

func notAllowed(allowed string) action {
	return func(v *visit) answer {
		v.header.Set("Allow", allowed)
		return say(http.StatusMethodNotAllowed, "Not possible here", "This page takes no requests of this kind.")
	}
}

// closed is the answer while no posture is in force: nobody can be judged.
func closed() answer {
	a := say(http.StatusServiceUnavailable, "Not available at the moment", "This replica has no current posture and keeps every gate closed. Try again in a moment.")
	a.retry = 5 * time.Second
	return a
}

// Refusal is part of [account.Judge].
func (v *visit) Refusal(decision posture.Decision) *problem.Problem {
	return v.refusals.Of(decision, v.now)
}

// refusal is what the API would answer, as a page.
func refusal(p *problem.Problem) answer {
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
	a := say(definition.Status, title, p.Detail)
	a.retry = p.RetryAfter
	return a
}

// failed is the answer to an error of the records. Its text is for the log.
func failed(err error) answer {
	p := respond.StoreProblem(err, problem.CodeRFQQuotaExceeded)
	if p == nil {
		p = problem.Of(err)
	}
	a := refusal(p)
	switch a.status {
	case http.StatusServiceUnavailable:
		a.content, a.cause = messagePage(a.title, "The records cannot be read at the moment. Try again in a moment."), err
	case http.StatusInternalServerError:
		a.title, a.cause = "Something went wrong", err
		a.content = messagePage(a.title, "This is our fault. Try again; if it stays, tell the marketplace when it happened.")
	}
	return a
}
