// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PartnerEntitlement is one partner of the marketplace: its organization,
// contract, API keys, scopes and the capabilities that it is granted. What is
// not listed is denied. Deleting the object closes everything for the partner
// at once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=partner,categories=printmarket
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
type PartnerEntitlement struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata. Labels are what the audience
	// selector of a CapabilityRollout matches.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec is what the partner may do.
	// +required
	Spec PartnerEntitlementSpec `json:"spec"`
	// status is what the partner can do right now, and why.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PartnerEntitlementStatus `json:"status,omitzero"`
}

// PartnerEntitlementSpec is what one partner may do.
//
// +kubebuilder:validation:XValidation:rule="self.state != 'Active' || has(self.contract)",message="an Active partner needs a contract",fieldPath=".contract"
// +kubebuilder:validation:XValidation:rule="self.package != 'Platform' || !has(self.capabilities) || size(self.capabilities) == 0",message="the package Platform holds no partner capability: remove them or choose another package",fieldPath=".capabilities"
// +kubebuilder:validation:XValidation:rule="self.package == 'Platform' || !has(self.scopes) || self.scopes.all(s, !(s in ['quotes:ingest', 'ops:read', 'masterdata:write']))",message="quotes:ingest, ops:read and masterdata:write need the package Platform",fieldPath=".scopes"
// +kubebuilder:validation:XValidation:rule="!has(self.keys) || self.keys.all(k, self.keys.exists_one(j, j.sha256 == k.sha256))",message="two keys have the same sha256: remove one of them",fieldPath=".keys"
// +kubebuilder:validation:XValidation:rule="!has(self.clientCertificates) || self.clientCertificates.all(c, self.clientCertificates.exists_one(d, d.spkiSHA256 == c.spkiSHA256))",message="two client certificates have the same spkiSHA256: remove one of them",fieldPath=".clientCertificates"
// +kubebuilder:validation:XValidation:rule="self.package != 'Platform' || !has(self.webhooks) || size(self.webhooks) == 0",message="the package Platform gets no events: remove the webhooks or choose another package",fieldPath=".webhooks"
type PartnerEntitlementSpec struct {
	// organizationID is the organization that owns every record of this
	// partner, such as org_acme01. It never changes. If two objects name the
	// same organization the older one counts and the other is closed.
	// +required
	// +kubebuilder:validation:Pattern=`^org_[A-Za-z0-9]{6,32}$`
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="organizationID never changes: make another object for another organization"
	OrganizationID string `json:"organizationID"`
	// displayName is the name of the partner for humans.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	DisplayName string `json:"displayName,omitempty"`
	// package is the commercial package. It grants nothing: every capability
	// is listed in capabilities. It chooses the default quotas.
	// +required
	Package Package `json:"package"`
	// state Suspended refuses the partner with 403 while its records and keys
	// stay as they are.
	// +required
	State State `json:"state"`
	// contract is the paper behind the partnership; outside of its time the
	// partner is refused with 403.
	// +optional
	Contract *Contract `json:"contract,omitempty"`
	// capabilities are the capabilities that the partner is granted.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Capabilities []CapabilityGrant `json:"capabilities,omitempty"`
	// rateLimits bound the requests to one part of the interface each. A surface
	// that is absent has the default of the package, never none. What a gate
	// refuses is not counted.
	// +optional
	// +listType=map
	// +listMapKey=surface
	// +kubebuilder:validation:MaxItems=4
	RateLimits []RateLimit `json:"rateLimits,omitempty"`
	// scopes are the permissions that the keys of the partner may have.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Scopes []Scope `json:"scopes,omitempty"`
	// keys are the API keys of the partner, by digest; the key itself is never
	// stored.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Keys []APIKey `json:"keys,omitempty"`
	// clientCertificates are the client certificates of the partner, by their
	// public keys. On the listener for mutual TLS its API keys are accepted
	// together with one of these alone. Two let the partner change from one to
	// the other; removing one ends its use at once.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	ClientCertificates []ClientCertificate `json:"clientCertificates,omitempty"`
	// requireClientCertificate true refuses the API keys of the partner on every
	// connection without one of clientCertificates, with 401; if there is none,
	// everywhere.
	// +optional
	RequireClientCertificate bool `json:"requireClientCertificate,omitempty"`
	// webhooks are where the partner gets events, by HTTP. They need the
	// capability webhook-delivery: while it is closed for the partner events wait.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Webhooks []Webhook `json:"webhooks,omitempty"`
}

