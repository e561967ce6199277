// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Origin is the field of an object that makes a rule stop a request.
type Origin struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Field is a path such as spec.capabilities[2].notAfter; empty for the whole object.
	Field string `json:"field,omitempty"`
	// Missing reports whether the field, or the object if Field is empty, does not exist.
	Missing bool `json:"missing,omitempty"`
	// File and Line are the position of the field in the manifests, or of its nearest enclosing
	// field. They are empty without manifests.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Locator returns the file and the line of a field of an object; an empty file for an unknown
// object.
type Locator func(kind string, name posture.ObjectName, field string) (file string, line int)

// Locate sets the positions of the origins. The locator may be nil.
func (x *Explanation) Locate(find Locator) {
	if find == nil {
		return
	}
	for i := range x.Rules {
		if o := x.Rules[i].Origin; o != nil {
			o.File, o.Line = find(o.Kind, posture.ObjectName{Namespace: o.Namespace, Name: o.Name}, o.Field)
		}
	}
}

// String returns text like that of a compiler, such as
// "partners/acme.yaml:12: PartnerEntitlement acme, spec.state".
func (o *Origin) String() string {
	text := o.Kind + " " + o.Name
	switch {
	case o.Field == "" && o.Missing:
		text += " (does not exist)"
	case o.Missing:
		text += ", " + o.Field + " (not set)"
	case o.Field != "":
		text += ", " + o.Field
	}
	if o.File == "" {
		return text
	}
	return fmt.Sprintf("%s:%d: %s", o.File, o.Line, text)
}

// origin returns the field that makes a rule stop the request; nil if no object decides.
func (e *subject) origin(reason posture.Reason) *Origin {
	switch reason {
	case posture.ReasonPartnerClosed:
		return e.inPartner("spec", true)
	case posture.ReasonCertificateUnpinned:
		return e.inPartner("spec.requireClientCertificate", true)
	case posture.ReasonPartnerSuspended:
		return e.inPartner("spec.state", true)
	case posture.ReasonContractNotEffective:
		switch c := e.partner.Spec.Contract; {
		case c == nil:
			return e.inPartner("spec.contract", false)
		case e.at.Before(c.EffectiveFrom.Time):
			return e.inPartner("spec.contract.effectiveFrom", true)
		default:
			return e.inPartner("spec.contract.effectiveUntil", c.EffectiveUntil != nil)
		}
	case posture.ReasonScopeMissing:
		return e.inPartner("spec.scopes", len(e.partner.Spec.Scopes) > 0)
	case posture.ReasonNotEntitled:
		return e.inGrants()
	case posture.ReasonGrantStageInvalid:
		return e.inPartner(e.grantField("stage"), true)
	case posture.ReasonNoUsableKey:
		return e.inPartner("spec.keys", len(e.partner.Spec.Keys) > 0)
	case posture.ReasonNoWebhook:
		return e.inPartner("spec.webhooks", len(e.partner.Spec.Webhooks) > 0)
	case posture.ReasonSandboxOnly:
		if g := e.granted(); g != nil && g.Stage != "" && e.rollout != nil && e.rollout.Spec.Stage != v1alpha1.StageDisabled {
			return e.inPartner(e.grantField("stage"), true)
		}
		return e.inRollout("spec.stage", true)
	case posture.ReasonNoRollout:
		return e.inRollout("", false)
	case posture.ReasonRolloutNotReady:
		return e.inRollout("spec", true)
	case posture.ReasonAboveCeiling, posture.ReasonStageDisabled:
		return e.inRollout("spec.stage", true)
	case posture.ReasonKilled:
		return e.inRollout("spec.killSwitch.state", true)
	case posture.ReasonNotStarted:
		return e.inRollout(e.startField(), true)
	case posture.ReasonEnded:
		return e.inRollout("spec.schedule.notAfter", true)
	case posture.ReasonExcluded:
		at := slices.Index(e.rollout.Spec.Audience.Excluded, e.partner.Name)
		return e.inRollout(fmt.Sprintf("spec.audience.excluded[%d]", at), true)
	case posture.ReasonNotInAudience:
		if a := e.rollout.Spec.Audience; a != nil && len(a.Partners) == 0 && a.Selector != nil {
			return e.inRollout("spec.audience.selector", true)
		}
		return e.inRollout("spec.audience.partners", true)
	case posture.ReasonNotInCohort:
		return e.inRollout(e.cohortField(), true)
	case posture.ReasonDependencyClosed:
		return e.inRollout("spec.dependsOn", true)
	default:
		return nil
	}
}

