// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// advice explains a row of the decision table: its question, and the change that lets a
// stopped request pass.
type advice struct {
	asks string
	// remedy describes the required change and applies it to the subject, so that the
	// following rules can be evaluated. It returns false if no change that it can apply
	// would help.
	remedy func(*subject) (string, bool)
}

// subject is a request with a copy of the objects that decide it, which remedies
// change.
type subject struct {
	partner *v1alpha1.PartnerEntitlement
	rollout *v1alpha1.CapabilityRollout
	// undeclared is true if the objects have no rollout of the capability.
	undeclared bool
	// sender is an added sender; nil if there is none.
	sender     *v1alpha1.XJMFSender
	capability posture.Capability
	mode       tenant.Mode
	write      bool
	decision   posture.Decision
	// snapshot is the compiled state without the changes.
	snapshot *posture.Snapshot
	at       time.Time
}

// advices holds the advice for each rule.
var advices = map[posture.Reason]advice{
	posture.ReasonPartnerClosed: {"is the PartnerEntitlement valid?", func(e *subject) (string, bool) {
		if m, found := e.snapshot.Member(NameOf(e.partner)); found {
			return "fix the PartnerEntitlement. " + message(m.Status(e.at).Conditions), false
		}
		return "fix the PartnerEntitlement", false
	}},
	posture.ReasonCertificateUnpinned: {"is a required client certificate valid?", func(e *subject) (string, bool) {
		e.partner.Spec.RequireClientCertificate = false
		return "add a valid client certificate to spec.clientCertificates of the PartnerEntitlement, or set spec.requireClientCertificate to false", true
	}},
	posture.ReasonKeyExpired: {"is the key unexpired?", nothing},
	posture.ReasonPartnerSuspended: {"is the partner active?", func(e *subject) (string, bool) {
		was := e.partner.Spec.State
		e.partner.Spec.State = v1alpha1.StateActive
		text := fmt.Sprintf("set spec.state of the PartnerEntitlement to Active; it is %s", was)
		if reason := e.partner.Spec.StateReason; reason != "" {
			text += "; reason given: " + reason
		}
		return text, true
	}},
	posture.ReasonContractNotEffective: {"is the contract in force?", func(e *subject) (string, bool) {
		text := "add a contract (spec.contract) to the PartnerEntitlement; it has none"
		if c := e.partner.Spec.Contract; c != nil && e.at.Before(c.EffectiveFrom.Time) {
			text = "wait, or change spec.contract.effectiveFrom; it is " + Instant(c.EffectiveFrom.Time)
		} else if c != nil && c.EffectiveUntil != nil {
			text = "extend the contract (spec.contract.effectiveUntil); it ended at " + Instant(c.EffectiveUntil.Time)
		}
		e.partner.Spec.Contract = &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(e.at.Add(-time.Hour))}
		return text, true
	}},
	posture.ReasonScopeMissing: {"does the partner have the scope?", func(e *subject) (string, bool) {
		var names []string
		for scope := range e.capability.Needs(e.write).All() {
			if name := v1alpha1.Scope(scope.String()); !slices.Contains(e.partner.Spec.Scopes, name) {
				e.partner.Spec.Scopes = append(e.partner.Spec.Scopes, name)
				names = append(names, string(name))
			}
		}
		return "add " + strings.Join(names, " and ") + " to spec.scopes of the PartnerEntitlement", true
	}},
	posture.ReasonNoCapability: {"does the capability exist?", nothing},
	posture.ReasonNoRollout: {"does a CapabilityRollout exist?", func(e *subject) (string, bool) {
		e.rollout = &v1alpha1.CapabilityRollout{}
		e.rollout.Name, e.rollout.Namespace = e.capability.String(), e.partner.Namespace
		e.rollout.Spec.Capability = v1alpha1.CapabilityName(e.capability.String())
		text, possible := e.setStage()
		if !possible {
			return text, false
		}
		return "create a CapabilityRollout with stage " + text, true
	}},
	posture.ReasonRolloutNotReady: {"is the CapabilityRollout valid?", func(e *subject) (string, bool) {
		for _, r := range e.snapshot.RolloutReports(e.at) {
			if r.Name == e.capability.String() {
				return "fix the CapabilityRollout. " + message(r.Conditions), false
			}
		}
		return "fix the CapabilityRollout", false
	}},
	posture.ReasonAboveCeiling: {"is the stage implemented?", func(e *subject) (string, bool) {
		was := e.rollout.Spec.Stage
		text, possible := e.setStage()
		if !possible {
			return text, false
		}
		return fmt.Sprintf("upgrade, or lower spec.stage of the CapabilityRollout from %s to %s", was, text), true
	}},
	posture.ReasonKilled: {"is the kill switch released?", func(e *subject) (string, bool) {
		was := e.rollout.Spec.KillSwitch
		e.rollout.Spec.KillSwitch = nil
		text := "release the kill switch (spec.killSwitch of the CapabilityRollout)"
		if was.Reason != "" {
			text += "; reason given: " + was.Reason
		}
		return text, true
	}},
	posture.ReasonStageDisabled: {"is the stage above Disabled?", (*subject).raiseStage},
	posture.ReasonNotStarted: {"has the schedule started?", func(e *subject) (string, bool) {
		was := e.rollout.Spec.Schedule.NotBefore
		e.rollout.Spec.Schedule.NotBefore = nil
		if h := e.rollout.Spec.Hold; h != nil && was.After(h.Since.Time) {
			e.rollout.Spec.Hold = nil
			return "end the hold (spec.hold of the CapabilityRollout); reason given: " + h.Reason + "; the schedule begins at " + Instant(was.Time), true
		}
		return "wait, or change spec.schedule.notBefore of the CapabilityRollout; it is " + Instant(was.Time), true
	}},
	posture.ReasonEnded: {"is the schedule still running?", func(e *subject) (string, bool) {
		was := e.rollout.Spec.Schedule.NotAfter
		e.rollout.Spec.Schedule.NotAfter = nil
		return "change spec.schedule.notAfter of the CapabilityRollout; it ended at " + Instant(was.Time), true
	}},
	posture.ReasonNotEntitled: {"does the partner have a grant that is in force?", func(e *subject) (string, bool) {
		if e.partner.Spec.Package == v1alpha1.PackagePlatform {
			return "the package Platform must not have capabilities", false
		}
		if g := e.granted(); g != nil {
			text := fmt.Sprintf("change notAfter of the grant %s in spec.capabilities of the PartnerEntitlement; ", e.capability)
			if g.NotBefore != nil && e.at.Before(g.NotBefore.Time) {
				text = fmt.Sprintf("wait, or change notBefore of the grant %s in spec.capabilities of the PartnerEntitlement; it is %s", e.capability, Instant(g.NotBefore.Time))
			} else if g.NotAfter != nil {
				text += "it ended at " + Instant(g.NotAfter.Time)
			}
			g.NotBefore, g.NotAfter = nil, nil
			return text, true
		}
		e.partner.Spec.Capabilities = append(e.partner.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(e.capability.String())})
		return fmt.Sprintf("add %s to spec.capabilities of the PartnerEntitlement", e.capability), true
	}},
	posture.ReasonGrantStageInvalid: {"is the stage of the grant valid?", func(e *subject) (string, bool) {
		g := e.granted()
		was := g.Stage
		g.Stage = ""
		return fmt.Sprintf("remove stage of the grant %s in spec.capabilities of the PartnerEntitlement; it is %s", e.capability, was), true
	}},
	posture.ReasonSandboxOnly: {"does the stage admit this kind of key?", (*subject).raiseStage},
	posture.ReasonExcluded: {"is the partner absent from audience.excluded?", func(e *subject) (string, bool) {
		a := e.rollout.Spec.Audience
		a.Excluded = slices.DeleteFunc(a.Excluded, func(name string) bool { return name == e.partner.Name })
		return "remove the partner from spec.audience.excluded of the CapabilityRollout", true
	}},
	posture.ReasonNotInAudience: {"is the partner in the audience?", (*subject).name},
	posture.ReasonNotInCohort: {"has the ramp reached the partner?", func(e *subject) (string, bool) {
		if h := e.rollout.Spec.Hold; h != nil {
			e.rollout.Spec.Hold, e.rollout.Spec.Schedule.Ramp = nil, nil
			return "end the hold (spec.hold of the CapabilityRollout); reason given: " + h.Reason + "; the ramp then continues", true
		}
		e.rollout.Spec.Schedule.Ramp = nil
		text := "raise the percent of a step in spec.schedule.ramp of the CapabilityRollout"
		switch {
		case !e.decision.Opens.IsZero():
			text = fmt.Sprintf("wait until %s, or %s", Instant(e.decision.Opens), text)
		case e.rollout.Spec.Analysis != nil:
			text = "wait until the analysis lets the ramp go on (status.analysis of the CapabilityRollout), or remove spec.analysis"
			e.rollout.Spec.Analysis = nil
		}
		return text, true
	}},
	posture.ReasonDependencyClosed: {"can the partner use the capabilities that this one depends on?", func(e *subject) (string, bool) {
		var names []string
		for _, name := range e.rollout.Spec.DependsOn {
			names = append(names, string(name))
		}
		e.rollout.Spec.DependsOn = nil
		return "explain and open these capabilities for the partner: " + strings.Join(names, ", ") + "; or remove them from spec.dependsOn of the CapabilityRollout", true
	}},
	posture.ReasonNoUsableKey: {"does the partner have an accepted key of this kind with the scope?", func(e *subject) (string, bool) {
		key := v1alpha1.APIKey{Name: "added", Kind: e.kind(), State: v1alpha1.KeyStateActive, Scopes: []v1alpha1.Scope{}}
		text := fmt.Sprintf("issue a %s key", e.mode)
		var scopes []string
		for scope := range e.capability.Needs(e.write).All() {
			scopes, key.Scopes = append(scopes, scope.String()), append(key.Scopes, v1alpha1.Scope(scope.String()))
		}
		if len(scopes) > 0 {
			text += " with " + strings.Join(scopes, " and ")
		}
		// No key has this digest: the hashed text does not have the form of a key.
		digest := sha256.Sum256([]byte("added\x00" + e.partner.Namespace + "\x00" + e.partner.Name))
		key.SHA256 = hex.EncodeToString(digest[:])
		e.partner.Spec.Keys = append(e.partner.Spec.Keys, key)
		return text + " (printmarket keys issue), or add the scopes to a key in spec.keys of the PartnerEntitlement", true
	}},
	posture.ReasonNoSender: {"does the partner have an active sender of this mode?", func(e *subject) (string, bool) {
		e.sender = &v1alpha1.XJMFSender{}
		e.sender.Namespace, e.sender.Name = e.partner.Namespace, "added"
		e.sender.Spec = v1alpha1.XJMFSenderSpec{SenderID: "added/", Partner: e.partner.Name, Mode: e.kind(), State: v1alpha1.StateActive}
		return fmt.Sprintf("create an XJMFSender with mode %s for the partner, or fix or resume one", e.kind()), true
	}},
	posture.ReasonNoWebhook: {"does the partner have a webhook of this kind?", func(e *subject) (string, bool) {
		e.partner.Spec.Webhooks = append(e.partner.Spec.Webhooks, v1alpha1.Webhook{Name: "added", Kind: e.kind(), URL: "https://added.invalid/"})
		return fmt.Sprintf("add a webhook of kind %s to spec.webhooks of the PartnerEntitlement", e.kind()), true
	}},
}