// The form of a URL is rules and no pattern, as that of a digest is: the refusal of
// a pattern repeats the value, and somebody may have put a password into it.

// Webhook is an endpoint of the partner, to which events are posted.
//
// +kubebuilder:validation:XValidation:rule="isURL(self.url) && url(self.url).getScheme() in ['https', 'http'] && size(url(self.url).getHostname()) > 0",message="not an absolute URL: begin with https:// and the host, without spaces",fieldPath=".url"
// +kubebuilder:validation:XValidation:rule="!self.url.contains('#')",message="a URL without a fragment: it never reaches the server, remove # and what follows",fieldPath=".url"
// +kubebuilder:validation:XValidation:rule="!self.url.matches('^[^/?#]*//[^/?#]*@')",message="a URL without a user or a password: what we send is authenticated by its signature",fieldPath=".url"
type Webhook struct {
	// name tells the webhooks of the partner apart. Another name is another
	// webhook: what waits for the former one is not sent to it.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// kind is whose events it gets: those of records that were made with Test
	// keys, or with Live keys.
	// +required
	Kind KeyKind `json:"kind"`
	// url is where events are posted, such as https://mis.acme.example/events:
	// https, or http where the platform allows the address. Redirects are not
	// followed.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	URL string `json:"url"`
	// events are the types that it gets; absent or empty means all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Events []WebhookEvent `json:"events,omitempty"`
	// secrets sign what is sent: whsec_ and the standard base64 of 24 to 64
	// random bytes. While two count each request is signed with both, which makes
	// a rotation without a gap.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Secrets []SharedSecret `json:"secrets"`
}

