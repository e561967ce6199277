// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Conditions that every kind has. Tools that know kstatus (kubectl wait, Helm,
// Flux, Argo CD) read the first three.
const (
	// ConditionReady is True when the gates enforce the observed generation.
	// It does not say that anything is open: a disabled rollout is Ready.
	ConditionReady = "Ready"
	// ConditionReconciling is True while the observed generation is on its way
	// to the gates.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when the object is not in force as written and
	// only an edit, of this object or of one that it depends on, can mend that.
	// The message says what works until then.
	ConditionStalled = "Stalled"
	// ConditionPropagated is True when every serving replica of the API server
	// has compiled the observed generation.
	ConditionPropagated = "Propagated"
)

// Conditions of one kind.
const (
	// ConditionContractEffective (PartnerEntitlement) is True while the
	// contract is in force.
	ConditionContractEffective = "ContractEffective"
	// ConditionKeysUnique (PartnerEntitlement) is False when one of the key
	// digests occurs twice; such a digest is refused wherever it occurs.
	ConditionKeysUnique = "KeysUnique"
	// ConditionCertificatesPinned (PartnerEntitlement) is True when a client
	// certificate of the partner counts. Partners that have none and need none
	// do not have it.
	ConditionCertificatesPinned = "CertificatesPinned"
	// ConditionWebhooksReady (PartnerEntitlement) is True when every webhook of
	// the partner has a secret that counts, or will count. Partners that have no
	// webhooks do not have it. It makes nothing else False: the partner is served.
	ConditionWebhooksReady = "WebhooksReady"
	// ConditionSecretsResolved (XJMFSender) is True when every secret that the
	// sender names was found and is long enough.
	ConditionSecretsResolved = "SecretsResolved"
	// ConditionSenderUnique (XJMFSender) is False when an older object has the
	// same sender id.
	ConditionSenderUnique = "SenderUnique"
)

// Reasons of Ready=True, and of Stalled=False and Reconciling=False.
const (
	// ReasonEnforced means that the spec is in force as written.
	ReasonEnforced = "Enforced"
	// ReasonKilled means that the kill switch is engaged.
	ReasonKilled = "Killed"
	// ReasonNotStarted means that schedule.notBefore lies ahead, or that of
	// every secret of a sender that is not over.
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
	// ReasonInvalidSpec means that the object has content which its schema
	// refuses; it must have been stored before the schema was.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonDuplicateCapability means that two objects roll out the same
	// capability. Both are closed, so that neither hides the other's kill
	// switch.
	ReasonDuplicateCapability = "DuplicateCapability"
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
	// ReasonSecretNotFound means that a Secret or its key is missing. The other
	// secrets of the sender or webhook count.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretTooShort means that a secret has fewer than 32 bytes. The
	// sender's other secrets count.
	ReasonSecretTooShort = "SecretTooShort"
	// ReasonSecretMalformed means that the secret of a webhook is not whsec_ and
	// the base64 of 24 to 64 bytes. The webhook's other secret counts.
	ReasonSecretMalformed = "SecretMalformed"
	// ReasonSecretCapacity means that the gate Secret is full.
	ReasonSecretCapacity = "SecretCapacity"
	// ReasonNoActiveSecret means that no secret is valid now or later.
	ReasonNoActiveSecret = "NoActiveSecret"
)

// Reasons of the remaining conditions.
const (
	// ReasonProgressing is the reason of Reconciling=True, and of
	// Propagated=False while the gate Secret that a sender needs is not
	// written.
	ReasonProgressing = "Progressing"
	// ReasonEffective is the reason of ContractEffective=True.
	ReasonEffective = "Effective"
	// ReasonNotYetEffective means that contract.effectiveFrom lies ahead.
	ReasonNotYetEffective = "NotYetEffective"
	// ReasonExpired means that contract.effectiveUntil has passed.
	ReasonExpired = "Expired"
	// ReasonNoContract means that there is no contract yet.
	ReasonNoContract = "NoContract"
	// ReasonUnique is the reason of KeysUnique=True and SenderUnique=True.
	ReasonUnique = "Unique"
	// ReasonPinned is the reason of CertificatesPinned=True.
	ReasonPinned = "Pinned"
	// ReasonNoActivePin means that no client certificate counts: each is over or
	// broken, or there is none while one is required.
	ReasonNoActivePin = "NoActivePin"
	// ReasonResolved is the reason of SecretsResolved=True and WebhooksReady=True.
	ReasonResolved = "Resolved"
	// ReasonAllReplicas is the reason of Propagated=True.
	ReasonAllReplicas = "AllReplicas"
	// ReasonNoReplicas is the reason of Propagated=True when nobody serves.
	ReasonNoReplicas = "NoReplicas"
	// ReasonReplicaBehind is the reason of Propagated=False while a serving
	// replica has not compiled the generation.
	ReasonReplicaBehind = "ReplicaBehind"
	// ReasonReplicaSilent is the reason of Propagated=False and Ready=False
	// when a serving replica does not answer and is not known to have it.
	ReasonReplicaSilent = "ReplicaSilent"
)
