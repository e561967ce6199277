// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PartnerEntitlement is one partner of the marketplace: its organization, contract,
// API keys, scopes and granted capabilities. Everything that is not listed is
// denied. Deleting the object ends all access of the partner at once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=partner,categories=printmarket
// +kubebuilder:selectablefield:JSONPath=".spec.organizationID"
// +kubebuilder:printcolumn:name="Organization",type=string,JSONPath=".spec.organizationID"
// +kubebuilder:printcolumn:name="Package",type=string,JSONPath=".spec.package"
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=".spec.state"
// +kubebuilder:printcolumn:name="Open",type=string,JSONPath=".status.open"
// +kubebuilder:printcolumn:name="Keys",type=string,JSONPath=".status.keys"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=".status.nextTransition",priority=1
// +kubebuilder:printcolumn:name="Contract-Until",type=string,JSONPath=".spec.contract.effectiveUntil",priority=1
// +kubebuilder:validation:XValidation:rule="!has(self.spec.keys) || !has(self.status) || !has(self.status.revokedKeys) || self.spec.keys.all(k, k.state == 'Revoked' || !(k.sha256 in self.status.revokedKeys))",message="a key with this sha256 was revoked for good, as status.revokedKeys records: issue a new key",fieldPath=".spec.keys"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec.keys) || oldSelf.spec.keys.all(k, k.state != 'Revoked' || has(self.spec.keys) && self.spec.keys.exists(n, n.sha256 == k.sha256 && (n.state == 'Revoked' || n.name == k.name)) || has(self.status) && has(self.status.revokedKeys) && k.sha256 in self.status.revokedKeys)",message="status.revokedKeys does not contain the revoked key yet: keep its entry with the state Revoked and wait until the controller has recorded the revocation",fieldPath=".spec.keys"
type PartnerEntitlement struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata. The audience selector of a
	// CapabilityRollout matches the labels.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec is the desired access of the partner.
	// +required
	Spec PartnerEntitlementSpec `json:"spec"`
	// status is the current access of the partner, and the reasons for it.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PartnerEntitlementStatus `json:"status,omitzero"`
}

// PartnerEntitlementSpec is the desired access of one partner.
//
// +kubebuilder:validation:XValidation:rule="self.state != 'Active' || has(self.contract)",message="an Active partner needs a contract",fieldPath=".contract"
// +kubebuilder:validation:XValidation:rule="self.__package__ != 'Platform' || !has(self.capabilities) || size(self.capabilities) == 0",message="the package Platform must not have capabilities: remove them or choose another package",fieldPath=".capabilities"
// +kubebuilder:validation:XValidation:rule="self.__package__ == 'Platform' || !has(self.scopes) || self.scopes.all(s, !(s in ['quotes:ingest', 'ops:read', 'masterdata:write', 'organizations:erase']))",message="quotes:ingest, ops:read, masterdata:write and organizations:erase need the package Platform",fieldPath=".scopes"
// +kubebuilder:validation:XValidation:rule="!has(self.keys) || self.keys.all(k, self.keys.exists_one(j, j.sha256 == k.sha256))",message="two keys have the same sha256: remove one of them",fieldPath=".keys"
// +kubebuilder:validation:XValidation:rule="!has(self.clientCertificates) || self.clientCertificates.all(c, self.clientCertificates.exists_one(d, d.spkiSHA256 == c.spkiSHA256))",message="two client certificates have the same spkiSHA256: remove one of them",fieldPath=".clientCertificates"
// +kubebuilder:validation:XValidation:rule="self.__package__ != 'Platform' || !has(self.webhooks) || size(self.webhooks) == 0",message="the package Platform receives no events: remove the webhooks or choose another package",fieldPath=".webhooks"
type PartnerEntitlementSpec struct {
	// organizationID is the organization that owns every record of this partner, such
	// as org_acme01. It is immutable. If two objects have the same organization, the
	// older object is in force and the newer one is closed.
	// +required
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self.matches('^org_[A-Za-z0-9]{6,32}$')",message="not an organization: org_ and 6 to 32 letters and digits, such as org_acme01"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="organizationID is immutable: create another object for another organization"
	OrganizationID string `json:"organizationID"`
	// displayName is the name of the partner in user interfaces.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	DisplayName string `json:"displayName,omitempty"`
	// package is the commercial package. It sets the default quotas and grants no
	// access: capabilities lists every capability.
	// +required
	Package Package `json:"package"`
	// state is Active or Suspended; a Suspended partner is rejected with 403 and keeps
	// its records and keys.
	// +required
	State State `json:"state"`
	// stateReason explains why the partner is Suspended; it has no effect while the partner is
	// Active.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	StateReason string `json:"stateReason,omitempty"`
	// contract is the contract with the partner; before its start and after its end
	// the partner is rejected with 403.
	// +optional
	Contract *Contract `json:"contract,omitempty"`
	// capabilities are the granted capabilities.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Capabilities []CapabilityGrant `json:"capabilities,omitempty"`
	// rateLimits limit the requests to one surface each. A surface that is absent has
	// the default limit of the package. Requests that a gate rejects are not counted.
	// +optional
	// +listType=map
	// +listMapKey=surface
	// +kubebuilder:validation:MaxItems=5
	RateLimits []RateLimit `json:"rateLimits,omitempty"`
	// scopes are the permissions that the keys of the partner can have.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, x == y))",message="a scope occurs twice: remove one entry"
	// +kubebuilder:validation:MaxItems=32
	Scopes []Scope `json:"scopes,omitempty"`
	// keys are the API keys of the partner, by digest; the key itself is never
	// stored.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Keys []APIKey `json:"keys,omitempty"`
	// clientCertificates are the client certificates of the partner, by their public
	// keys. The listener for mutual TLS accepts the partner's API keys only together
	// with one of these certificates. Two certificates allow a rotation; removing a
	// certificate ends its use at once.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	ClientCertificates []ClientCertificate `json:"clientCertificates,omitempty"`
	// requireClientCertificate rejects the API keys of the partner with 401 on every
	// connection that does not present one of clientCertificates; if that list is
	// empty, on every connection.
	// +optional
	RequireClientCertificate bool `json:"requireClientCertificate,omitempty"`
	// webhooks are the HTTP endpoints of the partner that receive events. They need
	// the capability webhook-delivery: while it is closed for the partner, events
	// wait.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Webhooks []Webhook `json:"webhooks,omitempty"`
}

