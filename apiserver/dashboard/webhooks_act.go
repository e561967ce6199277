// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/problem"
)

// doneField is the parameter by which a form tells the next page what it has done.
const doneField = "done"

// outcomes are what a page can say of the form that has led to it. Who makes up a
// link can have one of these sentences said, and no other.
var outcomes = map[string]string{
	"tested":         "A test event is on its way.",
	"redelivered":    "The event is on its way again.",
	"recovered":      "What was missed is on its way.",
	"nothing-missed": "Nothing was missed since then.",
	"enabled":        "The endpoint is enabled. What waits for it is sent.",
}

// done leads to a page that says what was done.
func done(path, outcome string) answer {
	return answer{location: path + "?" + url.Values{doneField: {outcome}}.Encode()}
}

// testEndpoint sends an event that is about nothing.
func (b *board) testEndpoint(v *visit) answer {
	delivery, err := b.Webhooks.Test(v.Context(), v.address())
	if err != nil {
		return b.notDone(v, err, "")
	}
	return done(deliveriesPath+delivery.ID, "tested")
}

// recoverEndpoint sends again what was missed since the time in the form.
func (b *board) recoverEndpoint(v *visit) answer {
	sent, err := readForm(v.Request)
	if err != nil {
		return say(http.StatusBadRequest, "Not understood", "The form could not be read. Try again.")
	}
	text := sent.Get("since")
	since, err := webhooksapi.Since(instantOf(text))
	if err != nil {
		return b.notDone(v, err, text)
	}
	recovered, err := b.Webhooks.Recover(v.Context(), v.address(), since)
	if err != nil {
		return b.notDone(v, err, text)
	}
	if recovered == 0 {
		return done(endpointPath(v.PathValue("name"), "deliveries"), "nothing-missed")
	}
	return done(endpointPath(v.PathValue("name"), "deliveries"), "recovered")
}

// enableEndpoint ends that an endpoint is disabled, or paused.
func (b *board) enableEndpoint(v *visit) answer {
	if err := b.Webhooks.Enable(v.Context(), v.address()); err != nil {
		return b.notDone(v, err, "")
	}
	return done(endpointPath(v.PathValue("name"), "deliveries"), "enabled")
}

// redeliver sends one event again.
func (b *board) redeliver(v *visit) answer {
	delivery, err := b.Webhooks.Redeliver(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	return done(deliveriesPath+delivery.ID, "redelivered")
}

// notDone is the answer to a form about an endpoint that has failed. What the person
// can mend is said on the page of the endpoint, whose form holds what was sent.
func (b *board) notDone(v *visit, err error, since string) answer {
	err = webhooksapi.ProblemOf(err)
	var p *problem.Problem
	if !errors.As(err, &p) {
		return failed(err)
	}
	switch definition, _ := problem.Lookup(p.Code); definition.Status {
	case http.StatusConflict:
		return b.endpoint(v, definition.Status, endpointBody{Notice: p.Detail})
	case http.StatusUnprocessableEntity:
		return b.endpoint(v, definition.Status, endpointBody{Notice: sentenceOf(p), Since: since})
	default:
		return failed(err)
	}
}

// sentenceOf says what is wrong with the one field of a form.
func sentenceOf(p *problem.Problem) string {
	if len(p.Errors) == 0 {
		return p.Detail
	}
	return "The time " + p.Errors[0].Detail + "."
}

// fieldLayout is what a browser's field of a date and time holds, which has no zone:
// here it is UTC.
const fieldLayout = "2006-01-02T15:04"

func fieldOf(t time.Time) string { return t.UTC().Format(fieldLayout) }

// instantOf is the text of a field as the API takes it. A browser without such a
// field sends what somebody wrote.
func instantOf(text string) string {
	for _, layout := range []string{fieldLayout, fieldLayout + ":05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return text
}
