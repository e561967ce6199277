// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 defines the custom resources with which platform operators
// declare the access of partners to the capabilities of the marketplace.
//
//   - A [PartnerEntitlement] is one partner: its organization, contract, API
//     keys, scopes and granted capabilities.
//   - A [CapabilityRollout] is one capability: its stage, audience, schedule
//     and kill switch.
//   - An [XJMFSender] is one machine that may send XJMF callbacks.
//   - A [PreflightProfile] is a custom profile of preflight.
//
// The gates of the API server are compiled from these four kinds only; without an
// object all capabilities are closed.
//
// +kubebuilder:object:generate=true
// +groupName=marketplace.printmarket.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of every kind in this package.
const GroupName = "marketplace.printmarket.dev"

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

// The kinds of this package.
const (
	KindPartnerEntitlement = "PartnerEntitlement"
	KindXJMFSender         = "XJMFSender"
	KindCapabilityRollout  = "CapabilityRollout"
	KindPreflightProfile   = "PreflightProfile"
)

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&PartnerEntitlement{}, &PartnerEntitlementList{},
		&XJMFSender{}, &XJMFSenderList{},
		&CapabilityRollout{}, &CapabilityRolloutList{},
		&PreflightProfile{}, &PreflightProfileList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
