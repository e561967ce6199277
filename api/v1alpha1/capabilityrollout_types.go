// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CapabilityRollout declares the stage, the audience and the schedule of one
// capability. The object has the name of the capability, so each capability has at
// most one rollout. Without a rollout the capability is closed for everyone;
// deleting the rollout closes the capability at once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=cap,categories=printmarket
// +kubebuilder:validation:XValidation:rule="self.metadata.name == self.spec.capability",message="the object must have the name of its capability: make metadata.name and spec.capability the same",fieldPath=".metadata"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec.analysis) || oldSelf.spec.stage == 'Disabled' || self.spec.stage in {'Sandbox': ['Disabled', 'Sandbox'], 'PrivateBeta': ['Disabled', 'Sandbox', 'PrivateBeta'], 'Live': ['Disabled', 'Sandbox', 'PrivateBeta', 'Live']}[oldSelf.spec.stage] || has(self.status.analysis) && self.status.analysis.stage == oldSelf.spec.stage && self.status.analysis.phase == 'Succeeded' && (oldSelf.spec.stage == 'Sandbox' || !has(oldSelf.spec.schedule) || !has(oldSelf.spec.schedule.ramp) || oldSelf.spec.schedule.ramp.all(s, s.percent <= self.status.analysis.percent))",message="the analysis of the stage has not succeeded: wait for status.analysis.phase Succeeded at the last step, or remove spec.analysis",fieldPath=".spec.stage"
// +kubebuilder:selectablefield:JSONPath=".spec.stage"
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=".spec.stage"
// +kubebuilder:printcolumn:name="Effective",type=string,JSONPath=".status.effectiveStage"
// +kubebuilder:printcolumn:name="Cohort",type=string,JSONPath=".status.cohort"
// +kubebuilder:printcolumn:name="Kill",type=string,JSONPath=".spec.killSwitch.state"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=".status.nextTransition",priority=1
// +kubebuilder:printcolumn:name="Ticket",type=string,JSONPath=".spec.change.ticket",priority=1
// +kubebuilder:printcolumn:name="Kill-Reason",type=string,JSONPath=".spec.killSwitch.reason",priority=1
type CapabilityRollout struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata. The name is the capability.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec is the desired access to the capability.
	// +required
	Spec CapabilityRolloutSpec `json:"spec"`
	// status is the current access to the capability, and the reasons for it.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status CapabilityRolloutStatus `json:"status,omitzero"`
}

// CapabilityRolloutSpec is the desired access to one capability.
//
// +kubebuilder:validation:XValidation:rule="{'Disabled': 0, 'Sandbox': 1, 'PrivateBeta': 2, 'Live': 3}[self.stage] <= {'Disabled': 0, 'Sandbox': 1, 'PrivateBeta': 2, 'Live': 3}[oldSelf.stage] + 1",message="promote one stage at a time: Disabled, Sandbox, PrivateBeta, Live",fieldPath=".stage"
// +kubebuilder:validation:XValidation:rule="self.stage == oldSelf.stage || self.stage == 'Disabled' || !(self.capability in ['estimate', 'quote-accept', 'order', 'order-batch']) && (self.stage != 'Live' || !(self.capability in ['xjdf', 'xjdf-costing', 'xjmf-inbound', 'webhook-delivery', 'master-data-bridge']))",message="the stage is above the highest stage that this version implements for the capability, which would close it: keep the stage",fieldPath=".stage"
// +kubebuilder:validation:XValidation:rule="self.stage == oldSelf.stage || self.change.ticket != oldSelf.change.ticket",message="a change of stage needs a new change.ticket",fieldPath=".change.ticket"
// +kubebuilder:validation:XValidation:rule="!has(self.dependsOn) || !(self.capability in self.dependsOn)",message="a capability cannot depend on itself: remove it",fieldPath=".dependsOn"
// +kubebuilder:validation:XValidation:rule="self.stage != 'PrivateBeta' || (has(self.audience) && (has(self.audience.partners) && size(self.audience.partners) > 0 || has(self.audience.selector)))",message="PrivateBeta needs audience.partners or audience.selector",fieldPath=".audience"
type CapabilityRolloutSpec struct {
	// capability is the name of the capability and of the object.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="capability is immutable: create another object for another capability"
	Capability CapabilityName `json:"capability"`
	// stage sets which keys may use the capability: Disabled admits no key, Sandbox
	// admits test keys, PrivateBeta also admits live keys of the audience, Live admits
	// every entitled partner. Promote one stage at a time; any demotion is allowed. A
	// stage above the ceiling that is compiled into the binary closes the capability.
	// +required
	Stage Stage `json:"stage"`
	// change is the change request for the current stage.
	// +required
	Change Change `json:"change"`
	// audience restricts live keys to some of the entitled partners. It is required at
	// PrivateBeta and also applies at Live. It does not apply to test keys.
	// +optional
	Audience *Audience `json:"audience,omitempty"`
	// schedule opens and closes the capability at given times.
	// +optional
	Schedule *Schedule `json:"schedule,omitempty"`
	// killSwitch closes the capability for every key in an emergency, without a change
	// of the stage.
	// +optional
	KillSwitch *KillSwitch `json:"killSwitch,omitempty"`
	// hold keeps the schedule from opening more of the capability, without a change of the
	// schedule.
	// +optional
	Hold *Hold `json:"hold,omitempty"`
	// analysis lets measurements decide whether the schedule and the stage go on.
	// +optional
	Analysis *Analysis `json:"analysis,omitempty"`
	// dependsOn are capabilities that this one needs: a key can use it only if the same key can
	// use each of them. Rollouts that depend on each other are closed.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	DependsOn []CapabilityName `json:"dependsOn,omitempty"`
}

