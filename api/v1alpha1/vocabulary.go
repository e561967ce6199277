// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// CapabilityName names one capability of the marketplace. The set is compiled
// into the binary; a test keeps this list equal to the registry in package
// posture.
//
// +kubebuilder:validation:Enum=estimate;rfq-create;rfq-read;rfq-list;quote-read;quote-accept;order;order-batch;preflight;xjdf;xjdf-costing;xjmf-inbound;webhook-delivery;master-data-bridge
// +kubebuilder:validation:MaxLength=32
type CapabilityName string

// Scope is one permission of an API key. The scopes quotes:ingest, ops:read,
// masterdata:write and organizations:erase belong to the marketplace itself and need
// the package Platform. costing:preview shows internal estimates; do not grant it to a
// partner.
//
// +kubebuilder:validation:Enum="rfq:read";"rfq:write";"quote:read";"preflight:read";"preflight:write";"xjdf:read";"xjdf:validate";"costing:calculate";"costing:preview";"order:read";"order:write";"session:create";"account:read";"webhooks:write";"master_data:read";"devices:read";"quotes:ingest";"ops:read";"masterdata:write";"organizations:erase"
// +kubebuilder:validation:MaxLength=32
type Scope string

// Stage is the stage of a capability's rollout.
//
// +kubebuilder:validation:Enum=Disabled;Sandbox;PrivateBeta;Live
// +kubebuilder:validation:MaxLength=16
type Stage string

const (
	// StageDisabled closes the capability for everyone.
	StageDisabled Stage = "Disabled"
	// StageSandbox opens the capability for test keys of entitled partners.
	StageSandbox Stage = "Sandbox"
	// StagePrivateBeta also opens the capability for live keys of the audience.
	StagePrivateBeta Stage = "PrivateBeta"
	// StageLive opens the capability for every entitled partner.
	StageLive Stage = "Live"
)

// Package is the commercial package of a partner. It grants no access; it only sets
// the default quota (Sandbox 100, Standard 1000, Enterprise 10000 per day and
// capability).
//
// +kubebuilder:validation:Enum=Sandbox;Standard;Enterprise;Platform
// +kubebuilder:validation:MaxLength=16
type Package string

const (
	// PackageSandbox is for partners who are still integrating.
	PackageSandbox Package = "Sandbox"
	// PackageStandard is the usual package.
	PackageStandard Package = "Standard"
	// PackageEnterprise has the largest default quotas.
	PackageEnterprise Package = "Enterprise"
	// PackagePlatform is the package of the marketplace itself: it may have the
	// platform scopes, and no capability.
	PackagePlatform Package = "Platform"
)

// State is the state of a partner or a sender: Active or Suspended.
//
// +kubebuilder:validation:Enum=Active;Suspended
// +kubebuilder:validation:MaxLength=16
type State string

const (
	// StateActive accepts the partner or sender.
	StateActive State = "Active"
	// StateSuspended rejects the partner or sender and keeps its data.
	StateSuspended State = "Suspended"
)

// KeyKind is the kind of an API key; it must equal the kind in the key's own
// prefix (pmk_test_ or pmk_live_).
//
// +kubebuilder:validation:Enum=Test;Live
// +kubebuilder:validation:MaxLength=8
type KeyKind string

const (
	// KeyKindTest is a sandbox key.
	KeyKindTest KeyKind = "Test"
	// KeyKindLive is a production key.
	KeyKindLive KeyKind = "Live"
)

// KeyState is the state of an API key: Active or Revoked.
//
// +kubebuilder:validation:Enum=Active;Revoked
// +kubebuilder:validation:MaxLength=8
type KeyState string

const (
	// KeyStateActive accepts the key until it expires.
	KeyStateActive KeyState = "Active"
	// KeyStateRevoked rejects the key permanently.
	KeyStateRevoked KeyState = "Revoked"
)

// KillSwitchState is the position of a capability's kill switch.
//
// +kubebuilder:validation:Enum=Released;Engaged
// +kubebuilder:validation:MaxLength=16
type KillSwitchState string

const (
	// KillSwitchReleased leaves the decision to the stage.
	KillSwitchReleased KillSwitchState = "Released"
	// KillSwitchEngaged closes the capability for every key at once.
	KillSwitchEngaged KillSwitchState = "Engaged"
)

// SelectorOperator compares one label of a partner.
//
// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
// +kubebuilder:validation:MaxLength=16
type SelectorOperator string

// The operators have the same meaning as in every Kubernetes label selector.
const (
	SelectorIn           SelectorOperator = "In"
	SelectorNotIn        SelectorOperator = "NotIn"
	SelectorExists       SelectorOperator = "Exists"
	SelectorDoesNotExist SelectorOperator = "DoesNotExist"
)

// Opening is the access of a partner to a capability: Open, TestOnly or Closed.
//
// +kubebuilder:validation:Enum=Open;TestOnly;Closed
// +kubebuilder:validation:MaxLength=8
type Opening string

const (
	// Open means that a live key of the partner can use the capability.
	Open Opening = "Open"
	// TestOnly means that a test key of the partner can use the capability, and no live key.
	TestOnly Opening = "TestOnly"
	// Closed means that no key of the partner can use the capability.
	Closed Opening = "Closed"
)

// Surface is a part of the API with its own rate limit.
//
// +kubebuilder:validation:Enum=partner;preflight;xjdf;xjmf;bridge
type Surface string

// The surfaces.
const (
	SurfacePartner   Surface = "partner"
	SurfacePreflight Surface = "preflight"
	SurfaceXJDF      Surface = "xjdf"
	SurfaceXJMF      Surface = "xjmf"
	SurfaceBridge    Surface = "bridge"
)

// WebhookEvent is the type of an event that webhooks can receive.
//
// +kubebuilder:validation:Enum=rfq.created;rfq.quoted;rfq.closed;rfq.expired;rfq.cancelled;quote.superseded;quote.withdrawn;quote.expired;preflight.succeeded;preflight.failed;preflight.cancelled
// +kubebuilder:validation:MaxLength=32
type WebhookEvent string
