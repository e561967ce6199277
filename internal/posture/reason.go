// SPDX-License-Identifier: Apache-2.0

package posture

// Reason explains a decision. The set is closed; its names are for operators (logs,
// metrics, statuses). Partners see the problem code.
type Reason uint8

// The reasons, in the order in which they are checked within their class.
const (
	// ReasonUndecided is the zero value: no decision was made, so access is closed.
	ReasonUndecided Reason = iota
	// ReasonSnapshotAbsent means that there is no snapshot or only a stale one.
	ReasonSnapshotAbsent
	// ReasonOpen is the only reason that allows a request.
	ReasonOpen

	// ReasonNotAuthenticated means that the caller is not authenticated.
	ReasonNotAuthenticated
	// ReasonKeyUnknown means that no partner has the key.
	ReasonKeyUnknown
	// ReasonKeyAmbiguous means that more than one entry has the key's digest.
	ReasonKeyAmbiguous
	// ReasonKeyWrongMode means that the key's prefix contradicts its entry.
	ReasonKeyWrongMode
	// ReasonKeyRevoked means that the key is revoked.
	ReasonKeyRevoked
	// ReasonKeyExpired means that the key has expired.
	ReasonKeyExpired
	// ReasonPartnerClosed means that the partner's object is invalid, for instance
	// because an older object has the same organization.
	ReasonPartnerClosed
	// ReasonCertificateMissing means that the partner requires a client certificate and
	// the connection has none.
	ReasonCertificateMissing
	// ReasonCertificateUnpinned means that the connection's client certificate is not,
	// or no longer, pinned by the partner.
	ReasonCertificateUnpinned

	// ReasonPartnerSuspended means that the partner is suspended.
	ReasonPartnerSuspended
	// ReasonContractNotEffective means that the contract is not in force.
	ReasonContractNotEffective
	// ReasonScopeMissing means that the key lacks the scope.
	ReasonScopeMissing
	// ReasonNotEntitled means that the partner has no grant of the capability that is in
	// force.
	ReasonNotEntitled

	// ReasonNoCapability means that the capability does not exist.
	ReasonNoCapability
	// ReasonNoRollout means that the capability has no CapabilityRollout.
	ReasonNoRollout
	// ReasonRolloutNotReady means that the rollout's object is invalid.
	ReasonRolloutNotReady
	// ReasonAboveCeiling means that the stage is above the implemented ceiling.
	ReasonAboveCeiling
	// ReasonKilled means that the kill switch is engaged.
	ReasonKilled
	// ReasonStageDisabled means that the stage is Disabled.
	ReasonStageDisabled
	// ReasonNotStarted means that schedule.notBefore is in the future.
	ReasonNotStarted
	// ReasonEnded means that schedule.notAfter has passed.
	ReasonEnded
	// ReasonGrantStageInvalid means that the stage of the grant is Disabled, unknown or
	// above the ceiling.
	ReasonGrantStageInvalid
	// ReasonSandboxOnly means that the stage admits test keys only.
	ReasonSandboxOnly
	// ReasonExcluded means that the audience excludes the partner by name.
	ReasonExcluded
	// ReasonNotInAudience means that the audience does not include the partner.
	ReasonNotInAudience
	// ReasonNotInCohort means that the ramp has not reached the partner.
	ReasonNotInCohort
	// ReasonDependencyClosed means that the caller cannot use a capability that this one
	// depends on.
	ReasonDependencyClosed

	// ReasonNoUsableKey means that the partner has no accepted key of the kind with the
	// required scopes. This reason and the next two describe a partner without requests: no
	// decision has them.
	ReasonNoUsableKey
	// ReasonNoSender means that the partner has no valid, active XJMFSender of the mode.
	ReasonNoSender
	// ReasonNoWebhook means that the partner has no valid webhook of the kind.
	ReasonNoWebhook

	reasonCount
)

// Class is the kind of response that a reason leads to.
type Class uint8

const (
	// ClassUnavailable is 503: this replica has no current snapshot. It is the zero
	// value.
	ClassUnavailable Class = iota
	// ClassOpen allows the request.
	ClassOpen
	// ClassUnauthenticated is 401.
	ClassUnauthenticated
	// ClassForbidden is 403.
	ClassForbidden
	// ClassClosed is 503 with the capability's own code.
	ClassClosed
)

// reasons is the table of reasons with their problem codes. Reasons of ClassClosed use
// the capability's code instead.
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

	ReasonNoCapability:      {"NoCapability", ClassClosed, ""},
	ReasonNoRollout:         {"NoRollout", ClassClosed, ""},
	ReasonRolloutNotReady:   {"RolloutNotReady", ClassClosed, ""},
	ReasonAboveCeiling:      {"AboveCeiling", ClassClosed, ""},
	ReasonKilled:            {"Killed", ClassClosed, ""},
	ReasonStageDisabled:     {"StageDisabled", ClassClosed, ""},
	ReasonNotStarted:        {"NotStarted", ClassClosed, ""},
	ReasonEnded:             {"Ended", ClassClosed, ""},
	ReasonGrantStageInvalid: {"GrantStageInvalid", ClassClosed, ""},
	ReasonSandboxOnly:       {"SandboxOnly", ClassClosed, ""},
	ReasonExcluded:          {"Excluded", ClassClosed, ""},
	ReasonNotInAudience:     {"NotInAudience", ClassClosed, ""},
	ReasonNotInCohort:       {"NotInCohort", ClassClosed, ""},
	ReasonDependencyClosed:  {"DependencyClosed", ClassClosed, ""},

	ReasonNoUsableKey: {"NoUsableKey", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonNoSender:    {"NoSender", ClassUnauthenticated, "INVALID_API_KEY"},
	ReasonNoWebhook:   {"NoWebhook", ClassClosed, ""},
}

// known returns the reason itself, or ReasonUndecided for an unknown value.
func (r Reason) known() Reason {
	if r >= reasonCount {
		return ReasonUndecided
	}
	return r
}

// String returns the name of the reason.
func (r Reason) String() string { return reasons[r.known()].name }

// MarshalText encodes the name.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Class returns the reason's class; ClassUnavailable for an unknown value.
func (r Reason) Class() Class { return reasons[r.known()].class }