// ClientCertificate is a client certificate, by its public key. Who issued it
// has no meaning. It authenticates nobody: an API key does, and this says by
// which connections the key may come.
type ClientCertificate struct {
	// name tells the certificates of a partner apart.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// spkiSHA256 is the SHA-256 of the certificate's SubjectPublicKeyInfo in 64
	// lower-case hexadecimal digits, as openssl x509 -in CERTIFICATE -noout
	// -pubkey | openssl pkey -pubin -outform DER | sha256sum prints it. A
	// certificate that is renewed with the same key keeps it.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	// +kubebuilder:validation:MaxLength=64
	SPKISHA256 string `json:"spkiSHA256"`
	// notAfter is the first instant at which it no longer counts, such as
	// 2027-01-01T00:00:00Z; absent means as long as the certificate is valid.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

// Contract is the paper behind a partnership.
//
// +kubebuilder:validation:XValidation:rule="!has(self.effectiveUntil) || self.effectiveFrom < self.effectiveUntil",message="effectiveFrom must be before effectiveUntil",fieldPath=".effectiveUntil"
type Contract struct {
	// reference is the number of the contract in your own files.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Reference string `json:"reference"`
	// effectiveFrom is the first instant at which the contract is in force, such
	// as 2027-01-01T00:00:00Z.
	// +required
	EffectiveFrom metav1.Time `json:"effectiveFrom"`
	// effectiveUntil is the first instant at which it is no longer in force,
	// such as 2028-01-01T00:00:00Z; absent means until further notice.
	// +optional
	EffectiveUntil *metav1.Time `json:"effectiveUntil,omitempty"`
}

// CapabilityGrant grants one capability.
//
// +kubebuilder:validation:XValidation:rule="!has(self.workers) || self.name == 'preflight'",message="workers goes with the capability preflight alone: the others need none",fieldPath=".workers"
type CapabilityGrant struct {
	// name is the capability.
	// +required
	Name CapabilityName `json:"name"`
	// quota bounds how many records the partner may create: RFQs with
	// rfq-create, jobs with preflight. Absent means the default of the package,
	// never unlimited. The other capabilities create nothing that is counted.
	// +optional
	Quota *Quota `json:"quota,omitempty"`
	// workers is the partner's share of the preflight workers while others want
	// them too; what one partner does not use, the others get. Absent means a
	// weight of 10 and any number of jobs at once.
	// +optional
	Workers *WorkerShare `json:"workers,omitempty"`
}

// WorkerShare is a share of the preflight workers. Test and live keys are two
// tenants, each with this share.
type WorkerShare struct {
	// weight is the partner's part of the time of the workers, in proportion to
	// the weights of the others that wait: with 20 it gets twice as much as with
	// 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight,omitempty"`
	// maxInFlight is the most jobs of the partner that run at once, however
	// idle the workers are; 0 means any number.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MaxInFlight int32 `json:"maxInFlight,omitempty"`
}

// Quota is a number of creations in a window of time. Test and live keys are
// counted apart.
type Quota struct {
	// limit is the number of creations in one window; 0 allows none.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	Limit int64 `json:"limit"`
	// windowSeconds is the length of a window, a day by default and at most 31
	// days. Windows begin at multiples of it since 1970-01-01T00:00:00Z; a day
	// begins at midnight UTC.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2678400
	WindowSeconds int32 `json:"windowSeconds,omitempty"`
}

// RateLimit is a number of requests in any window of time. Test and live keys
// are counted apart.
type RateLimit struct {
	// surface is the part of the interface: partner for RFQs, quotes and the
	// catalog, preflight, xjdf with costing, xjmf for callbacks, or bridge.
	// +required
	Surface Surface `json:"surface"`
	// requests is the number in any window, all of which may come at once; 0
	// allows none.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000000
	Requests int64 `json:"requests"`
	// windowSeconds is the length of a window, 10 by default and at most an
	// hour.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	WindowSeconds int32 `json:"windowSeconds,omitempty"`
}

// The form of a digest is a rule of the whole key and no pattern: the refusal of
// a pattern repeats the value, and would put a key that somebody took for its
// digest into terminals and logs. This is no part of what kubectl explains.

// APIKey is one API key, by digest.
//
// +kubebuilder:validation:XValidation:rule="self.sha256.matches('^[0-9a-f]{64}$')",message="not a SHA-256 in 64 lower-case hexadecimal digits: put in what printf %s \"$KEY\" | sha256sum prints, never the key",fieldPath=".sha256"
// +kubebuilder:validation:XValidation:rule="self.kind == oldSelf.kind && self.sha256 == oldSelf.sha256",message="kind and sha256 of a key never change: add a key with another name",fieldPath=".sha256"
// +kubebuilder:validation:XValidation:rule="oldSelf.state != 'Revoked' || self.state == 'Revoked'",message="a revoked key stays revoked: add a key with another name",fieldPath=".state"
type APIKey struct {
	// name tells the keys of a partner apart in logs and in the dashboard.
	// +required
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// kind is the kind of the key, which its prefix shows too: pmk_test_ is
	// Test, pmk_live_ is Live. A key whose prefix disagrees is refused.
	// +required
	Kind KeyKind `json:"kind"`
	// sha256 is the SHA-256 of the whole key text in 64 lower-case hexadecimal
	// digits, as printf %s "$KEY" | sha256sum prints it. A key in plain text
	// does not fit here.
	// +required
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256"`
	// state is Active by default; Revoked refuses the key at once and for ever.
	// +optional
	// +kubebuilder:default=Active
	State KeyState `json:"state,omitempty"`
	// expiresAt is the first instant at which the key is refused, such as
	// 2027-01-01T00:00:00Z; absent means never.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// scopes narrows the key. Absent: the key has every scope of the partner.
	// Present, even empty: only those of the list that the partner has too.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Scopes []Scope `json:"scopes,omitzero"`
}

// PartnerEntitlementStatus is what one partner can do right now.
type PartnerEntitlementStatus struct {
	// conditions are Ready, Reconciling, Stalled, Propagated,
	// ContractEffective, KeysUnique and, of partners with client certificates,
	// CertificatesPinned, of partners with webhooks WebhooksReady.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the generation that this status describes; -1 until
	// a controller has seen the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// open counts the granted capabilities that answer: "3/9".
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Open string `json:"open,omitempty"`
	// keys counts the keys that are accepted: "2 live, 1 test".
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Keys string `json:"keys,omitempty"`
	// capabilities says for each granted capability whether it answers.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Capabilities []CapabilityPosture `json:"capabilities,omitempty"`
	// nextTransition is when this status changes next without an edit.
	// +optional
	NextTransition *metav1.Time `json:"nextTransition,omitempty"`
}

// CapabilityPosture says whether one capability answers one partner.
type CapabilityPosture struct {
	// name is the capability.
	// +required
	Name CapabilityName `json:"name"`
	// posture is Open when at least one kind of key is answered.
	// +required
	Posture Opening `json:"posture"`
	// reason is why a live key is not answered; empty when it is.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// keyKinds are the kinds of keys that are answered.
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
