// SPDX-License-Identifier: Apache-2.0

// Package controllers writes the status of the custom resources and keeps the
// Secrets from which API servers and webhook workers read shared secrets.
//
// The gates of the API servers do not depend on this package: every API server
// compiles the same objects itself. The leading controller runs
//
//   - the compiler, which compiles all objects at once after a change and at the
//     next transition of any schedule;
//   - the gate Secret reconcilers, which the compiler calls: one Secret holds the
//     shared secrets of XJMF senders, the other those of webhooks;
//   - the propagation tracker, which probes every serving API server and webhook
//     worker for the versions that it enforces;
//   - the claims reconciler, which records what must outlive a deleted object: the
//     name of the object of each organization, and the last stage of each capability;
//   - [AnalysisReconciler], which measures rollouts in Prometheus and decides whether they go on;
//   - [CapabilityRolloutReconciler], [PartnerEntitlementReconciler] and
//     [XJMFSenderReconciler], which write the status of one object each.
//
// The status tracker connects them. The compiler and the propagation tracker
// store their results there, and the status tracker triggers the reconciler of
// each object whose status changes by them.
//
// [Setup] adds everything to a manager.
package controllers

// These markers grant the rights that all reconcilers share. The namespace is that of the Role in
// config/rbac.
//
// +kubebuilder:rbac:namespace=printmarket,groups="",resources=secrets,verbs=get;list;watch;create
// +kubebuilder:rbac:namespace=printmarket,groups="",resources=secrets,resourceNames=printmarket-gate-api;printmarket-gate-webhooks,verbs=patch
// +kubebuilder:rbac:namespace=printmarket,groups=coordination.k8s.io,resources=leases,verbs=create
// +kubebuilder:rbac:namespace=printmarket,groups=coordination.k8s.io,resources=leases,resourceNames=printmarket-controller,verbs=get;update
// +kubebuilder:rbac:namespace=printmarket,groups="";events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:namespace=printmarket,groups=discovery.k8s.io,resources=endpointslices,verbs=get;list;watch
