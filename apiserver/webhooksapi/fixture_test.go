// SPDX-License-Identifier: Apache-2.0

package webhooksapi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
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

// newServer returns a server with the enrolled endpoints mis of acme (with a token in its URL), of
// acme's sandbox and of stark, and with the endpoint new of acme, which is not enrolled.
func newServer(t testing.TB) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	enrolled := []webhook.Endpoint{endpoint(acme, "mis"), endpoint(acmeTest, "mis"), endpoint(stark, "mis")}
	server.Enroll(t, enrolled...)
	server.Endpoints.Declare(append(enrolled, endpoint(acme, "new"))...)
	return server
}

func endpoint(owner tenant.ID, name string, events ...transaction.EventType) webhook.Endpoint {
	return apitest.Endpoint(owner, name, events...)
}

// delivered stores deliveries to the endpoint mis of an owner.
func delivered(t testing.TB, server *apitest.Server, owner tenant.ID, n int) []webhook.Delivery {
	t.Helper()
	return server.Deliveries(t, webhook.Address{Owner: owner, Name: "mis"}, n)
}

// attempted ends a delivery's claim with a failed attempt.
func attempted(t testing.TB, server *apitest.Server, d webhook.Delivery, state webhook.State, fault webhook.Fault, status int) {
	t.Helper()
	server.Attempt(t, d, state, webhook.Attempt{Took: 1500 * time.Millisecond, Status: status, Fault: fault, Excerpt: "out of paper"})
}

func get(t testing.TB, server *apitest.Server, key, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: key})
}

func post(t testing.TB, server *apitest.Server, key, path, body string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "POST", Path: path, Key: key, Body: body})
}

// since returns the body of a recovery.
func since(at time.Time) string { return fmt.Sprintf(`{"since":%q}`, at.Format(time.RFC3339)) }
