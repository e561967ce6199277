// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// overviewBody holds the data of a partner for itself.
type overviewBody struct {
	Organization, Package, Standing string
	Mode                            tenant.Mode
	ContractFrom, ContractUntil     time.Time
	Key                             string
	SignedInUntil                   time.Time
	Capabilities                    []capabilityRow
	Histories                       []history
	Keys                            []keyRow
	activity
}

// quotas are the capabilities with a quota, in the order of the histories.
func (b *overviewBody) quotas() []capabilityRow {
	var rows []capabilityRow
	for _, row := range b.Capabilities {
		if row.Quota != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// capabilityRow is a capability with the time since when the caller has this access to it.
type capabilityRow struct {
	gate.CapabilityAccess
	Since posture.Since
}

// accessWords are the labels of the kinds of access.
var accessWords = map[gate.Access]string{gate.FullAccess: "full", gate.ReadAccess: "read only", gate.NoAccess: "none"}

// overview serves the first page of a partner.
func (s *server) overview(v *visit) response {
	capabilities, err := gate.AccessOf(v.Context(), v, s.Records, v.caller, v.now)
	if err != nil {
		return failed(err)
	}
	// The keys of both modes: a partner looks for unused keys.
	keys, err := s.keyRows(v, v.caller.Partner(), v.caller.Keys(), v.caller.Digest())
	if err != nil {
		return failed(err)
	}
	terms := v.caller.Terms()
	body := overviewBody{
		Organization: v.caller.Tenant().Organization, Package: v.caller.Package(), Standing: v.caller.State(), Mode: v.caller.Tenant().Mode,
		ContractFrom: terms.ContractFrom, ContractUntil: terms.ContractUntil,
		Key: v.caller.KeyName(), SignedInUntil: v.session.SignedIn.Add(longest), Keys: keys,
	}
	for _, capability := range capabilities {
		body.Capabilities = append(body.Capabilities, capabilityRow{capability, v.snapshot.Since(v.caller, capability.Capability, true, v.now)})
		if capability.Quota == nil {
			continue
		}
		used, err := s.history(v, capability)
		if err != nil {
			return failed(err)
		}
		body.Histories = append(body.Histories, used)
	}
	if err := s.addActivity(v, &body); err != nil {
		return failed(err)
	}
	title := v.displayName()
	return show(pageOverview, title, overviewPage(title, body))
}

// reason describes why the caller does not have full access.
func (c *capabilityRow) reason() string {
	if c.Refusal == nil {
		return ""
	}
	return c.Refusal.Detail
}

// accessColumns are the columns of the effective access that have a value.
type accessColumns struct{ Reason, Opens, Ends bool }

func columnsOf(rows []capabilityRow) (c accessColumns) {
	for i := range rows {
		c.Reason = c.Reason || rows[i].reason() != ""
		c.Opens = c.Opens || !rows[i].Opens.IsZero()
		c.Ends = c.Ends || !rows[i].GrantedUntil.IsZero()
	}
	return c
}

func (c accessColumns) names() []string {
	names := []string{"Capability", "Posture", "Your access"}
	if c.Reason {
		names = append(names, "Reason for limited access")
	}
	names = append(names, "Since")
	if c.Opens {
		names = append(names, "Opens")
	}
	if c.Ends {
		names = append(names, "Grant ends")
	}
	return names
}

// per is a window of time after "per", in the largest unit that divides it: "day", "12 hours".
func per(window time.Duration) string {
	for _, unit := range [...]struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if window%unit.length == 0 {
			return strings.TrimPrefix(count(window/unit.length, unit.name), "1 ")
		}
	}
	return window.String()
}

type keyRow struct {
	posture.KeyTerms
	State string
	// Current reports whether the visitor has signed in with this key.
	Current bool
	// Expiring reports whether the key is active and expires soon.
	Expiring bool
	// ExpiresIn is the time to the end of an expiring key.
	ExpiresIn string
	Scopes    []string
	LastUsed  time.Time
	// Unused are scopes that no request has required for 30 days; empty if that is unknown.
	Unused []string
	// Issue is the command that issues a key without them; empty if no scope is left.
	Issue string
}

// The states of keys.
const (
	keyActive  = "active"
	keyRevoked = "revoked"
	keyExpired = "expired"
)

// unused reports whether the key is active and was never used.
func (k *keyRow) unused() bool { return k.State == keyActive && k.LastUsed.IsZero() }

// scopesShown is the largest number of scopes that a table shows without a fold.
const scopesShown = 2

// quotaState describes how much of a quota is used.
func quotaState(quota *gate.QuotaUse) (kind, string) {
	switch {
	case quota.Remaining <= 0:
		return kindDanger, "used up"
	case quota.Used == 0:
		return kindNeutral, "unused"
	case nearlyUsed(quota):
		return kindAttention, "nearly used up"
	case quota.Used*100 < quota.Limit:
		return kindOK, "less than 1 % used"
	default:
		return kindOK, strconv.FormatInt(quota.Used*100/quota.Limit, 10) + " % used"
	}
}

// nearlyUsed reports whether at most a fifth of a quota remains.
func nearlyUsed(quota *gate.QuotaUse) bool { return quota.Remaining*5 <= quota.Limit }

// keyRows adds to keys their state and last use. The current key is the one that the
// visitor has signed in with; the zero digest is none.
func (s *server) keyRows(v *visit, partner string, keys []posture.KeyTerms, current credential.Digest) ([]keyRow, error) {
	digests := make([]credential.Digest, len(keys))
	for i := range keys {
		digests[i] = keys[i].Digest
	}
	uses, err := s.Records.KeyUses(v.Context(), digests)
	if err != nil {
		return nil, err
	}
	used := map[credential.Digest]credential.Use{}
	for _, use := range uses {
		used[use.Key] = use
	}
	rows := make([]keyRow, len(keys))
	for i, key := range keys {
		rows[i] = keyRow{KeyTerms: key, State: keyActive, Current: key.Digest == current, LastUsed: used[key.Digest].At}
		if rows[i].Current {
			// The store does not have this use yet.
			rows[i].LastUsed = v.now.Truncate(credential.UseGrain)
		}
		switch {
		case key.Revoked:
			rows[i].State = keyRevoked
		case key.Expires.IsZero():
		case !v.now.Before(key.Expires):
			rows[i].State = keyExpired
		default:
			left := key.Expires.Sub(v.now)
			rows[i].Expiring, rows[i].ExpiresIn = left <= soon, "in less than a day"
			if days := int(left / (24 * time.Hour)); days > 0 {
				rows[i].ExpiresIn = "in " + count(days, "day")
			}
		}
		rows[i].Scopes = key.Scopes.Names()
		if rows[i].State == keyActive {
			rows[i].Unused = used[key.Digest].UnusedScopes(rows[i].Scopes, v.now)
		}
		if n := len(rows[i].Unused); n > 0 && n < len(rows[i].Scopes) {
			rows[i].Issue = s.issueCommand(partner, &rows[i], keys)
		}
	}
	return rows, nil
}

// issueCommand returns the command that issues a key of the same kind with the used scopes only.
func (s *server) issueCommand(partner string, row *keyRow, keys []posture.KeyTerms) string {
	var scopes []string
	for _, scope := range row.Scopes {
		if !slices.Contains(row.Unused, scope) {
			scopes = append(scopes, scope)
		}
	}
	name := ""
	for n := 2; name == "" || slices.ContainsFunc(keys, func(k posture.KeyTerms) bool { return k.Name == name }); n++ {
		name = row.Name + "-" + strconv.Itoa(n)
	}
	from := ""
	if s.Tour != nil {
		from = "--from " + quoted(s.Tour.Resources) + " "
	}
	return "printmarket keys issue " + from + "--partner " + quoted(partner) + " --name " + quoted(name) +
		" --kind " + string(row.Mode) + " --scopes " + strings.Join(scopes, ",")
}
