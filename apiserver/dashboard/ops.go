// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/tenant"
)

// opsPath is where the view for operators begins.
const opsPath = "/ops"

// Queue is what is needed of package queue. Nothing of it changes the queue.
type Queue interface {
	Look(ctx context.Context) (queue.Look, error)
	Workers(ctx context.Context) ([]queue.Worker, error)
	Dead(ctx context.Context, limit int) ([]queue.Entry, error)
}

// Ops is the view for operators of the platform: keys of the package Platform with the
// scope ops:read. It tells of every organization, and changes nothing.
type Ops struct {
	// Queue is that of preflight jobs.
	Queue Queue
	// Denials are those of all organizations.
	Denials Denials
	// SignOn lets in for whom an identity provider vouches; nil where keys alone sign in.
	SignOn *signon.Provider
}

// opsRoutes are the pages for operators, where they are served.
func (b *board) opsRoutes() []route {
	if b.Ops == nil {
		return nil
	}
	return []route{
		{pattern: opsPath, get: b.operator(b.showMatrix)},
		{pattern: opsPath + "/partners/{name...}", get: b.operator(b.showPartner)},
		{pattern: opsPath + "/rollouts", get: b.operator(b.showRollouts)},
		{pattern: opsPath + "/queue", get: b.operator(b.showQueue)},
		{pattern: opsPath + "/denials", get: b.operator(b.showDenials)},
	}
}

// operator lets those through who look after the platform.
func (b *board) operator(page action) action {
	return b.scoped(posture.ScopeOpsRead, posture.SurfacePartner, func(v *visit) answer {
		if v.caller.Tenant().Mode != tenant.Live {
			return say(http.StatusForbidden, "Not allowed", liveOnly)
		}
		b.renew(v)
		return page(v)
	})
}

// liveOnly is told to keys of the sandbox, which may see nothing of production.
const liveOnly = "The pages for operators show production, so they take live keys alone."

// operates reports whether a caller may see the pages for operators.
func (b *board) operates(v *visit, caller posture.Caller) bool {
	return b.Ops != nil && caller.Valid() && caller.Tenant().Mode == tenant.Live &&
		v.snapshot.Standing(caller, posture.ScopeOpsRead, v.now).Allowed()
}

// turnedAway says why a good key does not sign in: of a key for operators that it is of
// the sandbox, of others what the API would say.
func (b *board) turnedAway(v *visit, caller posture.Caller, decision posture.Decision) string {
	if b.Ops != nil && caller.Scopes().Has(posture.ScopeOpsRead) && caller.Tenant().Mode != tenant.Live {
		return liveOnly
	}
	return v.Refusal(decision).Detail
}

// home is the first page of whoever has signed in: operators who are no partner have
// another one.
func (b *board) home(v *visit) answer {
	a := b.member(b.overview)(v)
	if a.status == http.StatusForbidden && b.operates(v, v.caller) {
		return answer{location: opsPath}
	}
	return a
}

// refused says why a form of a page for operators is not understood.
func refused(text string) answer { return say(http.StatusBadRequest, "Not understood", text) }
