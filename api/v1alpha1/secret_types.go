// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SharedSecret is one shared secret with its period of validity.
//
// +kubebuilder:validation:XValidation:rule="!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter",message="notBefore must be before notAfter",fieldPath=".notAfter"
type SharedSecret struct {
	// name identifies the secret within the sender or webhook.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// secretRef refers to the Secret that holds the value.
	// +required
	SecretRef SecretKeyReference `json:"secretRef"`
	// notBefore is the first instant at which the secret is valid, such as
	// 2027-01-01T00:00:00Z.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// notAfter is the first instant at which the secret is no longer valid, such as
	// 2027-02-01T00:00:00Z.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

// PlatformSecretPrefix starts the names of the platform's own Secrets: those of its
// database, of Redis, and the gate Secrets. Senders and webhooks cannot refer to them;
// otherwise a user who may create senders or webhooks could read Secrets through the
// controller.
const PlatformSecretPrefix = "printmarket-"

// SecretKeyReference refers to one key of a Secret in the same namespace.
//
// +kubebuilder:validation:XValidation:rule="!self.name.startsWith('printmarket-')",message="Secrets whose names begin with printmarket- are reserved for the platform: put the value into another Secret",fieldPath=".name"
type SecretKeyReference struct {
	// name is the name of a Secret of type Opaque. It must not begin with
	// printmarket-.
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