// Change is the change request for a stage.
type Change struct {
	// ticket identifies the change request. A change of the stage needs a new ticket.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Ticket string `json:"ticket"`
	// approvedBy is the person who approved the change.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	ApprovedBy string `json:"approvedBy,omitempty"`
}

// Audience selects some of the entitled partners: the partners that partners or
// selector names (all partners if neither is set), without the partners in
// excluded.
//
// +kubebuilder:validation:MinProperties=1
type Audience struct {
	// partners are names of PartnerEntitlements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, x == y))",message="a partner occurs twice: remove one entry"
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Partners []string `json:"partners,omitempty"`
	// selector adds the partners whose labels match.
	// +optional
	Selector *PartnerSelector `json:"selector,omitempty"`
	// excluded are names of PartnerEntitlements that are left out, even if partners or
	// selector names them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Excluded []string `json:"excluded,omitempty"`
}

// PartnerSelector is a label selector over PartnerEntitlements. All of its
// requirements must hold.
//
// +kubebuilder:validation:MinProperties=1
type PartnerSelector struct {
	// matchLabels are labels that a partner must have.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// matchExpressions are further requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	MatchExpressions []SelectorRequirement `json:"matchExpressions,omitempty"`
}

// SelectorRequirement is one requirement on a label.
//
// +kubebuilder:validation:XValidation:rule="(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",message="In and NotIn need values; Exists and DoesNotExist have none",fieldPath=".values"
type SelectorRequirement struct {
	// key is the label.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`
	// operator compares the label with the values.
	// +required
	Operator SelectorOperator `json:"operator"`
	// values are the values for In and NotIn.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	Values []string `json:"values,omitempty"`
}

// Schedule opens and closes a capability at given times.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:XValidation:rule="!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter",message="notBefore must be before notAfter",fieldPath=".notAfter"
// +kubebuilder:validation:XValidation:rule="!has(self.ramp) || self.ramp.all(a, self.ramp.all(b, a.percent == b.percent || (a.percent < b.percent) == (a.at < b.at)))",message="a ramp only grows: a larger percent needs a later time",fieldPath=".ramp"
type Schedule struct {
	// notBefore is the first instant at which the capability is open, such as
	// 2027-01-01T00:00:00Z.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// notAfter is the first instant at which the capability is closed again, such as
	// 2027-02-01T00:00:00Z.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
	// ramp opens the capability for a growing part of the audience. Before the first
	// step the capability is closed for the whole audience; the last step has no end.
	// A partner that is admitted stays admitted: the order of the partners is a fixed
	// function of the capability and the organization. The ramp does not apply to test
	// keys.
	// +optional
	// +listType=map
	// +listMapKey=percent
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Ramp []RampStep `json:"ramp,omitempty"`
	// freezes are periods in which nothing opens, such as holidays. A notBefore or a step of
	// the ramp within a freeze takes effect at its end; what is open stays open. Declare a
	// freeze before it begins; hold stops a schedule at once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Freezes []Freeze `json:"freezes,omitempty"`
}

