// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Annotations with which a client names the user of a change. The admission policies accept
// a new value of either only if changed-by is the user of the request.
const (
	// AnnotationChangedBy is the name of the user.
	AnnotationChangedBy = GroupName + "/changed-by"
	// AnnotationChangedGeneration is the metadata.generation that the change results in.
	AnnotationChangedGeneration = GroupName + "/changed-generation"
)

// MaxHistory is the maximum number of entries in the history of an object.
const MaxHistory = 32

// ChangeKind is the part of an object that a change concerns.
//
// +kubebuilder:validation:Enum=Created;Stage;Ramp;Audience;Schedule;KillSwitch;Hold;Analysis;State;Contract;Scopes;Grant;Key;Certificate;Webhook;Secret;Spec
// +kubebuilder:validation:MaxLength=16
type ChangeKind string

// The kinds of changes.
const (
	// ChangeCreated is the creation of the object.
	ChangeCreated ChangeKind = "Created"
	// ChangeStage is a change of spec.stage.
	ChangeStage ChangeKind = "Stage"
	// ChangeRamp is a step of the ramp that became effective.
	ChangeRamp ChangeKind = "Ramp"
	// ChangeAudience is a change of spec.audience.
	ChangeAudience ChangeKind = "Audience"
	// ChangeSchedule is a change of spec.schedule, or the beginning or end of the schedule.
	ChangeSchedule ChangeKind = "Schedule"
	// ChangeKillSwitch engages or releases the kill switch.
	ChangeKillSwitch ChangeKind = "KillSwitch"
	// ChangeHold holds the schedule, or ends the hold.
	ChangeHold ChangeKind = "Hold"
	// ChangeAnalysis is a change of spec.analysis, or an analysis that succeeded or failed.
	ChangeAnalysis ChangeKind = "Analysis"
	// ChangeState suspends or resumes a partner or sender.
	ChangeState ChangeKind = "State"
	// ChangeContract is a change of spec.contract.
	ChangeContract ChangeKind = "Contract"
	// ChangeScopes is a change of spec.scopes.
	ChangeScopes ChangeKind = "Scopes"
	// ChangeGrant adds, removes or changes a grant.
	ChangeGrant ChangeKind = "Grant"
	// ChangeKey adds, revokes, removes or changes a key.
	ChangeKey ChangeKind = "Key"
	// ChangeCertificate adds, removes or changes a client certificate.
	ChangeCertificate ChangeKind = "Certificate"
	// ChangeWebhook adds, removes or changes a webhook.
	ChangeWebhook ChangeKind = "Webhook"
	// ChangeSecret adds, removes or changes a reference to a secret.
	ChangeSecret ChangeKind = "Secret"
	// ChangeSpec is a change of another part of the spec.
	ChangeSpec ChangeKind = "Spec"
)

// HistoryEntry is one change of an object.
type HistoryEntry struct {
	// time is when the change was made or became effective, with a resolution of one second.
	// It is the time of the recording if the change left no time.
	// +required
	Time metav1.Time `json:"time"`
	// generation is the generation of the object after the change.
	// +required
	Generation int64 `json:"generation"`
	// change is the part of the object that changed.
	// +required
	Change ChangeKind `json:"change"`
	// subject is the name of the grant, key, certificate, webhook or secret.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Subject string `json:"subject,omitempty"`
	// from is the value before the change; empty for something that was added.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	From string `json:"from,omitempty"`
	// to is the value after the change; empty for something that was removed.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	To string `json:"to,omitempty"`
	// by is the field manager of the last write of the object, such as kubectl-edit. It is
	// "schedule" for a change by the clock, "analysis" for the end of an analysis, and empty if
	// the write left no field manager.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	By string `json:"by,omitempty"`
	// user is the user of the change, if the annotations changed-by and changed-generation
	// name one for this generation. An admission policy verifies the name.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	User string `json:"user,omitempty"`
	// ticket is the change request, if the change has a new one.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Ticket string `json:"ticket,omitempty"`
	// reason is the reason that the spec gives for the kill switch, the suspension or the
	// revocation.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`
	// admittedBefore is the number of admitted partners before the change (rollouts).
	// +optional
	// +kubebuilder:validation:Minimum=0
	AdmittedBefore *int32 `json:"admittedBefore,omitempty"`
	// admittedAfter is the number of admitted partners after the change (rollouts).
	// +optional
	// +kubebuilder:validation:Minimum=0
	AdmittedAfter *int32 `json:"admittedAfter,omitempty"`
}

// Recorded summarizes the spec that the history describes. The controller compares the spec
// with the summary to find changes, also after a restart. The summary contains no key digest,
// no secret and no path of a URL.
type Recorded struct {
	// generation is the generation of the summarized spec.
	// +required
	Generation int64 `json:"generation"`
	// step is the start of the last recorded step of the schedule (rollouts).
	// +optional
	Step *metav1.Time `json:"step,omitempty"`
	// values are short texts by the part of the spec, such as Stage or Key/live-1.
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=96
	Values map[string]RecordedValue `json:"values,omitempty"`
}

// RecordedValue is a part of a spec as a short text. A longer text is cut and ends with its
// checksum.
//
// +kubebuilder:validation:MaxLength=256
type RecordedValue string
