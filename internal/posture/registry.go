// SPDX-License-Identifier: Apache-2.0

package posture

import "iter"

// Capability is one thing that the marketplace can do for a partner. The zero
// value is no capability and always closed.
type Capability uint8

// The capabilities, in the order in which they are reported.
const (
	NoCapability Capability = iota
	Estimate
	RFQCreate
	RFQRead
	RFQList
	QuoteRead
	QuoteAccept
	Order
	OrderBatch
	Preflight
	XJDF
	XJDFCosting
	XJMFInbound
	WebhookDelivery
	MasterDataBridge

	capabilityCount
)

// Definition is what the binary knows about a capability, whatever the custom
// resources say.
type Definition struct {
	// Name is the capability in custom resources and headers.
	Name string
	// Code is the problem code of the 503 when it is closed.
	Code string
	// Ceiling is the highest posture that a rollout may give it. Above, the
	// capability is closed: no object opens what is not implemented.
	Ceiling Posture
	// Shipped is the posture of the sample manifests and of the chart.
	Shipped Posture
	// Read and Write are the scopes of GET and HEAD, and of other methods.
	Read, Write Scope
	// Ladder says which rows of the decision table count.
	Ladder Ladder
	// Surface is where its requests are counted; NoSurface: nowhere, because
	// they are no requests of a key, or have nothing behind them.
	Surface Surface
}

// registry is the one list of capabilities. A ladder other than Full is safe
// only under a ceiling of Disabled, which a test enforces.
var registry = [capabilityCount]Definition{
	Estimate:         {"estimate", "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE", Disabled, Disabled, NoScope, NoScope, AfterAuthentication, NoSurface},
	RFQCreate:        {"rfq-create", "PARTNER_RFQ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQWrite, Full, SurfacePartner},
	RFQRead:          {"rfq-read", "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQRead, Full, SurfacePartner},
	RFQList:          {"rfq-list", "PARTNER_RFQ_LIST_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQRead, Full, SurfacePartner},
	QuoteRead:        {"quote-read", "PARTNER_QUOTE_READ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeQuoteRead, ScopeQuoteRead, Full, SurfacePartner},
	QuoteAccept:      {"quote-accept", "PARTNER_QUOTE_ACCEPTANCE_CAPABILITY_UNAVAILABLE", Disabled, Disabled, NoScope, NoScope, AfterAuthentication, NoSurface},
	Order:            {"order", "PARTNER_ORDER_CAPABILITY_UNAVAILABLE", Disabled, Disabled, ScopeOrderRead, ScopeOrderWrite, AfterScope, NoSurface},
	OrderBatch:       {"order-batch", "PARTNER_BATCH_ORDER_CAPABILITY_UNAVAILABLE", Disabled, Disabled, ScopeOrderRead, ScopeOrderWrite, AfterScope, NoSurface},
	Preflight:        {"preflight", "PREFLIGHT_CAPABILITY_UNAVAILABLE", Live, Live, ScopePreflightRead, ScopePreflightWrite, Full, SurfacePreflight},
	XJDF:             {"xjdf", "XJDF_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeXJDFRead, ScopeXJDFValidate, Full, SurfaceXJDF},
	XJDFCosting:      {"xjdf-costing", "XJDF_COSTING_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeCostingCalculate, ScopeCostingCalculate, Full, SurfaceXJDF},
	XJMFInbound:      {"xjmf-inbound", "XJMF_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, NoScope, NoScope, Full, SurfaceXJMF},
	WebhookDelivery:  {"webhook-delivery", "WEBHOOK_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, NoScope, NoScope, Full, SurfacePartner},
	MasterDataBridge: {"master-data-bridge", "MASTER_DATA_BRIDGE_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeMasterDataRead, ScopeMasterDataRead, Full, SurfaceBridge},
}

// Definition returns the row of the registry; the zero row, whose ceiling is
// Disabled, for values that are no capability.
func (c Capability) Definition() Definition {
	if c >= capabilityCount {
		return Definition{}
	}
	return registry[c]
}

// String is the name in custom resources; empty for no capability.
func (c Capability) String() string { return c.Definition().Name }

// MarshalText writes the name.
func (c Capability) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// scope is the scope that a request needs.
func (d *Definition) scope(write bool) Scope {
	if write {
		return d.Write
	}
	return d.Read
}

// ParseCapability finds a capability by name; unknown names report false.
func ParseCapability(name string) (Capability, bool) {
	for c := NoCapability + 1; c < capabilityCount; c++ {
		if registry[c].Name == name {
			return c, true
		}
	}
	return NoCapability, false
}

// Capabilities yields every capability in the order of the registry.
func Capabilities() iter.Seq[Capability] {
	return func(yield func(Capability) bool) {
		for c := NoCapability + 1; c < capabilityCount; c++ {
			if !yield(c) {
				return
			}
		}
	}
}

// Surface is a part of the interface whose requests are counted together, so
// that a storm on one leaves the others alone. The zero value is none.
type Surface uint8

// The surfaces.
const (
	NoSurface Surface = iota
	SurfacePartner
	SurfacePreflight
	SurfaceXJDF
	SurfaceXJMF
	SurfaceBridge

	surfaceCount
)

var surfaces = [surfaceCount]string{
	SurfacePartner: "partner", SurfacePreflight: "preflight", SurfaceXJDF: "xjdf", SurfaceXJMF: "xjmf", SurfaceBridge: "bridge",
}

// String is the surface in headers and custom resources; empty for none.
func (s Surface) String() string {
	if s >= surfaceCount {
		return ""
	}
	return surfaces[s]
}

// Posture is how far a capability is open, in ascending order. The zero value
// is Disabled.
type Posture uint8

// The postures.
const (
	Disabled Posture = iota
	Sandbox
	PrivateBeta
	Live

	postureCount
)

var postures = [postureCount]struct{ token, stage string }{
	Disabled:    {"disabled", "Disabled"},
	Sandbox:     {"sandbox", "Sandbox"},
	PrivateBeta: {"private-beta", "PrivateBeta"},
	Live:        {"live", "Live"},
}

// String is the posture as an RFC 9651 token.
func (p Posture) String() string {
	if p >= postureCount {
		p = Disabled
	}
	return postures[p].token
}

// Stage is the posture as a stage of a CapabilityRollout.
func (p Posture) Stage() string {
	if p >= postureCount {
		p = Disabled
	}
	return postures[p].stage
}

// MarshalText writes the token.
func (p Posture) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// parseStage reads a stage of a CapabilityRollout; unknown ones report false.
func parseStage(stage string) (Posture, bool) {
	for p := range postureCount {
		if postures[p].stage == stage {
			return p, true
		}
	}
	return Disabled, false
}
