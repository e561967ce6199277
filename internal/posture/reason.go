// SPDX-License-Identifier: Apache-2.0

package posture

// Reason says why a decision is what it is. The set is closed; its names are
// for operators (logs, metrics, statuses). Partners see the problem code.
type Reason uint8

// The reasons, in the order in which they are tried within their class.
const (
	// ReasonUndecided is the zero value: nobody has decided, so it is closed.
	ReasonUndecided Reason = iota
	// ReasonSnapshotAbsent means that no posture is known, or only a stale one.
	ReasonSnapshotAbsent
	// ReasonOpen is the one reason that lets a request pass.
	ReasonOpen

	// ReasonNotAuthenticated means that the caller is nobody.
	ReasonNotAuthenticated
	// ReasonKeyUnknown means that no partner has the key.
	ReasonKeyUnknown
	// ReasonKeyAmbiguous means that the digest occurs twice.
	ReasonKeyAmbiguous
	// ReasonKeyWrongMode means that the key's prefix contradicts its entry.
	ReasonKeyWrongMode
	// ReasonKeyRevoked means that the key is revoked.
	ReasonKeyRevoked
	// ReasonKeyExpired means that the key's time is over.
	ReasonKeyExpired
	// ReasonPartnerClosed means that the partner's object is broken, for
	// instance because an older one has the same organization.
	ReasonPartnerClosed
	// ReasonCertificateMissing means that the partner needs a client
	// certificate and the connection has none.
	ReasonCertificateMissing
	// ReasonCertificateUnpinned means that the connection has a client
	// certificate which is none of the partner's, or no longer.
	ReasonCertificateUnpinned

	// ReasonPartnerSuspended means that the partner is suspended.
	ReasonPartnerSuspended
	// ReasonContractNotEffective means that the contract is not in force.
	ReasonContractNotEffective
	// ReasonScopeMissing means that the key lacks the scope.
	ReasonScopeMissing
	// ReasonNotEntitled means that the partner is not granted the capability.
	ReasonNotEntitled

	// ReasonNoCapability means that there is no such capability.
	ReasonNoCapability
	// ReasonNoRollout means that the capability has no CapabilityRollout.
	ReasonNoRollout
	// ReasonRolloutNotReady means that the rollout's object is broken.
	ReasonRolloutNotReady
	// ReasonAboveCeiling means that the stage is above what is implemented.
	ReasonAboveCeiling
	// ReasonKilled means that the kill switch is engaged.
	ReasonKilled
	// ReasonStageDisabled means that the stage is Disabled.
	ReasonStageDisabled
	// ReasonNotStarted means that schedule.notBefore lies ahead.
	ReasonNotStarted
	// ReasonEnded means that schedule.notAfter has passed.
	ReasonEnded
	// ReasonSandboxOnly means that the stage admits test keys only.
	ReasonSandboxOnly
	// ReasonExcluded means that the audience leaves the partner out by name.
	ReasonExcluded
	// ReasonNotInAudience means that the audience does not name the partner.
	ReasonNotInAudience
	// ReasonNotInCohort means that the ramp has not reached the partner.
	ReasonNotInCohort

	reasonCount
)

// Class is the kind of answer that a reason leads to.
type Class uint8

const (
	// ClassUnavailable is 503: this replica knows no posture. The zero value.
	ClassUnavailable Class = iota
	// ClassOpen lets the request go on.
	ClassOpen
	// ClassUnauthenticated is 401.
	ClassUnauthenticated
	// ClassForbidden is 403.
	ClassForbidden
	// ClassClosed is 503 with the capability's own code.
	ClassClosed
)

// reasons is the table of reasons. The code is the problem code; reasons of
// ClassClosed have that of the capability instead.
var reasons = [reasonCount]struct {
	name  string
	class Class
	code  string
}{
	ReasonUndecided:      {"Undecided", ClassUnavailable, "POSTURE_UNAVAILABLE"},
	ReasonSnapshotAbsent: {"SnapshotAbsent", ClassUnavailable, "POSTURE_UNAVAILABLE"},
	ReasonOpen:           {"Open", ClassOpen, ""},

	ReasonNotAuthenticated: {"NotAuthenticated", ClassUnauthenticated, "MISSING_API_KEY"},
	ReasonKeyUnknown:       {"KeyUnknown", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonKeyAmbiguous:     {"KeyAmbiguous", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonKeyWrongMode:     {"KeyWrongMode", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonKeyRevoked:       {"KeyRevoked", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonKeyExpired:       {"KeyExpired", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonPartnerClosed:    {"PartnerClosed", ClassUnauthenticated, "INVALID_API_KEY"},

	ReasonCertificateMissing:  {"CertificateMissing", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonCertificateUnpinned: {"CertificateUnpinned", ClassUnauthenticated, "INVALID_API_KEY"},

	ReasonPartnerSuspended:     {"PartnerSuspended", ClassForbidden, "PARTNER_SUSPENDED"},
	ReasonContractNotEffective: {"ContractNotEffective", ClassForbidden, "CONTRACT_NOT_EFFECTIVE"},
	ReasonScopeMissing:         {"ScopeMissing", ClassForbidden, "INSUFFICIENT_SCOPE"},
	ReasonNotEntitled:          {"NotEntitled", ClassForbidden, "CAPABILITY_NOT_ENTITLED"},

	ReasonNoCapability:    {"NoCapability", ClassClosed, ""},
	ReasonNoRollout:       {"NoRollout", ClassClosed, ""},
	ReasonRolloutNotReady: {"RolloutNotReady", ClassClosed, ""},
	ReasonAboveCeiling:    {"AboveCeiling", ClassClosed, ""},
	ReasonKilled:          {"Killed", ClassClosed, ""},
	ReasonStageDisabled:   {"StageDisabled", ClassClosed, ""},
	ReasonNotStarted:      {"NotStarted", ClassClosed, ""},
	ReasonEnded:           {"Ended", ClassClosed, ""},
	ReasonSandboxOnly:     {"SandboxOnly", ClassClosed, ""},
	ReasonExcluded:        {"Excluded", ClassClosed, ""},
	ReasonNotInAudience:   {"NotInAudience", ClassClosed, ""},
	ReasonNotInCohort:     {"NotInCohort", ClassClosed, ""},
}

// known is the reason itself; ReasonUndecided for values that are no reason.
func (r Reason) known() Reason {
	if r >= reasonCount {
		return ReasonUndecided
	}
	return r
}

// String is the name of the reason.
func (r Reason) String() string { return reasons[r.known()].name }

// MarshalText writes the name.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Class is the kind of answer; ClassUnavailable for values that are no reason.
func (r Reason) Class() Class { return reasons[r.known()].class }