// URLs are validated by rules instead of a pattern, as digests are: the error of a
// pattern repeats the value, which may contain a password.

// Webhook is an endpoint of the partner that receives events by POST.
//
// +kubebuilder:validation:XValidation:rule="isURL(self.url) && url(self.url).getScheme() in ['https', 'http'] && size(url(self.url).getHostname()) > 0",message="not an absolute URL: begin with https:// and the host, without spaces",fieldPath=".url"
// +kubebuilder:validation:XValidation:rule="!self.url.contains('#')",message="a webhook URL has no fragment, because a fragment never reaches the server: remove # and the text after it",fieldPath=".url"
// +kubebuilder:validation:XValidation:rule="!self.url.matches('^[^/?#]*//[^/?#]*@')",message="a webhook URL has no user and no password, because a signature authenticates each event: remove the text before the host",fieldPath=".url"
type Webhook struct {
	// name identifies the webhook within the partner. A different name makes a
	// different webhook: events that wait for the former name are not sent to it.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// kind selects the events: events of records that were created with Test keys, or
	// with Live keys.
	// +required
	Kind KeyKind `json:"kind"`
	// url is the address to which events are posted, such as
	// https://mis.acme.example/events. The scheme is https, or http if the platform
	// allows the address. Redirects are not followed.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
	// events are the event types that the webhook receives; absent or empty means all.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, x == y))",message="an event occurs twice: remove one entry"
	// +kubebuilder:validation:MaxItems=32
	Events []WebhookEvent `json:"events,omitempty"`
	// secrets sign the requests: each is whsec_ followed by the standard base64 of 24
	// to 64 random bytes. While two secrets are valid, each request is signed with
	// both, which allows a rotation without a gap.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Secrets []SharedSecret `json:"secrets"`
}

