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
	profiles
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
	// unread is set if the source does not need the kind, and its role may not read it.
	unread bool
}

// kindTable returns the kinds. The role's resourceNames authorize a list or watch
// that selects one Secret by its name, like a read of this Secret.
func kindTable(config *Config) [kindCount]kind {
	custom := func(name, resource string, newList func() runtime.Object) kind {
		return kind{name: name, resource: v1alpha1.GroupVersion.WithResource(resource), api: "/apis", newList: newList}
	}
	table := [kindCount]kind{
		rollouts: custom(v1alpha1.KindCapabilityRollout, "capabilityrollouts",
			func() runtime.Object { return &v1alpha1.CapabilityRolloutList{} }),
		partners: custom(v1alpha1.KindPartnerEntitlement, "partnerentitlements",
			func() runtime.Object { return &v1alpha1.PartnerEntitlementList{} }),
		senders: custom(v1alpha1.KindXJMFSender, "xjmfsenders",
			func() runtime.Object { return &v1alpha1.XJMFSenderList{} }),
		profiles: custom(v1alpha1.KindPreflightProfile, "preflightprofiles",
			func() runtime.Object { return &v1alpha1.PreflightProfileList{} }),
		secrets: {
			name: posture.KindSecret, resource: corev1.SchemeGroupVersion.WithResource("secrets"), api: "/api",
			newList: func() runtime.Object { return &corev1.SecretList{} }, only: config.GateSecret,
		},
	}
	for i := range table {
		table[i].unread = config.ProfilesOnly && i != profiles
	}
	if config.Purpose == posture.ForWebhooks {
		table[profiles].unread = true
	}
	return table
}
