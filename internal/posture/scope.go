// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"iter"
	"slices"
	"strings"
)

// Scope is one permission of an API key. The zero value, NoScope, requires no
// permission.
type Scope uint8

// The scopes, in the order in which they are listed.
const (
	NoScope Scope = iota
	ScopeRFQRead
	ScopeRFQWrite
	ScopeQuoteRead
	ScopePreflightRead
	ScopePreflightWrite
	ScopeXJDFRead
	ScopeXJDFValidate
	ScopeCostingCalculate
	ScopeCostingPreview
	ScopeOrderRead
	ScopeOrderWrite
	ScopeSessionCreate
	ScopeAccountRead
	ScopeWebhooksWrite
	ScopeMasterDataRead
	ScopeDevicesRead
	// Scopes of the platform itself, for the package Platform only.
	ScopeQuotesIngest
	ScopeOpsRead
	ScopeMasterDataWrite
	ScopeOrganizationsErase

	scopeCount
)

var scopeNames = [scopeCount]string{
	ScopeRFQRead:            "rfq:read",
	ScopeRFQWrite:           "rfq:write",
	ScopeQuoteRead:          "quote:read",
	ScopePreflightRead:      "preflight:read",
	ScopePreflightWrite:     "preflight:write",
	ScopeXJDFRead:           "xjdf:read",
	ScopeXJDFValidate:       "xjdf:validate",
	ScopeCostingCalculate:   "costing:calculate",
	ScopeCostingPreview:     "costing:preview",
	ScopeOrderRead:          "order:read",
	ScopeOrderWrite:         "order:write",
	ScopeSessionCreate:      "session:create",
	ScopeAccountRead:        "account:read",
	ScopeWebhooksWrite:      "webhooks:write",
	ScopeMasterDataRead:     "master_data:read",
	ScopeDevicesRead:        "devices:read",
	ScopeQuotesIngest:       "quotes:ingest",
	ScopeOpsRead:            "ops:read",
	ScopeMasterDataWrite:    "masterdata:write",
	ScopeOrganizationsErase: "organizations:erase",
}

// platformScopes holds the scopes that only the package Platform may have.
const platformScopes = Scopes(1<<ScopeQuotesIngest | 1<<ScopeOpsRead | 1<<ScopeMasterDataWrite | 1<<ScopeOrganizationsErase)

// String returns the scope's name in custom resources and problems; empty for NoScope
// and unknown values.
func (s Scope) String() string {
	if s >= scopeCount {
		return ""
	}
	return scopeNames[s]
}

// MarshalText encodes the name.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseScope finds a scope by name. It returns false for an unknown name.
func ParseScope(name string) (Scope, bool) {
	for s := NoScope + 1; s < scopeCount; s++ {
		if scopeNames[s] == name {
			return s, true
		}
	}
	return NoScope, false
}

// AllScopes yields every scope.
func AllScopes() iter.Seq[Scope] {
	return func(yield func(Scope) bool) {
		for s := NoScope + 1; s < scopeCount; s++ {
			if !yield(s) {
				return
			}
		}
	}
}

// Scopes is a set of scopes. The zero value is empty.
type Scopes uint32

// Has reports whether the set contains a scope. Every set contains NoScope.
func (set Scopes) Has(s Scope) bool {
	return s == NoScope || s < scopeCount && set&(1<<s) != 0
}

// With returns the set with one more scope. Unknown values add nothing.
func (set Scopes) With(s Scope) Scopes {
	if s == NoScope || s >= scopeCount {
		return set
	}
	return set | 1<<s
}

// All yields the scopes of the set.
func (set Scopes) All() iter.Seq[Scope] {
	return func(yield func(Scope) bool) {
		for s := range AllScopes() {
			if set.Has(s) && !yield(s) {
				return
			}
		}
	}
}

// Names returns the names of the scopes, sorted.
func (set Scopes) Names() []string {
	var names []string
	for s := range set.All() {
		names = append(names, s.String())
	}
	slices.Sort(names)
	return names
}

// String lists the scopes, separated by single spaces.
func (set Scopes) String() string {
	var names []string
	for s := range set.All() {
		names = append(names, s.String())
	}
	return strings.Join(names, " ")
}

// MarshalText encodes the list of String.
func (set Scopes) MarshalText() ([]byte, error) { return []byte(set.String()), nil }