// Freeze is a period in which a schedule opens nothing.
//
// +kubebuilder:validation:XValidation:rule="self.from < self.until",message="from must be before until",fieldPath=".until"
type Freeze struct {
	// from is the first instant of the freeze, such as 2027-12-20T00:00:00Z.
	// +required
	From metav1.Time `json:"from"`
	// until is the first instant after the freeze, such as 2028-01-03T00:00:00Z.
	// +required
	Until metav1.Time `json:"until"`
	// reason explains the freeze.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`
}

// RampStep is one step of a ramp.
type RampStep struct {
	// at is the first instant at which the step applies, such as 2027-01-01T00:00:00Z.
	// +required
	At metav1.Time `json:"at"`
	// percent is the share of the audience for which the capability is open, from 1 to
	// 100.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent"`
}

// KillSwitch closes a capability in an emergency.
//
// +kubebuilder:validation:XValidation:rule="self.state != 'Engaged' || (has(self.reason) && size(self.reason) > 0)",message="an engaged kill switch needs a reason",fieldPath=".reason"
type KillSwitch struct {
	// state is Released or Engaged; Engaged closes the capability for test and live keys.
	// +required
	State KillSwitchState `json:"state"`
	// reason explains to the people on call why the switch is engaged; Engaged requires it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`
}

// Hold stops a schedule from opening more. What is open stays open, notAfter still closes
// the capability, and the kill switch works as before.
type Hold struct {
	// since is the instant of the hold, such as 2027-01-01T00:00:00Z: a notBefore and the
	// steps of a ramp that are later have no effect.
	// +required
	Since metav1.Time `json:"since"`
	// reason explains to the people on call why the rollout is held.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
}

// CapabilityRolloutStatus is the current access to one capability.
type CapabilityRolloutStatus struct {
	// conditions are Ready, Reconciling, Stalled, Propagated and EndsSoon. Rollouts whose audience
	// names partners also have AudienceResolved.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes; -1 until a
	// controller has processed the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// effectiveStage is the stage that the gates enforce.
	// +optional
	EffectiveStage Stage `json:"effectiveStage,omitempty"`
	// cohort is the current percentage of the ramp, and the number of entitled
	// partners that are admitted with a live key out of all entitled partners: "ramp
	// 25 %, 3 of 12 admitted". Names of the audience without a partner are counted after
	// that.
	// +optional
	// +kubebuilder:validation:MaxLength=80
	Cohort string `json:"cohort,omitempty"`
	// percent is the current percentage of the ramp, from 0 to 100; 0 while the
	// capability is closed for live keys.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent"`
	// admitted is the number of partners that can use the capability with a live key.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Admitted int32 `json:"admitted"`
	// entitled is the number of partners with a grant that is in force.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Entitled int32 `json:"entitled"`
	// denials counts the partners that are not admitted, by reason.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=16
	Denials []Denial `json:"denials,omitempty"`
	// nextTransition is the next time at which something opens or closes without an edit.
	// +optional
	NextTransition *metav1.Time `json:"nextTransition,omitempty"`
	// analysis is the state of the latest analysis; absent without spec.analysis.
	// +optional
	Analysis *AnalysisStatus `json:"analysis,omitempty"`
	// history are the latest changes of the object, newest first. It is no audit log: entries
	// beyond the limit are dropped, and changes that follow each other at once can be one entry.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	History []HistoryEntry `json:"history,omitempty"`
	// recorded summarizes the spec that history describes.
	// +optional
	Recorded *Recorded `json:"recorded,omitempty"`
}

// Denial counts the partners that are not admitted for one reason.
type Denial struct {
	// reason is the first reason that applies, in the order in which the gates decide.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// partners is the number of partners.
	// +required
	// +kubebuilder:validation:Minimum=0
	Partners int32 `json:"partners"`
}

// CapabilityRolloutList is a list of rollouts.
//
// +kubebuilder:object:root=true
type CapabilityRolloutList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []CapabilityRollout `json:"items"`
}
