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

// What a source follows, as indexes of its arrays.
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

// kind is how one of them is read.
type kind struct {
	// name is the kind's key in a watermark.
	name     string
	resource schema.GroupVersionResource
	// api is the path in front of the group.
	api     string
	newList func() runtime.Object
	// only is the name of the one object that is read; empty for all.
	only string
}

// kindTable is the four kinds. A list or watch that selects one Secret by its
// name is authorised by the role's resourceNames, as reading it is.
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