// adviceOn returns the advice for a rule.
func adviceOn(reason posture.Reason) advice {
	if found, known := advices[reason]; known {
		return found
	}
	return advice{"", nothing}
}

func nothing(*subject) (string, bool) { return "no edit of an object helps", false }

// message returns the problem that an object's condition Ready reports.
func message(conditions []posture.Condition) string {
	for _, c := range conditions {
		if c.Type == v1alpha1.ConditionReady {
			return c.Reason + ": " + strings.TrimSuffix(c.Message, ".")
		}
	}
	return "see its status for the problem"
}

// kind returns the kind of the keys, in the spelling of an object.
func (e *subject) kind() v1alpha1.KeyKind {
	if e.mode == tenant.Test {
		return v1alpha1.KeyKindTest
	}
	return v1alpha1.KeyKindLive
}

// granted returns the entry of spec.capabilities; nil if there is none.
func (e *subject) granted() *v1alpha1.CapabilityGrant {
	for i := range e.partner.Spec.Capabilities {
		if g := &e.partner.Spec.Capabilities[i]; string(g.Name) == e.capability.String() {
			return g
		}
	}
	return nil
}

// notImplemented is the remedy's text if a capability cannot be opened.
const notImplemented = "this version does not implement the capability above stage "

// setStage sets the rollout to the lowest stage that admits the kind of key, and
// adds an audience if that stage requires one. It returns the description of the
// stage, or why it is not possible.
func (e *subject) setStage() (string, bool) {
	// The lowest stage that admits the kind of key.
	ceiling, stage := e.capability.Definition().Ceiling, posture.PrivateBeta
	if e.mode == tenant.Test {
		stage = posture.Sandbox
	}
	if ceiling < stage {
		return notImplemented + ceiling.Stage(), false
	}
	e.rollout.Spec.Stage = v1alpha1.Stage(stage.Stage())
	text := stage.Stage()
	if stage == posture.PrivateBeta {
		if a := e.rollout.Spec.Audience; a == nil || len(a.Partners) == 0 && a.Selector == nil {
			e.name()
			text += " with an audience (spec.audience) that includes the partner"
		}
	}
	return text, true
}

