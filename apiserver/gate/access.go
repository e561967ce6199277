// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Judge decides on one caller at one time. A call at the gate implements it.
type Judge interface {
	Decide(capability posture.Capability, write bool) posture.Decision
	Refusal(decision posture.Decision) *problem.Problem
}

// Quotas reads the use of quotas. The stores implement it.
type Quotas interface {
	QuotaUsage(ctx context.Context, owner tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error)
}

// Access describes how far a caller may use a capability.
type Access string

// The kinds of access.
const (
	FullAccess Access = "full"
	ReadAccess Access = "read"
	NoAccess   Access = "none"
)

// CapabilityAccess holds the access of a caller to one capability.
type CapabilityAccess struct {
	Capability posture.Capability
	Posture    posture.Posture
	Access     Access
	// Refusal is the problem for a request with side effects; nil if Access is FullAccess. It
	// may be shared, so it must not be changed.
	Refusal *problem.Problem
	// Opens is the time at which the schedule opens the capability for the caller; zero
	// without a scheduled opening.
	Opens time.Time
	// GrantedFrom and GrantedUntil are the period of the grant; zero without a bound.
	GrantedFrom, GrantedUntil time.Time
	// Quota is nil if no quota applies.
	Quota *QuotaUse
}

// QuotaUse holds a limit on creations and its current use.
type QuotaUse struct {
	Limit, Used, Remaining int64
	Window                 time.Duration
	Resets                 time.Time
	// Operation is the counted operation.
	Operation transaction.Operation
}

// listed holds the capabilities of an account: those that a partner can have. The account
// omits capabilities that are disabled for all partners, and the master data bridge, which
// is not for partners.
var listed = func() (all []posture.Capability) {
	for capability := range posture.Capabilities() {
		d := capability.Definition()
		if d.Ceiling != posture.Disabled && d.Surface != posture.SurfaceBridge {
			all = append(all, capability)
		}
	}
	return all
}()

// countedOperations maps capabilities to the operation that their quota counts.
var countedOperations = map[posture.Capability]transaction.Operation{
	posture.RFQCreate: transaction.CreateRFQ,
	posture.Preflight: transaction.SubmitPreflight,
}

// CountedOperation returns the operation that the quota of a capability counts. It returns
// false for a capability without a quota.
func CountedOperation(capability posture.Capability) (transaction.Operation, bool) {
	operation, counted := countedOperations[capability]
	return operation, counted
}

// AccessOf returns the effective access of a caller to each capability and the remaining
// quotas. GET /api/v1/account and the dashboard both use it, so they always agree. It returns
// the errors of the store.
func AccessOf(ctx context.Context, judge Judge, quotas Quotas, caller posture.Caller, now time.Time) ([]CapabilityAccess, error) {
	all := make([]CapabilityAccess, len(listed))
	for i, name := range listed {
		decision := judge.Decide(name, true)
		access := &all[i]
		*access = CapabilityAccess{Capability: name, Posture: decision.Posture, Access: FullAccess}
		if !decision.Allowed() {
			access.Access, access.Refusal, access.Opens = NoAccess, judge.Refusal(decision), decision.Opens
			if judge.Decide(name, false).Allowed() {
				access.Access = ReadAccess
			}
		}
		access.GrantedFrom, access.GrantedUntil = caller.Granted(name)
		operation, counted := countedOperations[name]
		if !counted || decision.Quota.Window == 0 {
			continue
		}
		quota := transaction.Quota{Limit: decision.Quota.Limit, Window: decision.Quota.Window}
		usage, err := quotas.QuotaUsage(ctx, caller.Tenant(), operation, quota, now)
		if err != nil {
			return nil, err
		}
		access.Quota = &QuotaUse{
			Limit: quota.Limit, Used: usage.Used, Remaining: max(0, quota.Limit-usage.Used),
			Window: quota.Window, Resets: usage.Ends, Operation: operation,
		}
	}
	return all, nil
}

// AccountSurfaces lists the surfaces of the capabilities, each once.
func AccountSurfaces() []posture.Surface {
	var all []posture.Surface
	for _, capability := range listed {
		if on := capability.Definition().Surface; !slices.Contains(all, on) {
			all = append(all, on)
		}
	}
	return all
}
