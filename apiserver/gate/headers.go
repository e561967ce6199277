// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// All responses share these slices of header values, in canonical form, so that setting a
// field does not allocate. They must not be modified.
var (
	privateNoStore   = []string{"private, no-store"}
	privateNoCache   = []string{"private, no-cache"}
	challengeMissing = []string{`Bearer realm="printmarket"`}
	challengeInvalid = []string{`Bearer realm="printmarket", error="invalid_token"`}
)

// entitlement holds the values of the Marketplace-Entitlement field.
type entitlement struct {
	pkg, state string
	mode       tenant.Mode
}

// entitlementHeaders prepares the field for every package, state and mode:
// `"enterprise";state=active;mode=live` (RFC 9651). A combination that is missing here only
// costs an allocation.
func entitlementHeaders() map[entitlement][]string {
	all := map[entitlement][]string{}
	for _, pkg := range []string{"sandbox", "standard", "enterprise", "platform"} {
		for _, state := range []string{"active", "suspended", "contract-not-effective"} {
			for _, mode := range []tenant.Mode{tenant.Test, tenant.Live} {
				e := entitlement{pkg, state, mode}
				all[e] = []string{e.String()}
			}
		}
	}
	return all
}

func (e entitlement) String() string {
	return fmt.Sprintf("%q;state=%s;mode=%s", e.pkg, e.state, e.mode)
}

func (g *Gate) entitlementHeader(c posture.Caller) []string {
	e := entitlement{c.Package(), c.State(), c.Tenant().Mode}
	if prepared, ok := g.entitlements[e]; ok {
		return prepared
	}
	return []string{e.String()}
}

// capabilityPosture holds the values of the Marketplace-Capability field.
type capabilityPosture struct {
	capability posture.Capability
	posture    posture.Posture
}

// capabilityHeaders prepares `"rfq-create";posture=live` for every capability
// and posture.
func capabilityHeaders() map[capabilityPosture][]string {
	all := map[capabilityPosture][]string{}
	for capability := range posture.Capabilities() {
		for _, p := range []posture.Posture{posture.Disabled, posture.Sandbox, posture.PrivateBeta, posture.Live} {
			all[capabilityPosture{capability, p}] = []string{fmt.Sprintf("%q;posture=%s", capability, p)}
		}
	}
	return all
}
