// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// The followed kinds, as indexes of the arrays of a source.
const (
	rollouts = iota
	partners
	senders
	secrets
	kindCount
)

// object is an object of any of the kinds.
type object interface {
	runtime.Object
	metav1.Object
}

// kind describes how to read one of the kinds.
type kind struct {
	// name is the kind's key in a watermark.
	name     string
	resource schema.GroupVersionResource
	// api is the path prefix before the API group.
	api     string
	newList func() runtime.Object
	// only is the name of the single object that is read; empty for all objects.
	only string
}

// kindTable returns the four kinds. The role's resourceNames authorize a list or watch
// that selects one Secret by its name, like a read of this Secret.
func kindTable(gateSecret string) [kindCount]kind {
	custom := func(name, resource string, newList func() runtime.Object) kind {
		return kind{name: name, resource: v1alpha1.GroupVersion.WithResource(resource), api: "/apis", newList: newList}
	}
	return [kindCount]kind{
		rollouts: custom(v1alpha1.KindCapabilityRollout, "capabilityrollouts",
			func() runtime.Object { return &v1alpha1.CapabilityRolloutList{} }),
		partners: custom(v1alpha1.KindPartnerEntitlement, "partnerentitlements",
			func() runtime.Object { return &v1alpha1.PartnerEntitlementList{} }),
		senders: custom(v1alpha1.KindXJMFSender, "xjmfsenders",
			func() runtime.Object { return &v1alpha1.XJMFSenderList{} }),
		secrets: {
			name: posture.KindSecret, resource: corev1.SchemeGroupVersion.WithResource("secrets"), api: "/api",
			newList: func() runtime.Object { return &corev1.SecretList{} }, only: gateSecret,
		},
	}
}
