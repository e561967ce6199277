// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// This file computes every condition that follows from a snapshot alone. The
// controller adds Propagated, which depends on the replicas, and clears Reconciling
// only then.

// verdict is the compilation result of an object: enforced as written, or faulty
// until its next edit.
type verdict struct {
	sound           bool
	reason, message string
}

func enforced(reason, format string, args ...any) verdict {
	return verdict{sound: true, reason: reason, message: fmt.Sprintf(format, args...)}
}

func broken(reason string) verdict { return verdict{reason: reason, message: faults[reason]} }

// duplicate returns the verdict of an object that an older object of its kind replaces.
func duplicate(reason, older string) verdict {
	return verdict{reason: reason, message: fmt.Sprintf("%s The older object is %s.", faults[reason], older)}
}

// faults maps a reason to its message: the problem and its remedy.
var faults = map[string]string{
	v1alpha1.ReasonAboveCeiling:          "The stage is above the highest stage that this version implements, so the capability is closed. Lower the stage or upgrade.",
	v1alpha1.ReasonInvalidSpec:           "The stored object violates its schema, so it is closed. Apply it again and fix the reported fields.",
	v1alpha1.ReasonDuplicateCapability:   "Another object declares the same capability, so both are closed. Delete one of them.",
	v1alpha1.ReasonDependencyCycle:       "The capability and others depend on each other, so all of them are closed. Remove one from spec.dependsOn.",
	v1alpha1.ReasonDuplicateOrganization: "An older object has the same organizationID, so this object is closed and its keys are rejected. Delete one of the two.",
	v1alpha1.ReasonDuplicateSender:       "An older object has the same senderID, so this object is closed. Delete one of the two.",
	v1alpha1.ReasonPartnerNotFound:       "The namespace has no valid PartnerEntitlement with the name in spec.partner, so callbacks are rejected with 401. Create or fix it, or correct spec.partner.",
	v1alpha1.ReasonSecretNotFound:        "A Secret, or the key in it, does not exist and cannot be used. Create it.",
	v1alpha1.ReasonSecretTooShort:        "A secret has fewer than 32 bytes and is not used. Replace it with a longer one.",
	v1alpha1.ReasonSecretCapacity:        "The gate Secret is full, and older senders have precedence. Delete senders or use shorter secrets.",
	v1alpha1.ReasonNoActiveSecret:        "No secret is valid now or later, so callbacks are rejected with 401. Add a valid secret.",
}

// given returns a sentence with the reason that an object states; empty without one.
func given(reason string) string {
	if reason == "" {
		return ""
	}
	return " Reason given: " + reason
}

// conditions returns the three conditions that kstatus reads.
func (v verdict) conditions() []Condition {
	if v.sound {
		return []Condition{
			{v1alpha1.ConditionReady, "True", v.reason, v.message},
			{v1alpha1.ConditionReconciling, "False", v1alpha1.ReasonEnforced, "Compiled."},
			{v1alpha1.ConditionStalled, "False", v1alpha1.ReasonEnforced, "The object has no fault."},
		}
	}
	return []Condition{
		{v1alpha1.ConditionReady, "False", v.reason, v.message},
		{v1alpha1.ConditionReconciling, "False", v.reason, "Waiting for an edit."},
		{v1alpha1.ConditionStalled, "True", v.reason, v.message},
	}
}

func rolloutVerdict(r *rollout, now time.Time) verdict {
	switch r.closed(now) {
	case ReasonRolloutNotReady:
		return broken(r.fault)
	case ReasonAboveCeiling:
		return broken(v1alpha1.ReasonAboveCeiling)
	case ReasonKilled:
		return enforced(v1alpha1.ReasonKilled, "The kill switch is engaged, so the capability is closed for every key. Reason given: %s",
			cmp.Or(r.object.Spec.KillSwitch.Reason, "none"))
	case ReasonNotStarted:
		if r.stopped {
			return enforced(v1alpha1.ReasonHeld, "The hold keeps the schedule from opening the capability at %s.%s",
				r.window.from.UTC().Format(time.RFC3339), given(r.object.Spec.Hold.Reason))
		}
		return enforced(v1alpha1.ReasonNotStarted, "The schedule opens the capability at %s.", r.window.from.UTC().Format(time.RFC3339))
	case ReasonEnded:
		return enforced(v1alpha1.ReasonEnded, "The schedule closed the capability at %s.", r.window.until.UTC().Format(time.RFC3339))
	default:
		reason, detail := openReason(r, now)
		return enforced(reason, "The gates enforce stage %s.%s", r.posture(now).Stage(), detail)
	}
}

