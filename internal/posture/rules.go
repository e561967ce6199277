// SPDX-License-Identifier: Apache-2.0

package posture

import "iter"

// Rule is a row of the decision table, for code that explains decisions.
type Rule struct {
	Reason Reason
	Phase  Phase
}

// Rules yields the rows of the decision table in order: the first matching row gives
// the reason. The two rules that refuse a partner regardless of its key come first.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, reason := range [...]Reason{ReasonPartnerClosed, ReasonCertificateUnpinned} {
			if !yield(Rule{reason, phaseAuthentication}) {
				return
			}
		}
		for i := range table {
			if !yield(Rule{table[i].reason, table[i].phase}) {
				return
			}
		}
	}
}

// RulesOf yields the rules of [Rules], and after them the rule that the partner has a key,
// sender or webhook that can use the capability.
func RulesOf(c Capability) iter.Seq[Rule] {
	use := Rule{ReasonNoUsableKey, phaseUse}
	switch c {
	case XJMFInbound:
		use.Reason = ReasonNoSender
	case WebhookDelivery:
		use.Reason = ReasonNoWebhook
	}
	return func(yield func(Rule) bool) {
		for rule := range Rules() {
			if !yield(rule) {
				return
			}
		}
		yield(use)
	}
}

// Counts reports whether the rules of a phase apply to the capabilities of a ladder.
func (l Ladder) Counts(p Phase) bool { return l < ladderCount && (ladders[l]|phaseUse)&p != 0 }

// String returns the name of the phase.
func (p Phase) String() string {
	switch p {
	case phaseAuthentication:
		return "authentication"
	case phaseStanding:
		return "standing"
	case phaseScope:
		return "scope"
	case phaseClosed:
		return "closed"
	case phaseGrant:
		return "grant"
	case phaseAudience:
		return "audience"
	case phaseUse:
		return "use"
	default:
		return "unknown"
	}
}
