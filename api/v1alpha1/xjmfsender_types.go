// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// XJMFSender is one machine that may send XJMF callbacks for a partner. A callback
// of an unregistered sender is rejected with 401.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sender,categories=printmarket
// +kubebuilder:selectablefield:JSONPath=".spec.partner"
// +kubebuilder:printcolumn:name="Sender",type=string,JSONPath=".spec.senderID"
// +kubebuilder:printcolumn:name="Partner",type=string,JSONPath=".spec.partner"
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=".spec.mode"
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=".spec.state"
// +kubebuilder:printcolumn:name="Secrets",type=string,JSONPath=".status.secrets"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Rotation",type=string,JSONPath=".status.nextRotation",priority=1
type XJMFSender struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec is the identity of the sender and the rules for its signature.
	// +required
	Spec XJMFSenderSpec `json:"spec"`
	// status is the current acceptance of the sender, and the reasons for it.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status XJMFSenderStatus `json:"status,omitzero"`
}

// XJMFSenderSpec is the identity of a sender and the rules for its signature.
type XJMFSenderSpec struct {
	// senderID is the value of the header X-XJMF-Sender, compared byte for byte. It is
	// immutable. If two objects have the same sender ID, the older object is in force
	// and the newer one is closed.
	// +required
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9._:-]+$`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="senderID is immutable: create another object for another sender"
	SenderID string `json:"senderID"`
	// partner is the name of the PartnerEntitlement in the same namespace on whose
	// behalf the sender sends.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Partner string `json:"partner"`
	// mode selects the records that the sender's callbacks act on: those of Live keys or
	// those of Test keys, never both. It is immutable.
	// +optional
	// +kubebuilder:default=Live
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="mode is immutable: create another object for the other mode"
	Mode KeyKind `json:"mode,omitempty"`
	// state is Active or Suspended; a Suspended sender is rejected.
	// +required
	State State `json:"state"`
	// stateReason explains why the sender is Suspended; it has no effect while the sender is
	// Active.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	StateReason string `json:"stateReason,omitempty"`
	// secrets are the shared secrets of the signature, each at least 32 bytes of
	// random data. Two secrets with overlapping periods allow a rotation without a
	// gap.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Secrets []SharedSecret `json:"secrets"`
	// replayWindowSeconds is the maximum difference in seconds between
	// X-XJMF-Timestamp and the platform's clock: 5 minutes by default and at most.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	ReplayWindowSeconds int32 `json:"replayWindowSeconds,omitempty"`
	// scheme is the signed content: Body is the body alone, TimestampBody is the value
	// of X-XJMF-Timestamp, a full stop and the body. Prefer TimestampBody: with Body,
	// a replaced timestamp cannot be detected.
	// +optional
	// +kubebuilder:default=Body
	Scheme SignatureScheme `json:"scheme,omitempty"`
}

// SignatureScheme is the content that a sender signs.
//
// +kubebuilder:validation:Enum=Body;TimestampBody
type SignatureScheme string

// The schemes of signatures. Absent means [SchemeBody].
const (
	SchemeBody          SignatureScheme = "Body"
	SchemeTimestampBody SignatureScheme = "TimestampBody"
)

// XJMFSenderStatus is the current acceptance of one sender.
type XJMFSenderStatus struct {
	// conditions are Ready, Reconciling, Stalled, Propagated, SecretsResolved,
	// SenderUnique, PartnerGranted, TimestampSigned and EndsSoon.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes; -1 until a
	// controller has processed the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// activeSecrets are the names of the secrets that are valid now.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	ActiveSecrets []string `json:"activeSecrets,omitempty"`
	// secrets is the same list as text for kubectl get: "current,next".
	// +optional
	// +kubebuilder:validation:MaxLength=192
	Secrets string `json:"secrets,omitempty"`
	// nextRotation is the next time at which that list changes without an edit.
	// +optional
	NextRotation *metav1.Time `json:"nextRotation,omitempty"`
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

// XJMFSenderList is a list of senders.
//
// +kubebuilder:object:root=true
type XJMFSenderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []XJMFSender `json:"items"`
}
