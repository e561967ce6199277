// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// The gate's reasons of refusals, in addition to those of posture.
const (
	rateLimited      = "RateLimited"
	organizationBusy = "OrganizationBusy"
)

// limit counts the request against the rate limit of its surface. Routes without a handler
// need no protection.
func limit(g *Gate, rt *Route, c *Call) *problem.Problem {
	surface := rt.surface()
	if surface == posture.NoSurface || rt.Serve == nil {
		return nil
	}
	rate := c.Caller.Rate(surface)
	state := g.limits.Take(c.Request.Context(),
		LimitKey{Tenant: c.Tenant(), Surface: surface.String()},
		RatePolicy{Limit: rate.Requests, Window: rate.Window}, c.Now, rt.write(c.Request))
	header := c.Writer.Header()
	header["Ratelimit-Policy"] = g.policies.header(surface, rate)
	c.rateLimit[0] = rateLimitItem(surface, state)
	header["Ratelimit"] = c.rateLimit[:]
	if state.Allowed {
		return nil
	}
	g.metrics.Decision(rt.Capability.String(), rateLimited)
	c.refused(rateLimited)
	return limited(state, rate.Requests, c.Now, "Your organization has exceeded its rate limit on the %s surface.", surface)
}

// Limits of requests that the gate refuses with 401 or 403. An attacker cannot guess a key of
// 190 random bits at any rate: the limits bound the load and the noise of attempts.
var (
	// unknownPerClient limits one client without a valid credential.
	unknownPerClient = RatePolicy{Limit: 120, Window: time.Minute}
	// unknownPerPeer limits one remote address. Behind a proxy, all clients share it.
	unknownPerPeer = RatePolicy{Limit: 3000, Window: time.Minute}
	// forbiddenRate limits the refused requests of one organization on a surface.
	forbiddenRate = posture.RateLimit{Requests: 600, Window: time.Minute}
)

// NewUnauthenticated returns the limits of unauthenticated requests for all gates of a
// replica.
func NewUnauthenticated() *ClientLimiter {
	return NewClientLimiter(unknownPerClient, unknownPerPeer)
}

// limitUnauthenticated counts a request with a 401 per client and returns 503 above the
// limit, because a 429 would need the header fields of an organization. It runs only after
// authentication has failed, so a client with a valid credential at the same address is
// always served.
func (g *Gate) limitUnauthenticated(c *Call, refusal *problem.Problem) *problem.Problem {
	if g.problems.Status(refusal.Code) != http.StatusUnauthorized {
		return refusal
	}
	wait := g.unknown.Take(ClientOf(c.Request.RemoteAddr, c.Request.Header["X-Forwarded-For"]), "unauthenticated", c.Now)
	if wait <= 0 {
		return refusal
	}
	delete(c.Writer.Header(), "Www-Authenticate")
	g.metrics.Decision("", rateLimited)
	return problem.New(problem.CodeOverloaded, "Your address has sent too many requests without a valid credential.").After(wait)
}

// limitForbidden counts a request of an organization with a 403 and returns 429 above the
// limit. These requests are counted separately, so they do not use the organization's rate
// limit.
func (g *Gate) limitForbidden(rt *Route, c *Call, refusal *problem.Problem) *problem.Problem {
	surface := rt.surface()
	if g.problems.Status(refusal.Code) != http.StatusForbidden || surface == posture.NoSurface {
		return refusal
	}
	state := g.limits.Take(c.Request.Context(), LimitKey{Tenant: c.Tenant(), Surface: surface.String() + "-forbidden"},
		RatePolicy{Limit: forbiddenRate.Requests, Window: forbiddenRate.Window}, c.Now, false)
	if state.Allowed {
		return refusal
	}
	header := c.Writer.Header()
	header["Ratelimit-Policy"] = g.policies.header(surface, forbiddenRate)
	header["Ratelimit"] = []string{rateLimitItem(surface, state)}
	g.metrics.Decision(rt.Capability.String(), rateLimited)
	c.refused(rateLimited)
	return limited(state, forbiddenRate.Requests, c.Now, "Your organization has sent too many requests that its access does not allow.")
}

// limited returns the problem of a request above a rate limit.
func limited(state LimitState, limit int64, now time.Time, format string, args ...any) *problem.Problem {
	p := problem.New(problem.CodeRateLimitExceeded, format, args...).After(state.RetryAfter)
	p.Limited = &problem.Limited{Limit: limit, Remaining: state.Remaining, Resets: now.Add(state.Reset)}
	return p
}

// rateLimitItem returns the field RateLimit of draft-ietf-httpapi-ratelimit-headers:
// `"partner";r=1999;t=1`, the remaining requests and the seconds until all are available again.
func rateLimitItem(surface posture.Surface, state LimitState) string {
	var buffer [64]byte
	item := append(append(append(buffer[:0], '"'), surface.String()...), `";r=`...)
	item = strconv.AppendInt(item, state.Remaining, 10)
	item = append(item, ";t="...)
	return string(strconv.AppendInt(item, seconds(state.Reset), 10))
}

// seconds rounds up, so that the announced requests are available after the announced
// time.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// policyHeaders caches one field for each surface and rate of an entitlement; clients cannot
// add entries.
type policyHeaders struct{ made sync.Map }

type surfaceRate struct {
	surface posture.Surface
	rate    posture.RateLimit
}

// header returns the field RateLimit-Policy of the same draft: `"partner";q=2000;w=10`. A
// window of less than a second is announced as one second.
func (p *policyHeaders) header(surface posture.Surface, rate posture.RateLimit) []string {
	at := surfaceRate{surface, rate}
	if made, ok := p.made.Load(at); ok {
		if header, ok := made.([]string); ok {
			return header
		}
	}
	header := []string{`"` + surface.String() + `";q=` + strconv.FormatInt(rate.Requests, 10) + ";w=" + strconv.FormatInt(max(1, seconds(rate.Window)), 10)}
	p.made.Store(at, header)
	return header
}
