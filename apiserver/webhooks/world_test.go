// SPDX-License-Identifier: Apache-2.0

package webhooks_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/apitest"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	endpoints  = "/api/v1/webhooks/endpoints"
	deliveries = "/api/v1/webhooks/deliveries"
)

var (
	acme     = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	acmeTest = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	stark    = tenant.ID{Organization: "org_stark1", Mode: tenant.Live}
)

// world is one with the endpoints mis of acme, with a token in its URL, of acme's
// sandbox and of stark, which are enrolled, and new of acme, which is not.
func world(t testing.TB) *apitest.World {
	t.Helper()
	w := apitest.New(t, apitest.Options{})
	enrolled := []webhook.Endpoint{endpoint(acme, "mis"), endpoint(acmeTest, "mis"), endpoint(stark, "mis")}
	w.Endpoints.Declare(append(enrolled, endpoint(acme, "new"))...)
	if err := w.Store.Enroll(t.Context(), enrolled, w.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	return w
}

func endpoint(owner tenant.ID, name string, events ...ledger.EventType) webhook.Endpoint {
	return webhook.Endpoint{
		Address: webhook.Address{Owner: owner, Name: name}, Events: events,
		URL: "https://hooks.example.com/" + owner.Organization + "?token=s3cret", Secrets: nil,
	}
}

// delivered keeps deliveries of rfq.quoted, each a second younger than the one
// before, and returns them.
func delivered(t testing.TB, w *apitest.World, owner tenant.ID, n int) []webhook.Delivery {
	t.Helper()
	var all []webhook.Delivery
	for range n {
		w.Advance(time.Second)
		now := w.Clock.Now()
		subject, err := ledger.NewID(ledger.RFQPrefix, now, rand.Reader)
		must(t, err)
		event, err := ledger.NewEvent(ledger.RFQQuoted, subject, now, rand.Reader)
		must(t, err)
		id, err := ledger.NewID(webhook.DeliveryPrefix, now, rand.Reader)
		must(t, err)
		d := webhook.Delivery{
			ID: id, Address: webhook.Address{Owner: owner, Name: "mis"}, Event: event, State: webhook.Pending, DueAt: now, CreatedAt: now,
		}
		must(t, w.Store.AddDelivery(t.Context(), d))
		all = append(all, d)
	}
	return all
}

// attempted ends a delivery's claim with an attempt that came to a fault; none of
// what else waits may be due.
func attempted(t testing.TB, w *apitest.World, d webhook.Delivery, state webhook.State, fault webhook.Fault, status int) {
	t.Helper()
	now := w.Clock.Now()
	claims, err := w.Store.Claim(t.Context(), []webhook.Lane{{Address: d.Address, Most: 100}}, now, time.Minute)
	must(t, err)
	for _, claim := range claims {
		if claim.ID != d.ID {
			continue
		}
		result := webhook.Result{
			Claim: claim, State: state, EndedAt: now,
			Attempt: webhook.Attempt{At: now, Took: 1500 * time.Millisecond, Status: status, Fault: fault, Excerpt: "out of paper"},
		}
		_, err = w.Store.Record(t.Context(), []webhook.Result{result}, now)
		must(t, err)
		return
	}
	t.Fatalf("%s was not claimed among %d", d.ID, len(claims))
}

func get(t testing.TB, w *apitest.World, key, path string) apitest.Answer {
	t.Helper()
	return w.Do(t, apitest.Request{Method: "GET", Path: path, Key: key})
}

func post(t testing.TB, w *apitest.World, key, path, body string) apitest.Answer {
	t.Helper()
	return w.Do(t, apitest.Request{Method: "POST", Path: path, Key: key, Body: body})
}

// since is the body of a recovery.
func since(at time.Time) string { return fmt.Sprintf(`{"since":%q}`, at.Format(time.RFC3339)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
