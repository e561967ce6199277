// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SharedSecret is one shared secret with its time.
//
// +kubebuilder:validation:XValidation:rule="!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter",message="notBefore must be before notAfter",fieldPath=".notAfter"
type SharedSecret struct {
	// name tells the secrets of a sender or of a webhook apart.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// secretRef is where the value is.
	// +required
	SecretRef SecretKeyReference `json:"secretRef"`
	// notBefore is the first instant at which the secret counts, such as
	// 2027-01-01T00:00:00Z.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// notAfter is the first instant at which it no longer counts, such as
	// 2027-02-01T00:00:00Z.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

// PlatformSecretPrefix starts the names of the platform's own Secrets: those of its
// database, of Redis, and the gate Secrets. Senders and webhooks cannot refer to them;
// otherwise a user who may create senders or webhooks could read Secrets through the
// controller.
const PlatformSecretPrefix = "printmarket-"

// SecretKeyReference points at one key of a Secret in the same namespace.
//
// +kubebuilder:validation:XValidation:rule="!self.name.startsWith('printmarket-')",message="Secrets whose names begin with printmarket- are the platform's own: put the value into another one",fieldPath=".name"
type SecretKeyReference struct {
	// name is the name of the Secret, which is of type Opaque and does not begin
	// with printmarket-.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// key is the key in the Secret's data.
	// +required
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}