// ClientCertificate is a client certificate, by its public key. Its issuer does not
// matter. A certificate does not authenticate the partner; it limits the
// connections on which the partner's API keys are accepted.
type ClientCertificate struct {
	// name identifies the certificate within the partner.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// spkiSHA256 is the SHA-256 of the certificate's SubjectPublicKeyInfo in 64
	// lower-case hexadecimal digits, as openssl x509 -in CERTIFICATE -noout -pubkey |
	// openssl pkey -pubin -outform DER | sha256sum prints it. It stays the same if the
	// certificate is renewed with the same key.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	// +kubebuilder:validation:MaxLength=64
	SPKISHA256 string `json:"spkiSHA256"`
	// notAfter is the first instant at which the certificate is no longer accepted,
	// such as 2027-01-01T00:00:00Z; absent means that it is accepted as long as it is
	// valid.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

// Contract is the contract with a partner.
//
// +kubebuilder:validation:XValidation:rule="!has(self.effectiveUntil) || self.effectiveFrom < self.effectiveUntil",message="effectiveFrom must be before effectiveUntil",fieldPath=".effectiveUntil"
type Contract struct {
	// reference is the number of the contract in your own records.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Reference string `json:"reference"`
	// effectiveFrom is the first instant at which the contract is in force, such
	// as 2027-01-01T00:00:00Z.
	// +required
	EffectiveFrom metav1.Time `json:"effectiveFrom"`
	// effectiveUntil is the first instant at which the contract is no longer in force,
	// such as 2028-01-01T00:00:00Z; absent means no end.
	// +optional
	EffectiveUntil *metav1.Time `json:"effectiveUntil,omitempty"`
}

// CapabilityGrant grants one capability.
//
// +kubebuilder:validation:XValidation:rule="!has(self.workers) || self.name == 'preflight'",message="workers is allowed only with the capability preflight: remove it",fieldPath=".workers"
// +kubebuilder:validation:XValidation:rule="!has(self.profiles) || self.name == 'preflight'",message="profiles is allowed only with the capability preflight: remove it",fieldPath=".profiles"
// +kubebuilder:validation:XValidation:rule="!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter",message="notBefore must be before notAfter",fieldPath=".notAfter"
// +kubebuilder:validation:XValidation:rule="!has(self.stage) || self.stage != 'Disabled'",message="a grant cannot have the stage Disabled: remove the grant",fieldPath=".stage"
// +kubebuilder:validation:XValidation:rule="!has(self.stage) || !(self.name in ['estimate', 'quote-accept', 'order', 'order-batch']) && (self.stage != 'Live' || !(self.name in ['xjdf', 'xjdf-costing', 'xjmf-inbound', 'webhook-delivery', 'master-data-bridge']))",message="the stage is above the highest stage that this version implements for the capability: lower it or remove it",fieldPath=".stage"
type CapabilityGrant struct {
	// name is the capability.
	// +required
	Name CapabilityName `json:"name"`
	// notBefore is the first instant at which the grant is in force, such as
	// 2027-01-01T00:00:00Z; absent means that it has no start. A grant that is not in
	// force grants nothing.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
	// notAfter is the first instant at which the grant is no longer in force, such as
	// 2027-02-01T00:00:00Z; absent means that it has no end.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
	// stage replaces the stage of the rollout for this partner: Sandbox admits its test
	// keys only, PrivateBeta and Live admit its live keys, too. A closed rollout stays
	// closed, and its audience and ramp apply. Absent means the stage of the rollout.
	// +optional
	Stage Stage `json:"stage,omitempty"`
	// quota limits the number of records that the partner may create: RFQs with
	// rfq-create, jobs with preflight. Absent means the default of the package, never
	// unlimited. A quota of another capability has no effect.
	// +optional
	Quota *Quota `json:"quota,omitempty"`
	// workers is the partner's share of the preflight workers while other partners
	// have waiting jobs; other partners get any unused share. Absent means a weight of
	// 10 and the default limit on concurrent jobs.
	// +optional
	Workers *WorkerShare `json:"workers,omitempty"`
	// profiles are the names of the PreflightProfiles in the same namespace that the partner
	// can use, besides the built-in profiles, which every partner with the capability can
	// use. A name without a valid PreflightProfile closes only this profile.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Profiles []string `json:"profiles,omitempty"`
}

// WorkerShare is a share of the preflight workers. Test and live keys are two
// tenants, each with this share.
type WorkerShare struct {
	// weight is the partner's share of worker time in proportion to the weights of the
	// other waiting partners: 20 gets twice as much as 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight,omitempty"`
	// maxInFlight is the maximum number of the partner's jobs that run at once, even
	// if workers are idle; 0 means half of what the workers run with live keys, and a
	// quarter with test keys.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MaxInFlight int32 `json:"maxInFlight,omitempty"`
}

// Quota is the maximum number of created records in a time window. Test and live
// keys are counted separately.
type Quota struct {
	// limit is the maximum number of created records in one window; 0 allows none.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Limit int64 `json:"limit"`
	// windowSeconds is the length of a window in seconds: a day by default, and at
	// most 31 days. Windows begin at multiples of their length since
	// 1970-01-01T00:00:00Z; a window of a day begins at midnight UTC.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2678400
	WindowSeconds int32 `json:"windowSeconds,omitempty"`
}

// RateLimit is the maximum number of requests in any time window. Test and live
// keys are counted separately.
type RateLimit struct {
	// surface is the limited surface: partner (RFQs, quotes and the catalog),
	// preflight, xjdf (with costing), xjmf (callbacks) or bridge.
	// +required
	Surface Surface `json:"surface"`
	// requests is the maximum number of requests in any window, which may arrive all
	// at once; 0 allows none.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	Requests int64 `json:"requests"`
	// windowSeconds is the length of a window in seconds, 10 by default and at most an
	// hour.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	WindowSeconds int32 `json:"windowSeconds,omitempty"`
}

// Digests are validated by a rule of the whole key instead of a pattern: the error
// of a pattern repeats the value, which would print a key that was entered instead
// of its digest to terminals and logs. This comment is not part of the schema.

// APIKey is one API key, by digest.
//
// +kubebuilder:validation:XValidation:rule="self.sha256.matches('^[0-9a-f]{64}$')",message="not a SHA-256 in 64 lower-case hexadecimal digits: enter the output of printf %s \"$KEY\" | sha256sum, never the key",fieldPath=".sha256"
// +kubebuilder:validation:XValidation:rule="self.kind == oldSelf.kind && self.sha256 == oldSelf.sha256",message="kind and sha256 of a key are immutable: add a key with another name",fieldPath=".sha256"
// +kubebuilder:validation:XValidation:rule="oldSelf.state != 'Revoked' || self.state == 'Revoked'",message="a revoked key stays revoked: add a key with another name",fieldPath=".state"
type APIKey struct {
	// name identifies the key within the partner, in logs and in the dashboard.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// kind is the kind of the key and must match its prefix: pmk_test_ is Test,
	// pmk_live_ is Live. A key with another prefix is rejected.
	// +required
	Kind KeyKind `json:"kind"`
	// sha256 is the SHA-256 of the whole key text in 64 lower-case hexadecimal digits,
	// as printf %s "$KEY" | sha256sum prints it. A key in plain text is invalid here.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// state is Active by default; Revoked rejects the key at once and permanently.
	// +optional
	// +kubebuilder:default=Active
	State KeyState `json:"state,omitempty"`
	// stateReason explains why the key is Revoked; it has no effect while the key is
	// Active.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	StateReason string `json:"stateReason,omitempty"`
	// expiresAt is the first instant at which the key is rejected, such as
	// 2027-01-01T00:00:00Z; absent means never, which KeysComplete reports.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// scopes lists the permissions of the key. The key has those that the partner also
	// has. If absent or empty, the key has none, and its requests get 403.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, x == y))",message="a scope occurs twice: remove one entry"
	// +kubebuilder:validation:MaxItems=32
	Scopes []Scope `json:"scopes,omitzero"`
}

// PartnerEntitlementStatus is the current access of one partner.
type PartnerEntitlementStatus struct {
	// conditions are Ready, Reconciling, Stalled, Propagated, ContractEffective,
	// KeysUnique, KeysComplete and EndsSoon. Partners with client certificates also have
	// CertificatesPinned, partners with webhooks WebhooksReady, and partners with profiles
	// ProfilesResolved.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes; -1 until a
	// controller has processed the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// open counts the capabilities that live keys can use out of the granted ones: "3/9".
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Open string `json:"open,omitempty"`
	// keys counts the accepted keys: "2 live, 1 test".
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Keys string `json:"keys,omitempty"`
	// openCapabilities is the number of open capabilities, as in open.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OpenCapabilities int32 `json:"openCapabilities"`
	// grantedCapabilities is the number of granted capabilities, as in open.
	// +optional
	// +kubebuilder:validation:Minimum=0
	GrantedCapabilities int32 `json:"grantedCapabilities"`
	// liveKeys is the number of accepted live keys, as in keys.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LiveKeys int32 `json:"liveKeys"`
	// testKeys is the number of accepted test keys, as in keys.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TestKeys int32 `json:"testKeys"`
	// capabilities is the current access to each granted capability.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Capabilities []CapabilityPosture `json:"capabilities,omitempty"`
	// revokedKeys are the sha256 of all keys that were ever Revoked. A key stays revoked
	// after its entry is removed from spec.keys: an entry with one of these digests must
	// have the state Revoked.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:Pattern=`^[0-9a-f]{64}$`
	// +kubebuilder:validation:items:MaxLength=64
	RevokedKeys []string `json:"revokedKeys,omitempty"`
	// nextTransition is the next time at which something opens or closes without an edit.
	// +optional
	NextTransition *metav1.Time `json:"nextTransition,omitempty"`
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

// MaxRevokedKeys is the maximum length of status.revokedKeys.
const MaxRevokedKeys = 512

// CapabilityPosture is the access of one partner to one capability.
type CapabilityPosture struct {
	// name is the capability.
	// +required
	Name CapabilityName `json:"name"`
	// posture is Open if a live key of the partner can use the capability: the gates decide so,
	// and an accepted key has the scopes of the requests that write. It is TestOnly if a test
	// key can, and no live key. Callbacks need an active sender instead of a key, and the
	// delivery of webhooks needs a webhook.
	// +required
	Posture Opening `json:"posture"`
	// reason is the reason why no live key can use the capability; empty if one can.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// keyKinds are the kinds of keys that can use the capability.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2
	KeyKinds []KeyKind `json:"keyKinds,omitempty"`
}

// PartnerEntitlementList is a list of partners.
//
// +kubebuilder:object:root=true
type PartnerEntitlementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []PartnerEntitlement `json:"items"`
}