func (e *subject) inPartner(field string, set bool) *Origin {
	return &Origin{Kind: v1alpha1.KindPartnerEntitlement, Namespace: e.partner.Namespace, Name: e.partner.Name, Field: field, Missing: !set}
}

// inRollout returns a field of the rollout. If a remedy has created the rollout, none exists.
func (e *subject) inRollout(field string, set bool) *Origin {
	o := &Origin{Kind: v1alpha1.KindCapabilityRollout, Namespace: e.partner.Namespace, Name: e.capability.String(), Field: field, Missing: !set}
	if e.undeclared {
		o.Field, o.Missing = "", true
	} else if e.rollout != nil {
		o.Namespace = e.rollout.Namespace
	}
	return o
}

// inGrants returns the bound of the grant that is not in force, or the grants if there is none
// for the capability.
func (e *subject) inGrants() *Origin {
	g := e.granted()
	switch {
	case e.partner.Spec.Package == v1alpha1.PackagePlatform:
		return e.inPartner("spec.package", true)
	case g == nil:
		return e.inPartner("spec.capabilities", len(e.partner.Spec.Capabilities) > 0)
	case g.NotBefore != nil && e.at.Before(g.NotBefore.Time):
		return e.inPartner(e.grantField("notBefore"), true)
	default:
		return e.inPartner(e.grantField("notAfter"), g.NotAfter != nil)
	}
}

// grantField returns the path of a member of the grant for the capability.
func (e *subject) grantField(member string) string {
	at := slices.IndexFunc(e.partner.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool { return string(g.Name) == e.capability.String() })
	return fmt.Sprintf("spec.capabilities[%d].%s", at, member)
}

// startField returns the path of what delays the begin of the schedule: a hold, a freeze, or
// the schedule itself.
func (e *subject) startField() string {
	spec := &e.rollout.Spec
	start := spec.Schedule.NotBefore.Time
	if h := spec.Hold; h != nil && start.After(h.Since.Time) {
		return "spec.hold.since"
	}
	at := slices.IndexFunc(spec.Schedule.Freezes, func(f v1alpha1.Freeze) bool { return !start.Before(f.From.Time) && start.Before(f.Until.Time) })
	if at >= 0 && !e.at.Before(start) {
		return fmt.Sprintf("spec.schedule.freezes[%d].until", at)
	}
	return "spec.schedule.notBefore"
}

// cohortField returns the path of what keeps the ramp from admitting the partner: a hold, the
// analysis, the step in force, or the time of the first step.
func (e *subject) cohortField() string {
	spec := &e.rollout.Spec
	if spec.Hold != nil {
		return "spec.hold.since"
	}
	if spec.Analysis != nil && e.decision.Opens.IsZero() {
		return "spec.analysis"
	}
	first, current := 0, -1
	for i, step := range spec.Schedule.Ramp {
		if step.At.Before(&spec.Schedule.Ramp[first].At) {
			first = i
		}
		if !e.at.Before(step.At.Time) && (current < 0 || step.Percent > spec.Schedule.Ramp[current].Percent) {
			current = i
		}
	}
	if current < 0 {
		return fmt.Sprintf("spec.schedule.ramp[%d].at", first)
	}
	return fmt.Sprintf("spec.schedule.ramp[%d].percent", current)
}
