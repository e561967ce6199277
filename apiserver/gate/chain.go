// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"github.com/printmarket/printmarket/internal/problem"
)

// step is one row of the chain. It returns a problem that rejects the call, or nil.
type step struct {
	name string
	run  func(*Gate, *Route, *Call) *problem.Problem
}

// chain lists the checks of a gated route in order. The router has rejected unknown paths and
// methods before; the handler makes all later checks.
var chain = [...]step{
	{"the request was not sent as TLS early data", refuseEarlyData},
	{"posture is loaded and fresh", loadSnapshot},
	{"the credential is valid", authenticate},
	{"standing, scope, capability, grant, audience", decide},
	{"the organization is below its share of concurrent requests", share},
	{"the rate limit has room", limit},
	{"JSON is acceptable", accept},
	{"the body can be read", readBody},
	{"the idempotency key is well-formed", readKey},
}

// Steps returns the names of the checks in order, for the documentation and its test.
func Steps() []string {
	names := make([]string, len(chain))
	for i, s := range chain {
		names[i] = s.name
	}
	return names
}

// refuseEarlyData rejects changes in TLS early data, which an attacker can replay (RFC 8470).
// Any value of the field, and several fields, count like its only valid value (section 5.1). A
// route without a handler changes nothing.
func refuseEarlyData(_ *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Serve == nil || !rt.write(c.Request) || len(c.Request.Header["Early-Data"]) == 0 {
		return nil
	}
	return problem.New(problem.CodeTooEarly, "A request that changes data must not be sent as TLS early data.")
}

func loadSnapshot(g *Gate, _ *Route, c *Call) *problem.Problem {
	if c.snapshot = g.gates.Current(c.Now); c.snapshot == nil {
		return problem.New(problem.CodePostureUnavailable, "The server has not loaded current access rules and rejects all requests.").After(g.retryPosture)
	}
	return nil
}

func decide(g *Gate, rt *Route, c *Call) *problem.Problem {
	c.Decision = rt.decision(c.snapshot, c.Caller, c.Request, c.Now)
	capability := ""
	if !rt.standing() {
		c.Writer.Header()["Marketplace-Capability"] = g.capabilities[capabilityPosture{rt.Capability, c.Decision.Posture}]
		capability = rt.Capability.String()
		if c.exchange != nil {
			c.exchange.By.Capability, c.exchange.By.Cohort = capability, c.snapshot.Cohort(c.Caller, c.Decision)
		}
	}
	g.metrics.Decision(capability, c.Decision.Reason.String())
	if scope := c.Decision.Scope; c.Caller.Scopes().Has(scope) {
		g.uses.SeenScope(c.Caller.Digest(), scope.String(), c.Now)
	}
	if c.Decision.Allowed() {
		return nil
	}
	c.refused(c.Decision.Reason.String())
	return g.limitForbidden(rt, c, g.refusals.Of(c.Decision, c.Caller.Terms(), c.Now))
}
