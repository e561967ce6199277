// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// Refusals maps decisions to problems. Posture's tables define the code. The detail is less
// specific than the reason, which only operators see: a partner need not know which kill
// switch is engaged and why. The zero Refusals has no problems; use [NewRefusals].
type Refusals struct {
	closed map[posture.Capability]*problem.Problem
}

// NewRefusals prepares the problems that do not depend on the caller.
func NewRefusals() Refusals {
	// All requests share the problems, so they must not be changed.
	closed := map[posture.Capability]*problem.Problem{
		posture.NoCapability: problem.New(problem.CodePostureUnavailable, "The access rules of this route are not loaded."),
	}
	for capability := range posture.Capabilities() {
		closed[capability] = problem.New(problem.Code(capability.Definition().Code), "The capability %s is not available.", capability)
	}
	return Refusals{closed: closed}
}

// Of returns the problem of a decision that does not allow a call of a partner with these
// terms. Callers share the problem and must not change it.
func (r Refusals) Of(d posture.Decision, terms posture.Terms, now time.Time) *problem.Problem {
	switch d.Reason {
	case posture.ReasonPartnerSuspended:
		return problem.New(problem.CodePartnerSuspended, "Your organization's access is suspended. %s", period(terms, now))
	case posture.ReasonContractNotEffective:
		return problem.New(problem.CodeContractNotEffective, "Your organization's contract is not in effect. %s", period(terms, now))
	case posture.ReasonScopeMissing:
		return problem.New(problem.CodeInsufficientScope, "The API key does not have the scope %s.", d.Scope)
	case posture.ReasonNotEntitled:
		return problem.New(problem.CodeCapabilityNotEntitled, "Your organization is not entitled to the capability %s.", d.Capability)
	}
	if d.Reason.Class() == posture.ClassClosed && !d.Opens.IsZero() {
		return problem.New(problem.Code(d.Code()), "The capability %s is not available yet.", d.Capability).After(d.Opens.Sub(now))
	}
	return r.closed[d.Capability]
}

// period describes the contract of a partner in one sentence, with its dates.
func period(terms posture.Terms, now time.Time) string {
	from, until := terms.ContractFrom.UTC().Format(time.RFC3339), terms.ContractUntil.UTC().Format(time.RFC3339)
	switch {
	case terms.ContractFrom.IsZero() && terms.ContractUntil.IsZero():
		return "No contract is registered."
	case now.Before(terms.ContractFrom):
		return "The contract takes effect on " + from + "."
	case terms.ContractUntil.IsZero():
		return "The contract is open-ended and took effect on " + from + "."
	case now.Before(terms.ContractUntil):
		return "The contract ends on " + until + "."
	default:
		return "The contract ended on " + until + "."
	}
}
