// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Conditions of every kind. Tools that support kstatus (kubectl wait, Helm,
// Flux, Argo CD) read the first three.
const (
	// ConditionReady is True when the gates enforce the observed generation. It does
	// not mean that anything is open: a disabled rollout is Ready.
	ConditionReady = "Ready"
	// ConditionReconciling is True while the gates do not enforce the observed
	// generation yet.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when the object is not in force as written until an edit
	// of this object, or of one that it depends on, repairs it. The message describes
	// the state until then.
	ConditionStalled = "Stalled"
	// ConditionPropagated is True when every serving API server has compiled the observed
	// generation. Webhook workers must have compiled partners and the rollout webhook-delivery, too,
	// and preflight workers must have compiled profiles.
	ConditionPropagated = "Propagated"
	// ConditionEndsSoon is True as a warning while a part of the object ends within 14 days: the
	// contract, a grant, a key or a certificate of a partner, the schedule of a rollout, or the last
	// secret of a sender or webhook. The message names the parts. It does not affect other conditions.
	ConditionEndsSoon = "EndsSoon"
)

// Conditions of one kind.
const (
	// ConditionAudienceResolved (CapabilityRollout) is False as a warning while
	// audience.partners or audience.excluded names an unknown partner. Rollouts whose
	// audience names no partner do not have this condition. It does not affect other
	// conditions.
	ConditionAudienceResolved = "AudienceResolved"
	// ConditionContractEffective (PartnerEntitlement) is True while the
	// contract is in force.
	ConditionContractEffective = "ContractEffective"
	// ConditionKeysUnique (PartnerEntitlement) is False when a key digest occurs twice;
	// such a digest is refused in all places.
	ConditionKeysUnique = "KeysUnique"
	// ConditionKeysComplete (PartnerEntitlement) is False as a warning while an active key
	// lists no scopes or never expires. It does not affect other conditions.
	ConditionKeysComplete = "KeysComplete"
	// ConditionCertificatesPinned (PartnerEntitlement) is True when a client
	// certificate of the partner is valid. Partners that neither have nor require
	// certificates do not have this condition.
	ConditionCertificatesPinned = "CertificatesPinned"
	// ConditionWebhooksReady (PartnerEntitlement) is True when every webhook of the
	// partner has a secret that is valid now or later. Partners without webhooks do not
	// have this condition. It does not affect other conditions: the partner is served.
	ConditionWebhooksReady = "WebhooksReady"
	// ConditionProfilesResolved (PartnerEntitlement) is False as a warning while the grant of
	// preflight lists a PreflightProfile that is missing or invalid. Only these profiles are
	// closed. Partners whose grant lists no profile do not have this condition. It does not
	// affect other conditions.
	ConditionProfilesResolved = "ProfilesResolved"
	// ConditionSecretsResolved (XJMFSender) is True when every secret that the
	// sender names was found and is long enough.
	ConditionSecretsResolved = "SecretsResolved"
	// ConditionSenderUnique (XJMFSender) is False when an older object has the
	// same sender id.
	ConditionSenderUnique = "SenderUnique"
	// ConditionPartnerGranted (XJMFSender) is False as a warning while the partner has no
	// grant of xjmf-inbound that is in force, is suspended or has no contract in force, so
	// that callbacks are rejected. It does not affect other conditions.
	ConditionPartnerGranted = "PartnerGranted"
	// ConditionTimestampSigned (XJMFSender) is False as a warning while the signature does
	// not cover the timestamp. It does not affect other conditions: callbacks are accepted.
	ConditionTimestampSigned = "TimestampSigned"
)

// Reasons of Ready=True, and of Stalled=False and Reconciling=False.
const (
	// ReasonEnforced means that the spec is in force as written.
	ReasonEnforced = "Enforced"
	// ReasonKilled means that the kill switch is engaged.
	ReasonKilled = "Killed"
	// ReasonHeld means that spec.hold keeps the schedule of a rollout from opening more.
	ReasonHeld = "Held"
	// ReasonAwaitingAnalysis means that a step of the ramp is due and waits until the analysis
	// of the step before it has succeeded.
	ReasonAwaitingAnalysis = "AwaitingAnalysis"
	// ReasonAnalysisFailed means that the analysis failed, so that the schedule opens no more.
	ReasonAnalysisFailed = "AnalysisFailed"
	// ReasonDependencyClosed means that a capability in spec.dependsOn is closed for every key, or
	// at a lower stage, and this one with it.
	ReasonDependencyClosed = "DependencyClosed"
	// ReasonNotStarted means that schedule.notBefore is in the future, or that every
	// unexpired secret of a sender starts in the future.
	ReasonNotStarted = "NotStarted"
	// ReasonEnded means that schedule.notAfter has passed.
	ReasonEnded = "Ended"
	// ReasonSuspended means that the partner or sender is suspended.
	ReasonSuspended = "Suspended"
	// ReasonContractNotEffective means that the contract is not in force.
	ReasonContractNotEffective = "ContractNotEffective"
)

