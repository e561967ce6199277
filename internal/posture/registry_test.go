// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// TestRegistryIsThePublishedTable compares the registry with the table of API.md,
// "Capabilities, ceilings, codes, what ships".
func TestRegistryIsThePublishedTable(t *testing.T) {
	t.Parallel()
	type row struct{ Name, Code, Ceiling, Shipped, Read, Write string }
	want := []row{
		{"estimate", "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE", "Disabled", "Disabled", "", ""},
		{"rfq-create", "PARTNER_RFQ_CAPABILITY_UNAVAILABLE", "Live", "Live", "rfq:read", "rfq:write"},
		{"rfq-read", "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE", "Live", "Live", "rfq:read", "rfq:read"},
		{"rfq-list", "PARTNER_RFQ_LIST_CAPABILITY_UNAVAILABLE", "Live", "Live", "rfq:read", "rfq:read"},
		{"quote-read", "PARTNER_QUOTE_READ_CAPABILITY_UNAVAILABLE", "Live", "Live", "quote:read", "quote:read"},
		{"quote-accept", "PARTNER_QUOTE_ACCEPTANCE_CAPABILITY_UNAVAILABLE", "Disabled", "Disabled", "", ""},
		{"order", "PARTNER_ORDER_CAPABILITY_UNAVAILABLE", "Disabled", "Disabled", "order:read", "order:write"},
		{"order-batch", "PARTNER_BATCH_ORDER_CAPABILITY_UNAVAILABLE", "Disabled", "Disabled", "order:read", "order:write"},
		{"preflight", "PREFLIGHT_CAPABILITY_UNAVAILABLE", "Live", "Live", "preflight:read", "preflight:write"},
		{"xjdf", "XJDF_CAPABILITY_UNAVAILABLE", "PrivateBeta", "PrivateBeta", "xjdf:read", "xjdf:validate"},
		{"xjdf-costing", "XJDF_COSTING_CAPABILITY_UNAVAILABLE", "PrivateBeta", "PrivateBeta", "costing:calculate", "costing:calculate"},
		{"xjmf-inbound", "XJMF_CAPABILITY_UNAVAILABLE", "PrivateBeta", "PrivateBeta", "", ""},
		{"webhook-delivery", "WEBHOOK_CAPABILITY_UNAVAILABLE", "PrivateBeta", "PrivateBeta", "", ""},
		{"master-data-bridge", "MASTER_DATA_BRIDGE_CAPABILITY_UNAVAILABLE", "PrivateBeta", "PrivateBeta", "master_data:read", "master_data:read"},
	}
	var got []row
	for c := range posture.Capabilities() {
		d := c.Definition()
		got = append(got, row{c.String(), d.Code, d.Ceiling.Stage(), d.Shipped.Stage(), d.Read.String(), d.Write.String()})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("registry (-API.md +code):\n%s", diff)
	}
}

func TestShortLaddersHaveTheCeilingDisabled(t *testing.T) {
	t.Parallel()
	for c := range posture.Capabilities() {
		d := c.Definition()
		if d.Ladder != posture.Full && d.Ceiling != posture.Disabled {
			t.Errorf("%s skips checks but can be opened", c)
		}
		if d.Shipped > d.Ceiling {
			t.Errorf("%s ships above its ceiling", c)
		}
	}
}

func TestNamesRoundTrip(t *testing.T) {
	t.Parallel()
	for c := range posture.Capabilities() {
		if back, known := posture.ParseCapability(c.String()); !known || back != c {
			t.Errorf("%q parses to %v", c, back)
		}
	}
	for s := range posture.AllScopes() {
		if back, known := posture.ParseScope(s.String()); !known || back != s {
			t.Errorf("%q parses to %v", s, back)
		}
	}
	for _, name := range []string{"", "RFQ-CREATE", "rfq", "rfq-create ", "rfq:write"} {
		if c, known := posture.ParseCapability(name); known {
			t.Errorf("%q is the capability %v", name, c)
		}
	}
	for _, name := range []string{"", "rfq", "rfq:*", "RFQ:READ"} {
		if s, known := posture.ParseScope(name); known {
			t.Errorf("%q is the scope %v", name, s)
		}
	}
}

func TestScopesIsASet(t *testing.T) {
	t.Parallel()
	var none posture.Scopes
	some := none.With(posture.ScopeXJDFRead).With(posture.ScopeRFQRead).With(posture.ScopeRFQRead).With(posture.NoScope).With(200)
	if got := some.String(); got != "rfq:read xjdf:read" {
		t.Errorf("set %q", got)
	}
	if !some.Has(posture.ScopeRFQRead) || some.Has(posture.ScopeRFQWrite) || some.Has(200) || !none.Has(posture.NoScope) {
		t.Error("Has returns a wrong membership")
	}
	if none.String() != "" {
		t.Errorf("the empty set is %q", none)
	}
}

// TestEveryReasonHasAProblemCode requires that every refusal has a code in the problem
// table and that its class agrees with the code's status.
func TestEveryReasonHasAProblemCode(t *testing.T) {
	t.Parallel()
	status := map[posture.Class]int{
		posture.ClassUnavailable: 503, posture.ClassUnauthenticated: 401, posture.ClassForbidden: 403, posture.ClassClosed: 503,
	}
	names := map[string]bool{}
	form := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	for r := posture.ReasonUndecided; r <= posture.ReasonDependencyClosed; r++ {
		if names[r.String()] || !form.MatchString(r.String()) {
			t.Errorf("reason %d has the name %q", r, r)
		}
		names[r.String()] = true
		d := posture.Decision{Capability: posture.RFQCreate, Reason: r}
		if r.Class() == posture.ClassOpen {
			if !d.Allowed() || d.Code() != "" {
				t.Errorf("%s: allowed %t with code %q", r, d.Allowed(), d.Code())
			}
			continue
		}
		row, known := problem.Lookup(problem.Code(d.Code()))
		if !known || row.Status != status[r.Class()] || d.Allowed() {
			t.Errorf("%s: code %q is %+v, want status %d", r, d.Code(), row, status[r.Class()])
		}
	}
	for c := range posture.Capabilities() {
		if _, known := problem.Lookup(problem.Code(c.Definition().Code)); !known {
			t.Errorf("%s: code %q is not in the problem table", c, c.Definition().Code)
		}
	}
	if posture.Reason(250).Class() != posture.ClassUnavailable || posture.Reason(250).String() != "Undecided" {
		t.Error("an unknown value is not Undecided")
	}
	if code := (posture.Decision{Reason: 250}).Code(); code != "POSTURE_UNAVAILABLE" {
		t.Errorf("an unknown value has the code %q", code)
	}
}
