// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/tenant"
)

// opsPath is the path of the pages for operators.
const opsPath = "/ops"

// Queue reads the queue. Package queue implements it.
type Queue interface {
	Overview(ctx context.Context) (queue.Overview, error)
	Workers(ctx context.Context) ([]queue.Worker, error)
	Dead(ctx context.Context, limit int) ([]queue.Entry, error)
}

// Replicas lists the watermarks that replicas publish. Package watermarks implements it.
type Replicas interface {
	List(ctx context.Context) ([]watermarks.Replica, error)
}

// Ops configures the pages for operators: keys of the package Platform with the scope
// ops:read. The pages show every organization and change nothing.
type Ops struct {
	// Queue is that of preflight jobs.
	Queue Queue
	// Denials are those of all organizations.
	Denials Denials
	// Audit is that of privileged changes.
	Audit Audit
	// Cluster reads stored objects; nil without a cluster. Compiled returns the compiled
	// resource version of each kind; nil for a source of posture without versions.
	Cluster  Cluster
	Compiled func() map[string]string
	// Replica is the name of this replica, empty if it has none, and Version is that of its
	// executable.
	Replica, Version string
	// Replicas lists the watermarks of all replicas; nil if there are no others.
	Replicas Replicas
	// Locate finds fields of objects in manifests; nil for a source without manifests.
	Locate explain.Locator
	// Local is an installation without a cluster; nil for one in a cluster. It selects the commands that
	// pages show.
	Local *Local
	// Manifests reads proposed changes.
	Manifests Manifests
	// MasterData reads the master data in force.
	MasterData MasterData
	// SignOn is the identity provider of operators; nil if they sign in with keys only.
	SignOn *signon.Provider
}

// opsRoutes are the pages for operators, if they are configured.
func (s *server) opsRoutes() []route {
	if s.Ops == nil {
		return nil
	}
	return []route{
		{pattern: opsPath, get: s.requireOperator(s.showMatrix)},
		{pattern: opsPath + "/partners/{name...}", get: s.requireOperator(s.showPartner)},
		{pattern: rolloutsPath, get: s.requireOperator(s.showRollouts)},
		{pattern: rolloutsPath + "/{capability}", get: s.requireOperator(s.showRollout)},
		// Updating a page does not renew the session.
		{pattern: rolloutsPath + "/{capability}/replica", part: s.watchOperator(s.showReplica)},
		{pattern: replicasPath, part: s.watchOperator(s.showReplicas)},
		{pattern: opsPath + "/queue", get: s.requireOperator(s.showQueue)},
		{pattern: opsPath + "/denials", get: s.requireOperator(s.showDenials)},
		{pattern: auditPath, get: s.requireOperator(s.showAudit)},
		{pattern: comparePath, get: s.requireOperator(s.showCompare), post: s.requireOperator(s.compare)},
		{pattern: masterDataPath, get: s.requireOperator(s.showMasterData), post: s.requireOperator(s.previewMasterData)},
	}
}

// requireOperator restricts a page to operators.
func (s *server) requireOperator(next handler) handler {
	return s.watchOperator(func(v *visit) response {
		s.renew(v)
		return next(v)
	})
}

// watchOperator restricts a page to operators, and does not renew the session.
func (s *server) watchOperator(next handler) handler {
	return s.requireScope(posture.ScopeOpsRead, posture.SurfacePartner, func(v *visit) response {
		if v.caller.Tenant().Mode != tenant.Live {
			return message(http.StatusForbidden, "Access denied", liveOnly)
		}
		return next(v)
	})
}

// liveOnly rejects keys of the sandbox, which must not see production.
const liveOnly = "The operator pages show production data and require a live key."

// operates reports whether a caller may see the pages for operators.
func (s *server) operates(v *visit, caller posture.Caller) bool {
	return s.Ops != nil && caller.Valid() && caller.Tenant().Mode == tenant.Live &&
		v.snapshot.Standing(caller, posture.ScopeOpsRead, v.now).Allowed()
}

// home is the first page after the sign-in: the overview for a partner, and the posture for
// an operator without partner access.
func (s *server) home(v *visit) response {
	r := s.requirePartner(posture.SurfacePartner, s.overview)(v)
	if r.status == http.StatusForbidden && s.operates(v, v.caller) {
		return response{location: opsPath}
	}
	return r
}