// openReason returns the reason of Ready for a rollout that is open, and why its schedule does not
// go on.
func openReason(r *rollout, now time.Time) (reason, detail string) {
	if names := r.lowered(now); names != "" {
		return v1alpha1.ReasonDependencyClosed, fmt.Sprintf(" The capability depends on others that are closed or at a lower stage: %s.", names)
	}
	if h := r.object.Spec.Hold; h != nil {
		return v1alpha1.ReasonHeld, fmt.Sprintf(" The schedule is held since %s.%s", h.Since.UTC().Format(time.RFC3339), given(h.Reason))
	}
	a, s := r.object.Spec.Analysis, r.object.Status.Analysis
	if a != nil && s != nil && s.Phase == v1alpha1.AnalysisFailed && string(s.Stage) == r.stage.Stage() && s.Attempt == a.Attempt {
		judged, effect := "stage "+string(s.Stage), "the schedule opens no more"
		if s.At != nil {
			judged = fmt.Sprintf("the step of %d %%", s.Percent)
		}
		if a.OnFailure == v1alpha1.AnalysisRollBack && s.At != nil {
			effect = "the step is closed again"
		}
		return v1alpha1.ReasonAnalysisFailed, fmt.Sprintf(" The analysis of %s failed at %s, so %s. %s", judged, s.Since.UTC().Format(time.RFC3339), effect, s.Message)
	}
	// The schedule would have opened the first withheld step.
	if len(r.withheld) > 0 && !now.Before(r.withheld[0].from) {
		return v1alpha1.ReasonAwaitingAnalysis, fmt.Sprintf(" The step of %d %% is due since %s and waits until the analysis of the step before it has succeeded.",
			r.withheld[0].percent, r.withheld[0].from.UTC().Format(time.RFC3339))
	}
	return v1alpha1.ReasonEnforced, ""
}

// maxNames bounds the names in a condition.
const maxNames = 5

