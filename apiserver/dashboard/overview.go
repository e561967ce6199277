// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/account"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// overviewBody is what a partner sees of itself.
type overviewBody struct {
	Organization, Package, Standing string
	Mode                            tenant.Mode
	ContractFrom, ContractUntil     instant
	Key                             string
	SignedInUntil                   instant
	Capabilities                    []capabilityRow
	Quotas                          []quotaRow
	Histories                       []history
	Keys                            []keyRow
}

type capabilityRow struct {
	Name, Posture, Access, Reason string
	// Since is since when that is so, or at the earliest if Edited, Opens when the
	// schedule will change it.
	Since, Opens instant
	Edited       bool
}

type quotaRow struct {
	Name                   string
	Used, Limit, Remaining int64
	Window                 string
	Resets                 instant
}

type keyRow struct {
	Name, State string
	Mode        tenant.Mode
	// Current is whether it is the key that was signed in with.
	Current           bool
	Scopes            []string
	LastUsed, Expires instant
}

// overview serves the first page of whoever has signed in.
func (b *board) overview(v *visit) answer {
	capabilities, err := account.Capabilities(v.Context(), v, b.Records, v.caller.Tenant(), v.now)
	if err != nil {
		return failed(err)
	}
	keys, err := b.keys(v)
	if err != nil {
		return failed(err)
	}
	terms := v.caller.Terms()
	body := overviewBody{
		Organization: v.caller.Tenant().Organization, Package: v.caller.Package(), Standing: v.caller.State(), Mode: v.caller.Tenant().Mode,
		ContractFrom: instant(terms.ContractFrom), ContractUntil: instant(terms.ContractUntil),
		Key: v.caller.KeyName(), SignedInUntil: instant(v.session.SignedIn.Add(longest)), Keys: keys,
	}
	for _, capability := range capabilities {
		row := capabilityOf(capability)
		since := v.snapshot.Since(v.caller, capability.Capability, true, v.now)
		row.Since, row.Edited = instant(since.At), since.Edited
		body.Capabilities = append(body.Capabilities, row)
		if capability.Quota == nil {
			continue
		}
		past, err := b.history(v, capability)
		if err != nil {
			return failed(err)
		}
		body.Quotas, body.Histories = append(body.Quotas, quotaOf(capability)), append(body.Histories, past)
	}
	return answer{status: http.StatusOK, page: pageOverview, title: v.organization(), content: overviewPage(v.organization(), body)}
}

// accessWords are the kinds of access for people.
var accessWords = map[account.Access]string{account.Full: "full", account.Read: "read only", account.None: "none"}

func capabilityOf(c account.Capability) capabilityRow {
	row := capabilityRow{
		Name: c.Capability.String(), Posture: c.Posture.String(), Access: accessWords[c.Access], Opens: instant(c.Opens),
	}
	if c.Refusal != nil {
		row.Reason = c.Refusal.Detail
	}
	return row
}

func quotaOf(c account.Capability) quotaRow {
	return quotaRow{
		Name: c.Capability.String(), Used: c.Quota.Used, Limit: c.Quota.Limit, Remaining: c.Quota.Remaining,
		Window: span(c.Quota.Window), Resets: instant(c.Quota.Resets),
	}
}

// units are those that a window is told in, the largest first.
var units = [...]struct {
	length time.Duration
	name   string
}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}

// span is a window in the largest unit of which it is a whole number.
func span(window time.Duration) string {
	for _, unit := range units {
		switch count := window / unit.length; {
		case window%unit.length != 0:
		case count == 1:
			return "1 " + unit.name
		default:
			return fmt.Sprintf("%d %ss", count, unit.name)
		}
	}
	return window.String()
}

// keys are those of the partner, of both kinds: whoever looks after one wants to
// know which of the others nobody needs.
func (b *board) keys(v *visit) ([]keyRow, error) {
	return b.keyRows(v, v.caller.Keys(), v.caller.Digest())
}

// keyRows are keys with their last uses. The current one is used at this moment; it is
// zero if it is none of them.
func (b *board) keyRows(v *visit, terms []posture.KeyTerms, current credential.Digest) ([]keyRow, error) {
	digests := make([]credential.Digest, len(terms))
	for i := range terms {
		digests[i] = terms[i].Digest
	}
	uses, err := b.Records.KeyUses(v.Context(), digests)
	if err != nil {
		return nil, err
	}
	used := map[credential.Digest]time.Time{}
	for _, use := range uses {
		used[use.Key] = use.At
	}
	// The use of this moment is written some time later.
	used[current] = v.now.Truncate(lastused.Grain)
	rows := make([]keyRow, len(terms))
	for i, key := range terms {
		rows[i] = keyRow{
			Name: key.Name, Mode: key.Mode, State: stateOf(key, v.now), Current: key.Digest == current,
			LastUsed: instant(used[key.Digest]), Expires: instant(key.Expires),
		}
		for scope := range key.Scopes.All() {
			rows[i].Scopes = append(rows[i].Scopes, scope.String())
		}
		slices.Sort(rows[i].Scopes)
	}
	return rows, nil
}

func stateOf(key posture.KeyTerms, now time.Time) string {
	switch {
	case key.Revoked:
		return "revoked"
	case !key.Expires.IsZero() && !now.Before(key.Expires):
		return "expired"
	default:
		return "active"
	}
}
