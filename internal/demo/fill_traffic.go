// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// maxRequests limits the listed requests, as the request log does.
const maxRequests = 100_000

// log adds a request to the request log.
func (g *generator) log(e requestlog.Entry, route posture.Capability, surface posture.Surface) (err error) {
	if e.ID, err = recordid.New(requestlog.IDPrefix, e.At, g.ids); err != nil {
		return err
	}
	request, err := recordid.New("req_", e.At, g.ids)
	e.RequestID = strings.ToLower(request)
	e.Listener, e.Surface, e.Capability, e.Requests = "api", surface.String(), route.String(), 1
	e.Key = string(e.Tenant.Mode)
	e.Took = g.between(2*time.Millisecond, 25*time.Millisecond)
	g.requests = append(g.requests, e)
	return err
}

// listed reports whether a request is in the log.
func (g *generator) listed(at time.Time) bool {
	return len(g.requests) < maxRequests && g.Now.Sub(at) < time.Duration(g.Days)*24*time.Hour
}

// logRFQ adds the requests about an RFQ: its creation, mostly a read of its quotes, and
// sometimes an invalid request before.
func (g *generator) logRFQ(owner tenant.ID, at time.Time) error {
	if !g.listed(at) {
		return nil
	}
	const path = "/api/v1/rfq"
	if g.chance(0.04) {
		invalid := requestlog.Entry{At: at.Add(-time.Minute), Tenant: owner, Method: http.MethodPost, Route: path, Status: 422, Code: string(problem.CodeRFQInvalid), Bytes: 510}
		if err := g.log(invalid, posture.RFQCreate, posture.SurfacePartner); err != nil {
			return err
		}
	}
	if err := g.log(requestlog.Entry{At: at, Tenant: owner, Method: http.MethodPost, Route: path, Status: 201, Bytes: 742}, posture.RFQCreate, posture.SurfacePartner); err != nil {
		return err
	}
	if read := at.Add(g.between(time.Hour, 50*time.Hour)); read.Before(g.Now) {
		return g.log(requestlog.Entry{At: read, Tenant: owner, Method: http.MethodGet, Route: path + "/{rfqId}/quotes", Status: 200, Bytes: 1830}, posture.QuoteRead, posture.SurfacePartner)
	}
	return nil
}

// logJob adds the requests about a job: its submission, and the read of its report.
func (g *generator) logJob(owner tenant.ID, at time.Time) error {
	if !g.listed(at) {
		return nil
	}
	const path = "/api/v1/preflight"
	if err := g.log(requestlog.Entry{At: at, Tenant: owner, Method: http.MethodPost, Route: path, Status: 202, Bytes: 655}, posture.Preflight, posture.SurfacePreflight); err != nil {
		return err
	}
	if done := g.job.record.FinishedAt; g.job.report != nil && done.Add(time.Minute).Before(g.Now) {
		return g.log(requestlog.Entry{At: done.Add(g.between(time.Second, time.Minute)), Tenant: owner, Method: http.MethodGet, Route: path + "/{jobId}/report", Status: 200, Bytes: int64(len(g.job.report))},
			posture.Preflight, posture.SurfacePreflight)
	}
	return nil
}

// refusal is a kind of requests that the gates refuse.
type refusal struct {
	organization string
	capability   posture.Capability
	surface      posture.Surface
	method, path string
	status       int
	code         problem.Code
	reason       posture.Reason
	perDay       int
}

var refusals = []refusal{
	{"org_initech", posture.RFQCreate, posture.SurfacePartner, http.MethodPost, "/api/v1/rfq", 403, problem.CodeContractNotEffective, posture.ReasonContractNotEffective, 3},
	{"org_globex", posture.Preflight, posture.SurfacePreflight, http.MethodPost, "/api/v1/preflight", 403, problem.CodeCapabilityNotEntitled, posture.ReasonNotEntitled, 2},
	{"org_acme01", posture.RFQRead, posture.SurfacePartner, http.MethodGet, "/api/v1/rfq/{rfqId}", 403, problem.CodeInsufficientScope, posture.ReasonScopeMissing, 1},
	{"org_stark1", posture.RFQCreate, posture.SurfacePartner, http.MethodPost, "/api/v1/rfq", 401, problem.CodeInvalidAPIKey, posture.ReasonKeyRevoked, 1},
	{"org_globex", posture.RFQCreate, posture.SurfacePartner, http.MethodPost, "/api/v1/rfq", 429, problem.CodeRFQQuotaExceeded, posture.ReasonUndecided, 1},
}

// outage is how long ago the kill switch of RFQs was engaged and the first webhook was down.
const outage = 9*24*time.Hour + 3*time.Hour

// denials adds refused requests of each day, and those of a kill switch.
func (g *generator) denials(context.Context) error {
	add := func(r refusal, at time.Time) error {
		e := requestlog.Entry{At: at, Tenant: tenant.ID{Organization: r.organization, Mode: tenant.Live}, Method: r.method, Route: r.path, Status: r.status, Code: string(r.code), Bytes: 420}
		if r.reason != posture.ReasonUndecided {
			e.Reason = r.reason.String()
		}
		return g.log(e, r.capability, r.surface)
	}
	for _, r := range refusals {
		for _, at := range append(g.moments(r.perDay*g.Days), g.Now.Add(-g.between(time.Minute, time.Hour))) {
			if err := add(r, at); err != nil {
				return err
			}
		}
	}
	if g.Days < 10 {
		return nil
	}
	killed := refusal{"org_acme01", posture.RFQCreate, posture.SurfacePartner, http.MethodPost, "/api/v1/rfq", 503, problem.CodeRFQUnavailable, posture.ReasonKilled, 0}
	for range 14 {
		if err := add(killed, g.Now.Add(-outage+g.between(0, 20*time.Minute))); err != nil {
			return err
		}
	}
	return nil
}