// Reasons of Ready=False with Stalled=True: the object is not in force as
// written, and an edit is needed.
const (
	// ReasonAboveCeiling means that the stage is above the highest stage that
	// this version of the binary implements for the capability.
	ReasonAboveCeiling = "AboveCeiling"
	// ReasonInvalidSpec means that the object has content that its schema rejects; it
	// was stored before the schema was installed.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonDuplicateCapability means that two objects roll out the same
	// capability. Both are closed, so that neither hides the other's kill
	// switch.
	ReasonDuplicateCapability = "DuplicateCapability"
	// ReasonDependencyCycle means that rollouts depend on each other. All of them are closed.
	ReasonDependencyCycle = "DependencyCycle"
	// ReasonDuplicateOrganization means that an older object has the same
	// organization; this one is closed.
	ReasonDuplicateOrganization = "DuplicateOrganization"
	// ReasonDuplicateKey means that a key digest occurs twice. Such keys are
	// refused, the rest of the entitlement is enforced.
	ReasonDuplicateKey = "DuplicateKey"
	// ReasonDuplicateSender means that an older object has the same sender id;
	// this one is closed.
	ReasonDuplicateSender = "DuplicateSender"
	// ReasonPartnerNotFound means that spec.partner names no usable
	// PartnerEntitlement in the same namespace.
	ReasonPartnerNotFound = "PartnerNotFound"
	// ReasonInvalidProfile means that a rule of a PreflightProfile does not exist, or that its
	// limit, its unit or another member does not fit the rule. The profile is closed.
	ReasonInvalidProfile = "InvalidProfile"
	// ReasonSecretNotFound means that a Secret or its key is missing. The other secrets
	// of the sender or webhook stay valid.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretTooShort means that a secret has fewer than 32 bytes. The sender's
	// other secrets stay valid.
	ReasonSecretTooShort = "SecretTooShort"
	// ReasonSecretMalformed means that the secret of a webhook is not whsec_ and the
	// base64 of 24 to 64 bytes. The webhook's other secret stays valid.
	ReasonSecretMalformed = "SecretMalformed"
	// ReasonSecretCapacity means that the gate Secret is full.
	ReasonSecretCapacity = "SecretCapacity"
	// ReasonNoActiveSecret means that no secret is valid now or later.
	ReasonNoActiveSecret = "NoActiveSecret"
)

// Reasons of the remaining conditions.
const (
	// ReasonProgressing is the reason of Reconciling=True, and of Propagated=False
	// while the gate Secret that a sender requires is not written.
	ReasonProgressing = "Progressing"
	// ReasonEffective is the reason of ContractEffective=True.
	ReasonEffective = "Effective"
	// ReasonNotYetEffective means that contract.effectiveFrom is in the future.
	ReasonNotYetEffective = "NotYetEffective"
	// ReasonExpired means that contract.effectiveUntil has passed.
	ReasonExpired = "Expired"
	// ReasonNoContract means that there is no contract yet.
	ReasonNoContract = "NoContract"
	// ReasonUnique is the reason of KeysUnique=True and SenderUnique=True.
	ReasonUnique = "Unique"
	// ReasonTimestampBody and ReasonBody are the reasons of TimestampSigned=True and
	// TimestampSigned=False: the value of spec.scheme.
	ReasonTimestampBody = "TimestampBody"
	ReasonBody          = "Body"
	// ReasonGranted and ReasonNotGranted are the reasons of PartnerGranted=True and
	// PartnerGranted=False.
	ReasonGranted    = "Granted"
	ReasonNotGranted = "NotGranted"
	// ReasonComplete is the reason of KeysComplete=True.
	ReasonComplete = "Complete"
	// ReasonNoScopes means that an active key has no list of scopes, so that every request
	// that needs one gets 403.
	ReasonNoScopes = "NoScopes"
	// ReasonNoExpiry means that an active key never expires.
	ReasonNoExpiry = "NoExpiry"
	// ReasonEndsSoon and ReasonNothingEnds are the reasons of EndsSoon=True and
	// EndsSoon=False.
	ReasonEndsSoon    = "EndsSoon"
	ReasonNothingEnds = "NothingEnds"
	// ReasonPinned is the reason of CertificatesPinned=True.
	ReasonPinned = "Pinned"
	// ReasonNoActivePin means that no client certificate is valid: each is expired or
	// invalid, or there is none although one is required.
	ReasonNoActivePin = "NoActivePin"
	// ReasonProfileNotUsable means that a listed PreflightProfile is missing or invalid.
	ReasonProfileNotUsable = "ProfileNotUsable"
	// ReasonResolved is the reason of AudienceResolved=True, ProfilesResolved=True,
	// SecretsResolved=True and WebhooksReady=True.
	ReasonResolved = "Resolved"
	// ReasonAllReplicas is the reason of Propagated=True.
	ReasonAllReplicas = "AllReplicas"
	// ReasonNoReplicas is the reason of Propagated=False and Ready=False when no API server
	// responds, so that nothing enforces the object.
	ReasonNoReplicas = "NoReplicas"
	// ReasonServiceNotFound is the reason of Propagated=False and Ready=False when the Service
	// of workers that enforce the object has no EndpointSlice, so that the workers are unknown.
	ReasonServiceNotFound = "ServiceNotFound"
	// ReasonReplicaBehind is the reason of Propagated=False while a serving
	// replica has not compiled the generation.
	ReasonReplicaBehind = "ReplicaBehind"
	// ReasonReplicaSilent is the reason of Propagated=False and Ready=False when a
	// serving replica does not respond and is not known to have compiled the
	// generation.
	ReasonReplicaSilent = "ReplicaSilent"
)
