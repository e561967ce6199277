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

// doneField is the query parameter that names what a form has done.
const doneField = "done"

// outcomes are the messages about the result of a form. A forged link can show only one of
// these texts.
var outcomes = map[string]string{
	"tested":         "Test event queued.",
	"redelivered":    "Event queued for redelivery.",
	"recovered":      "Missed events queued.",
	"nothing-missed": "No events were missed since that time.",
	"enabled":        "Endpoint enabled. Waiting deliveries are being sent.",
	"shared":         "Link created.",
	"revoked":        "Link revoked.",
}

// done redirects to a page that shows the result of a form.
func done(path, outcome string) response {
	return response{location: path + "?" + url.Values{doneField: {outcome}}.Encode()}
}

// testEndpoint sends a test event.
func (s *server) testEndpoint(v *visit) response {
	delivery, err := s.Webhooks.Test(v.Context(), v.address())
	if err != nil {
		return s.notDone(v, err, "")
	}
	return done(deliveriesPath+delivery.ID, "tested")
}

// recoverEndpoint sends missed events again, since the time in the form.
func (s *server) recoverEndpoint(v *visit) response {
	sent, err := readForm(v.Request)
	if err != nil {
		return badRequest("The form could not be read. Try again.")
	}
	text := sent.Get("since")
	since, err := webhooksapi.Since(timestampOf(text))
	if err != nil {
		return s.notDone(v, err, text)
	}
	recovered, err := s.Webhooks.Recover(v.Context(), v.address(), since)
	if err != nil {
		return s.notDone(v, err, text)
	}
	outcome := "recovered"
	if recovered == 0 {
		outcome = "nothing-missed"
	}
	return done(endpointPath(v.PathValue("name")), outcome)
}

// enableEndpoint enables a disabled endpoint, or ends the pause of one.
func (s *server) enableEndpoint(v *visit) response {
	if err := s.Webhooks.Enable(v.Context(), v.address()); err != nil {
		return s.notDone(v, err, "")
	}
	return done(endpointPath(v.PathValue("name")), "enabled")
}

// redeliver sends one event again.
func (s *server) redeliver(v *visit) response {
	delivery, err := s.Webhooks.Redeliver(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	return done(deliveriesPath+delivery.ID, "redelivered")
}

// notDone is the response if a form about an endpoint has failed. An error that the person
// can fix is shown on the page of the endpoint, whose form keeps what was sent.
func (s *server) notDone(v *visit, err error, since string) response {
	err = webhooksapi.ProblemOf(err)
	var p *problem.Problem
	if !errors.As(err, &p) {
		return failed(err)
	}
	switch definition, _ := problem.Lookup(p.Code); definition.Status {
	case http.StatusConflict:
		return s.endpoint(v, definition.Status, endpointBody{Notice: p.Detail})
	case http.StatusUnprocessableEntity:
		notice := p.Detail
		if len(p.Errors) > 0 {
			notice = "The time " + p.Errors[0].Detail + "." // the form has one field
		}
		return s.endpoint(v, definition.Status, endpointBody{Notice: notice, Since: since})
	default:
		return failed(err)
	}
}

// fieldLayout is the value of a field for date and time, which has no zone: here it is UTC.
const fieldLayout = "2006-01-02T15:04"

func fieldOf(t time.Time) string { return t.UTC().Format(fieldLayout) }

// timestampOf converts the value of a field to what the API accepts. Without support for
// the field, a browser sends what the person wrote, which is returned as it is.
func timestampOf(text string) string {
	for _, layout := range []string{fieldLayout, fieldLayout + ":05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return text
}
