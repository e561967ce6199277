// SPDX-License-Identifier: Apache-2.0

// Package controllers tells operators what their custom resources come to, and
// hands the API server and the workers for webhooks the one thing that they must
// not read themselves.
//
// The gates of the API server do not depend on anything here: each replica
// compiles the same objects by itself. The leader of the controllers
//
//   - compiles them too, all at once, after any change and whenever the clock
//     passes a transition (world), and keeps what the compilation says of each
//     object (board);
//   - keeps two gate Secrets: the shared secrets that senders refer to, and those
//     that webhooks refer to, each with a heartbeat (gateSecret);
//   - asks every serving replica what it has compiled (prober), so that Ready
//     means that a change is in force and not that it was noted;
//   - writes each object's status by server-side apply, only when it differs
//     (statuses, one for each kind).
//
// [Setup] puts them into a manager.
package controllers

// The namespace of these markers is that of the Role in config/rbac.
//
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=capabilityrollouts;partnerentitlements;xjmfsenders,verbs=get;list;watch
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=capabilityrollouts/status;partnerentitlements/status;xjmfsenders/status,verbs=patch
// +kubebuilder:rbac:namespace=printmarket,groups="",resources=secrets,verbs=get;list;watch;create
// +kubebuilder:rbac:namespace=printmarket,groups="",resources=secrets,resourceNames=printmarket-gate-api;printmarket-gate-webhooks,verbs=patch
// +kubebuilder:rbac:namespace=printmarket,groups=coordination.k8s.io,resources=leases,verbs=create
// +kubebuilder:rbac:namespace=printmarket,groups=coordination.k8s.io,resources=leases,resourceNames=printmarket-controller,verbs=get;update
// +kubebuilder:rbac:namespace=printmarket,groups="";events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:namespace=printmarket,groups=discovery.k8s.io,resources=endpointslices,verbs=get;list;watch
