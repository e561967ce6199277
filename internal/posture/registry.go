// SPDX-License-Identifier: Apache-2.0

package posture

import "iter"

// Capability is a function of the platform that a partner can use. The zero value,
// NoCapability, is always closed.
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

// Definition holds the compiled-in properties of a capability, which custom resources
// cannot change.
type Definition struct {
	// Name is the capability's name in custom resources and headers.
	Name string
	// Code is the problem code of the 503 response when the capability is closed.
	Code string
	// Ceiling is the highest posture that a rollout may set. Above the ceiling the
	// capability is closed, because it is not implemented.
	Ceiling Posture
	// Shipped is the posture in the sample manifests and the chart.
	Shipped Posture
	// Read is the scope for GET and HEAD; Write is the scope for other methods.
	Read, Write Scope
	// Session is the scope of the key that creates the session that requests need; NoScope
	// if requests carry the key itself.
	Session Scope
	// Ladder selects the phases of the decision table that apply.
	Ladder Ladder
	// Surface is the surface that counts the capability's requests. It is NoSurface
	// where requests carry no key or have no implementation.
	Surface Surface
}

// registry lists every capability. A ladder other than Full is safe only under a
// ceiling of Disabled, which a test enforces.
var registry = [capabilityCount]Definition{
	Estimate:         {"estimate", "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE", Disabled, Disabled, NoScope, NoScope, NoScope, AfterAuthentication, NoSurface},
	RFQCreate:        {"rfq-create", "PARTNER_RFQ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQWrite, NoScope, Full, SurfacePartner},
	RFQRead:          {"rfq-read", "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQRead, NoScope, Full, SurfacePartner},
	RFQList:          {"rfq-list", "PARTNER_RFQ_LIST_CAPABILITY_UNAVAILABLE", Live, Live, ScopeRFQRead, ScopeRFQRead, NoScope, Full, SurfacePartner},
	QuoteRead:        {"quote-read", "PARTNER_QUOTE_READ_CAPABILITY_UNAVAILABLE", Live, Live, ScopeQuoteRead, ScopeQuoteRead, NoScope, Full, SurfacePartner},
	QuoteAccept:      {"quote-accept", "PARTNER_QUOTE_ACCEPTANCE_CAPABILITY_UNAVAILABLE", Disabled, Disabled, NoScope, NoScope, NoScope, AfterAuthentication, NoSurface},
	Order:            {"order", "PARTNER_ORDER_CAPABILITY_UNAVAILABLE", Disabled, Disabled, ScopeOrderRead, ScopeOrderWrite, NoScope, AfterScope, NoSurface},
	OrderBatch:       {"order-batch", "PARTNER_BATCH_ORDER_CAPABILITY_UNAVAILABLE", Disabled, Disabled, ScopeOrderRead, ScopeOrderWrite, NoScope, AfterScope, NoSurface},
	Preflight:        {"preflight", "PREFLIGHT_CAPABILITY_UNAVAILABLE", Live, Live, ScopePreflightRead, ScopePreflightWrite, NoScope, Full, SurfacePreflight},
	XJDF:             {"xjdf", "XJDF_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeXJDFRead, ScopeXJDFValidate, NoScope, Full, SurfaceXJDF},
	XJDFCosting:      {"xjdf-costing", "XJDF_COSTING_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeCostingCalculate, ScopeCostingCalculate, ScopeSessionCreate, Full, SurfaceXJDF},
	XJMFInbound:      {"xjmf-inbound", "XJMF_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, NoScope, NoScope, NoScope, Full, SurfaceXJMF},
	WebhookDelivery:  {"webhook-delivery", "WEBHOOK_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, NoScope, NoScope, NoScope, Full, SurfacePartner},
	MasterDataBridge: {"master-data-bridge", "MASTER_DATA_BRIDGE_CAPABILITY_UNAVAILABLE", PrivateBeta, PrivateBeta, ScopeMasterDataRead, ScopeMasterDataRead, NoScope, Full, SurfaceBridge},
}

// Published reports whether a published contract offers the capability. The others must not be
// named to anonymous callers.
func (c Capability) Published() bool {
	switch c {
	case NoCapability, QuoteAccept, Order, OrderBatch, WebhookDelivery, MasterDataBridge:
		return false
	}
	return c < capabilityCount
}

// Definition returns the capability's row of the registry. For an unknown value it
// returns the zero row, whose ceiling is Disabled.
func (c Capability) Definition() Definition {
	if c >= capabilityCount {
		return Definition{}
	}
	return registry[c]
}

// String returns the name in custom resources; empty for NoCapability and unknown
// values.
func (c Capability) String() string { return c.Definition().Name }

// MarshalText encodes the name.
func (c Capability) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// scope returns the scope that a request requires.
func (d *Definition) scope(write bool) Scope {
	if write {
		return d.Write
	}
	return d.Read
}

// Needs returns the scopes that a key needs for reads or writes, directly or by a session.
func (c Capability) Needs(write bool) Scopes {
	definition := c.Definition()
	return Scopes(0).With(definition.scope(write)).With(definition.Session)
}

// ParseCapability finds a capability by name. It returns false for an unknown name.
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

// Surface is a part of the API whose requests are counted together, so that a request
// storm on one surface does not affect the others. The zero value is NoSurface.
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

// String returns the surface's name in headers and custom resources; empty for
// NoSurface and unknown values.
func (s Surface) String() string {
	if s >= surfaceCount {
		return ""
	}
	return surfaces[s]
}

// Posture is the degree to which a capability is open, in ascending order. The zero
// value is Disabled.
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

// String returns the posture as an RFC 9651 token.
func (p Posture) String() string {
	if p >= postureCount {
		p = Disabled
	}
	return postures[p].token
}

// Stage returns the posture as a stage of a CapabilityRollout.
func (p Posture) Stage() string {
	if p >= postureCount {
		p = Disabled
	}
	return postures[p].stage
}

// MarshalText encodes the token.
func (p Posture) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// parseStage parses a stage of a CapabilityRollout. It returns false for an unknown
// stage.
func parseStage(stage string) (Posture, bool) {
	for p := range postureCount {
		if postures[p].stage == stage {
			return p, true
		}
	}
	return Disabled, false
}