// receiver responds like a webhook of acme, with an error during its outage. It implements
// [webhook.Poster].
type receiver struct {
	g           *generator
	from, until time.Time
	failure     safehttp.Answer
}

// receiverOf returns the receiver of one of the endpoints. The first was down for two hours; the
// second has failed for two days, and for its last three events however old they are: on a
// Sunday, a small number of jobs may have had none for two days.
func (g *generator) receiverOf(name string, received []transaction.Entry) receiver {
	if name == endpoints[0].name {
		from := g.Now.Add(-outage)
		return receiver{g, from, from.Add(2 * time.Hour), safehttp.Answer{Status: 503, Body: []byte("maintenance")}}
	}
	from := g.Now.Add(-2 * 24 * time.Hour)
	if last := received[max(0, len(received)-3):]; len(last) > 0 && last[0].Event.At.Before(from) {
		from = last[0].Event.At
	}
	return receiver{g, from, g.Now.Add(time.Hour), safehttp.Answer{Status: 500, Body: []byte("disk full")}}
}

// Post implements [webhook.Poster].
func (r receiver) Post(context.Context, string, http.Header, []byte, int64) (safehttp.Answer, error) {
	g := r.g
	g.clock = g.clock.Add(g.between(20*time.Millisecond, 700*time.Millisecond))
	switch {
	case g.clock.After(r.from) && g.clock.Before(r.until):
		return r.failure, nil
	case g.chance(0.01):
		return safehttp.Answer{}, safehttp.ErrTimeout
	default:
		return safehttp.Answer{Status: 204}, nil
	}
}

// webhooks delivers the events of acme to its webhooks.
func (g *generator) webhooks(ctx context.Context) error {
	secret, err := credential.MintWebhookSecret(g.ids)
	if err != nil {
		return err
	}
	slices.SortStableFunc(g.announced, func(a, b transaction.Entry) int { return a.Event.At.Compare(b.Event.At) })
	begun := g.Now.Add(-time.Duration(g.Days) * 24 * time.Hour)
	for _, declared := range endpoints {
		address := webhook.Address{Owner: g.partners[0].owner(tenant.Live), Name: declared.name}
		target := webhook.Endpoint{Address: address, URL: declared.url, Secrets: []credential.Secret{secret}}
		standing := webhook.Standing{Address: address, URL: declared.url, EnrolledAt: begun, BegunAt: begun}
		received := slices.DeleteFunc(slices.Clone(g.announced), func(e transaction.Entry) bool {
			return e.Event.At.Before(begun) || declared.events != "" && !strings.HasPrefix(string(e.Event.Type), "preflight.")
		})
		to := g.receiverOf(declared.name, received)
		var attempts []webhook.Attempt
		for _, entry := range received {
			made, err := g.deliver(ctx, to, target, entry)
			if err != nil {
				return err
			}
			attempts = append(attempts, made...)
			if len(g.records.Deliveries) >= batchSize {
				if err := g.flush(ctx); err != nil {
					return err
				}
			}
		}
		slices.SortFunc(attempts, func(a, b webhook.Attempt) int { return a.At.Compare(b.At) })
		for _, attempt := range attempts {
			standing = standing.After([]webhook.Attempt{attempt}, attempt.At.Add(attempt.Took).Truncate(time.Millisecond))
		}
		g.records.Endpoints = append(g.records.Endpoints, standing)
	}
	return nil
}

// deliver sends an event until it is delivered, or the next attempt is in the future.
func (g *generator) deliver(ctx context.Context, through receiver, to webhook.Endpoint, entry transaction.Entry) ([]webhook.Attempt, error) {
	g.clock = entry.Event.At.Add(g.between(100*time.Millisecond, 2*time.Second))
	id, err := recordid.New(webhook.DeliveryPrefix, g.clock, g.ids)
	if err != nil {
		return nil, err
	}
	delivery := webhook.Delivery{ID: id, Address: to.Address, Event: entry.Event, State: webhook.Pending, DueAt: g.clock, CreatedAt: g.clock}
	sender := webhook.Sender{Schedule: webhook.Schedule{Random: g.draw.Float64}, Now: func() time.Time { return g.clock }}
	var attempts []webhook.Attempt
	for delivery.State == webhook.Pending && delivery.DueAt.Before(g.Now) {
		g.clock = delivery.DueAt
		result, err := sender.Send(ctx, through, to, webhook.Claim{Delivery: delivery})
		if err != nil {
			return nil, err
		}
		attempts = append(attempts, result.Attempt)
		delivery.State, delivery.DueAt, delivery.EndedAt = result.State, result.DueAt, result.EndedAt
		delivery.Attempts, delivery.Tries = delivery.Attempts+1, delivery.Tries+1
	}
	g.records.Deliveries = append(g.records.Deliveries, delivery)
	g.records.Attempts[id] = attempts
	g.filled.Deliveries++
	return attempts, nil
}