func (e *subject) raiseStage() (string, bool) {
	// Only a stage above Disabled of the rollout leaves the decision to the grant.
	if g := e.granted(); g != nil && g.Stage != "" && e.rollout.Spec.Stage != v1alpha1.StageDisabled {
		if ceiling := e.capability.Definition().Ceiling; ceiling < posture.PrivateBeta {
			return notImplemented + ceiling.Stage(), false
		}
		was := g.Stage
		g.Stage = v1alpha1.StagePrivateBeta
		return fmt.Sprintf("change stage of the grant %s in spec.capabilities of the PartnerEntitlement from %s to PrivateBeta, or remove it", e.capability, was), true
	}
	was := e.rollout.Spec.Stage
	text, possible := e.setStage()
	if !possible {
		return text, false
	}
	return fmt.Sprintf("change spec.stage of the CapabilityRollout from %s to %s", was, text), true
}

func (e *subject) name() (string, bool) {
	if e.rollout.Namespace != e.partner.Namespace {
		return "an audience contains only partners in the namespace of the rollout, which is " + e.rollout.Namespace, false
	}
	if e.rollout.Spec.Audience == nil {
		e.rollout.Spec.Audience = &v1alpha1.Audience{}
	}
	e.rollout.Spec.Audience.Partners = append(e.rollout.Spec.Audience.Partners, e.partner.Name)
	return "add the partner to spec.audience.partners of the CapabilityRollout, or add a label to the partner that spec.audience.selector matches", true
}