// FirstNames lists at most so many names and counts the others: "a, b and 3 more".
func FirstNames(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unknownNames returns the names of the audience without a PartnerEntitlement in the
// namespace of the rollout.
func (s *Snapshot) unknownNames(r *rollout) []string {
	a := r.object.Spec.Audience
	if a == nil {
		return nil
	}
	var unknown []string
	for _, name := range slices.Concat(a.Partners, a.Excluded) {
		if _, found := s.Member(ObjectName{Namespace: r.object.Namespace, Name: name}); !found {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// audienceCondition warns about unknown names of the audience. It returns no condition if
// the audience has no names.
func (s *Snapshot) audienceCondition(r *rollout) []Condition {
	if a := r.object.Spec.Audience; a == nil || len(a.Partners)+len(a.Excluded) == 0 {
		return nil
	}
	unknown := s.unknownNames(r)
	if len(unknown) == 0 {
		return []Condition{{v1alpha1.ConditionAudienceResolved, "True", v1alpha1.ReasonResolved, "Every name of the audience has a PartnerEntitlement."}}
	}
	return []Condition{{
		v1alpha1.ConditionAudienceResolved, "False", v1alpha1.ReasonPartnerNotFound,
		fmt.Sprintf("Warning: the audience names partners without a PartnerEntitlement in this namespace: %s. Correct the names, or create the partners.", FirstNames(unknown, maxNames)),
	}}
}

func partnerVerdict(p *partner, now time.Time) verdict {
	switch {
	case p.older != nil:
		return duplicate(p.fault, p.older.Name)
	case p.fault != "":
		return broken(p.fault)
	case len(p.ambiguous) > 0:
		return verdict{reason: v1alpha1.ReasonDuplicateKey, message: fmt.Sprintf(
			"The digest of these keys occurs more than once, so they are rejected in every entitlement: %s. Remove all entries but one. The rest of the entitlement is enforced.",
			strings.Join(p.ambiguousKeys(), ", "))}
	}
	switch p.standing(now) {
	case standingSuspended:
		return enforced(v1alpha1.ReasonSuspended, "The partner is suspended and rejected with 403.%s", given(p.object.Spec.StateReason))
	case standingContractNotEffective:
		return enforced(v1alpha1.ReasonContractNotEffective, "The contract is not in force, so the partner is rejected with 403.")
	}
	text := "The gates enforce this entitlement."
	if idle := p.idleGrants(now); len(idle) > 0 {
		text += fmt.Sprintf(" These grants are not in force: %s.", strings.Join(idle, ", "))
	}
	return enforced(v1alpha1.ReasonEnforced, "%s", text)
}

// idleGrants describes the grants that are not in force at a time, with the reason.
func (p *entitlement) idleGrants(now time.Time) []string {
	var idle []string
	for c := range Capabilities() {
		switch g := &p.terms.grants[c]; {
		case !g.granted || g.contains(now):
		case now.Before(g.window.from):
			idle = append(idle, fmt.Sprintf("%s begins at %s", c, g.window.from.UTC().Format(time.RFC3339)))
		default:
			idle = append(idle, fmt.Sprintf("%s ended at %s", c, g.window.until.UTC().Format(time.RFC3339)))
		}
	}
	return idle
}

func contractCondition(c contract, now time.Time) Condition {
	out := Condition{Type: v1alpha1.ConditionContractEffective, Status: "False"}
	switch {
	case !c.signed:
		out.Reason, out.Message = v1alpha1.ReasonNoContract, "The partner has no contract."
	case now.Before(c.window.from):
		out.Reason = v1alpha1.ReasonNotYetEffective
		out.Message = fmt.Sprintf("The contract takes effect at %s.", c.window.from.UTC().Format(time.RFC3339))
	case !c.window.contains(now):
		out.Reason = v1alpha1.ReasonExpired
		out.Message = fmt.Sprintf("The contract ended at %s.", c.window.until.UTC().Format(time.RFC3339))
	default:
		out.Status, out.Reason, out.Message = "True", v1alpha1.ReasonEffective, "The contract is in force."
	}
	return out
}

func keysCondition(p *partner) Condition {
	if len(p.ambiguous) > 0 {
		return Condition{
			v1alpha1.ConditionKeysUnique, "False", v1alpha1.ReasonDuplicateKey,
			fmt.Sprintf("Rejected because their digest occurs more than once: %s.", strings.Join(p.ambiguousKeys(), ", ")),
		}
	}
	return Condition{v1alpha1.ConditionKeysUnique, "True", v1alpha1.ReasonUnique, "Every key digest is unique."}
}

// completeCondition warns about keys that are accepted and list no scopes, or else about
// those that never expire. A list that is empty says that the key has no permission.
func completeCondition(p *partner, now time.Time) Condition {
	var unscoped, unlimited []string
	for i := range p.object.Spec.Keys {
		switch key := &p.object.Spec.Keys[i]; {
		case key.State != v1alpha1.KeyStateActive || key.ExpiresAt != nil && !now.Before(key.ExpiresAt.Time):
		case key.Scopes == nil:
			unscoped = append(unscoped, key.Name)
		case key.ExpiresAt == nil:
			unlimited = append(unlimited, key.Name)
		}
	}
	switch {
	case len(unscoped) > 0:
		return Condition{v1alpha1.ConditionKeysComplete, "False", v1alpha1.ReasonNoScopes, fmt.Sprintf(
			"Warning: these keys have no scopes, so their requests get 403 INSUFFICIENT_SCOPE: %s. List scopes in spec.keys[].scopes.",
			strings.Join(unscoped, ", "))}
	case len(unlimited) > 0:
		return Condition{v1alpha1.ConditionKeysComplete, "False", v1alpha1.ReasonNoExpiry, fmt.Sprintf(
			"Warning: these keys never expire: %s. Rotate them, or set spec.keys[].expiresAt.", strings.Join(unlimited, ", "))}
	default:
		return Condition{v1alpha1.ConditionKeysComplete, "True", v1alpha1.ReasonComplete, "Every active key lists its scopes and expires."}
	}
}

func senderVerdict(s *sender, now time.Time) verdict {
	trouble, names := s.trouble()
	active := s.secrets.active(now)
	switch begins := s.secrets.begins(now); {
	case s.fault == v1alpha1.ReasonDuplicateSender:
		return duplicate(s.fault, s.older)
	case s.fault != "":
		return broken(s.fault)
	case trouble != "":
		return verdict{reason: trouble, message: affected(trouble, names) + " " + s.meanwhile(now)}
	case s.suspended:
		return enforced(v1alpha1.ReasonSuspended, "The sender is suspended, so its callbacks are rejected with 401.%s", given(s.object.Spec.StateReason))
	case len(active) > 0:
		return enforced(v1alpha1.ReasonEnforced, "Callbacks are verified with %d secret(s).", len(active))
	case !begins.IsZero():
		return enforced(v1alpha1.ReasonNotStarted, "Callbacks are rejected with 401 until the first secret becomes valid at %s.", begins.UTC().Format(time.RFC3339))
	default:
		return broken(v1alpha1.ReasonNoActiveSecret)
	}
}

// meanwhile describes the handling of the sender's callbacks while one of its secrets
// has a fault.
func (s *sender) meanwhile(now time.Time) string {
	active := s.secrets.active(now)
	switch begins := s.secrets.begins(now); {
	case s.suspended:
		return "The sender is suspended."
	case len(active) > 0:
		return fmt.Sprintf("Callbacks are still verified with: %s.", strings.Join(active, ", "))
	case !begins.IsZero():
		return fmt.Sprintf("Callbacks are rejected with 401 until another secret becomes valid at %s.", begins.UTC().Format(time.RFC3339))
	default:
		return "Callbacks are rejected with 401."
	}
}

// trouble returns the reason of the first unresolved secret, and all unresolved secrets
// with the places of their values.
func (s *sender) trouble() (reason string, names []string) {
	for i := range s.secrets {
		if one := &s.secrets[i]; one.trouble != "" {
			if reason == "" {
				reason = one.trouble
			}
			names = append(names, fmt.Sprintf("%s (key %s of Secret %s)", one.name, one.ref.Key, one.ref.Name))
		}
	}
	return reason, names
}

// affected returns the message for a fault of some of the sender's secrets.
func affected(reason string, names []string) string {
	return fmt.Sprintf("%s Affected: %s.", faults[reason], strings.Join(names, ", "))
}

func secretsCondition(s *sender) Condition {
	if s.partner == nil {
		// The bundle omits such a sender.
		return Condition{v1alpha1.ConditionSecretsResolved, "Unknown", v1alpha1.ReasonPartnerNotFound, "The secrets are not resolved, because the sender has no valid partner."}
	}
	if reason, names := s.trouble(); reason != "" {
		return Condition{
			v1alpha1.ConditionSecretsResolved, "False", reason,
			affected(reason, names),
		}
	}
	return Condition{v1alpha1.ConditionSecretsResolved, "True", v1alpha1.ReasonResolved, "Every secret was found and is long enough."}
}

func uniqueCondition(s *sender) Condition {
	if s.older != "" {
		v := duplicate(v1alpha1.ReasonDuplicateSender, s.older)
		return Condition{v1alpha1.ConditionSenderUnique, "False", v.reason, v.message}
	}
	return Condition{v1alpha1.ConditionSenderUnique, "True", v1alpha1.ReasonUnique, "No older object has this senderID."}
}

// grantedCondition warns about a partner whose callbacks are rejected: by its standing, or
// for want of a grant of xjmf-inbound that is in force.
func grantedCondition(s *sender, now time.Time) Condition {
	p := s.partner
	if p == nil {
		return Condition{v1alpha1.ConditionPartnerGranted, "Unknown", v1alpha1.ReasonPartnerNotFound, "The sender has no valid partner."}
	}
	var reason, problem string
	switch grant := &p.terms.grants[XJMFInbound]; {
	case p.suspended:
		reason, problem = v1alpha1.ReasonSuspended, "is suspended, so callbacks are rejected. Set spec.state of its PartnerEntitlement to Active."
	case !p.contract.contains(now):
		reason, problem = v1alpha1.ReasonContractNotEffective, "has no contract in force, so callbacks are rejected. Change spec.contract of its PartnerEntitlement."
	case !grant.granted:
		reason, problem = v1alpha1.ReasonNotGranted, "has no grant of xjmf-inbound, so callbacks are rejected. Add the grant to spec.capabilities of its PartnerEntitlement."
	case !grant.contains(now):
		reason, problem = v1alpha1.ReasonNotGranted, "has a grant of xjmf-inbound that is not in force, so callbacks are rejected. Change notBefore or notAfter of the grant in spec.capabilities of its PartnerEntitlement."
	default:
		return Condition{v1alpha1.ConditionPartnerGranted, "True", v1alpha1.ReasonGranted, "The partner has a grant of xjmf-inbound."}
	}
	return Condition{v1alpha1.ConditionPartnerGranted, "False", reason, fmt.Sprintf("Warning: partner %s %s", p.object.Name, problem)}
}

func timestampCondition(s *sender) Condition {
	if s.scheme == v1alpha1.SchemeTimestampBody {
		return Condition{v1alpha1.ConditionTimestampSigned, "True", v1alpha1.ReasonTimestampBody, "The signature covers X-XJMF-Timestamp."}
	}
	return Condition{
		v1alpha1.ConditionTimestampSigned, "False", v1alpha1.ReasonBody,
		"Warning: the signature does not cover X-XJMF-Timestamp, so a copy of a callback can be sent with another timestamp. " +
			"Set spec.scheme to TimestampBody if the sender supports it.",
	}
}
