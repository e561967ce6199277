// SPDX-License-Identifier: Apache-2.0

// Package account says what a caller may do, and what is left of its quotas. It is
// the one judgement behind GET /api/v1/account and the dashboard, so that people
// read what their programs are told.
package account

import (
	"context"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Judge decides about one caller at one instant. A call at the gate is one.
type Judge interface {
	Decide(capability posture.Capability, write bool) posture.Decision
	Refusal(decision posture.Decision) *problem.Problem
}

// Quotas is what is needed of a store: what is used of a quota.
type Quotas interface {
	QuotaUsage(ctx context.Context, who tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error)
}

// Access is how much of a capability a caller has.
type Access string

// The kinds of access.
const (
	Full Access = "full"
	Read Access = "read"
	None Access = "none"
)

// Capability is one capability as a caller has it.
type Capability struct {
	Capability posture.Capability
	Posture    posture.Posture
	Access     Access
	// Refusal is the answer to a request that changes something; nil if Access is
	// Full. It may be shared, so it must not be changed.
	Refusal *problem.Problem
	// Opens is when the schedule will open it for the caller; zero if nobody knows.
	Opens time.Time
	// Quota is nil where nothing is counted.
	Quota *Quota
}

// Quota is a bound on what may be created, and what is left of it.
type Quota struct {
	Limit, Used, Remaining int64
	Window                 time.Duration
	Resets                 time.Time
	// Operation is what is counted.
	Operation transaction.Operation
}

// told are the capabilities that an account tells of: those that partners have
// routes for.
var told = [...]posture.Capability{
	posture.RFQCreate, posture.RFQRead, posture.RFQList, posture.QuoteRead, posture.Preflight, posture.XJDF,
}

// counts are the capabilities that create what a quota counts.
var counts = map[posture.Capability]transaction.Operation{
	posture.RFQCreate: transaction.CreateRFQ,
	posture.Preflight: transaction.SubmitPreflight,
}

// Capabilities says what a request for each capability would come to, in the order
// in which an account tells them. An error is that of the store.
func Capabilities(ctx context.Context, judge Judge, quotas Quotas, who tenant.ID, now time.Time) ([]Capability, error) {
	all := make([]Capability, len(told))
	for i, name := range told {
		decision := judge.Decide(name, true)
		all[i] = judged(judge, decision, name)
		operation, counted := counts[name]
		if !counted || decision.Quota.Window == 0 {
			continue
		}
		quota := transaction.Quota{Limit: decision.Quota.Limit, Window: decision.Quota.Window}
		usage, err := quotas.QuotaUsage(ctx, who, operation, quota, now)
		if err != nil {
			return nil, err
		}
		all[i].Quota = &Quota{
			Limit: quota.Limit, Used: usage.Used, Remaining: max(0, quota.Limit-usage.Used),
			Window: quota.Window, Resets: usage.Ends, Operation: operation,
		}
	}
	return all, nil
}

func judged(judge Judge, decision posture.Decision, name posture.Capability) Capability {
	c := Capability{Capability: name, Posture: decision.Posture, Access: Full}
	if decision.Allowed() {
		return c
	}
	c.Access, c.Refusal, c.Opens = None, judge.Refusal(decision), decision.Opens
	if judge.Decide(name, false).Allowed() {
		c.Access = Read
	}
	return c
}

// Surfaces are where requests for the capabilities are counted, each once.
func Surfaces() []posture.Surface {
	var all []posture.Surface
	for _, capability := range told {
		if on := capability.Definition().Surface; !slices.Contains(all, on) {
			all = append(all, on)
		}
	}
	return all
}
