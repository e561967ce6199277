// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// attribute is a value of a partner that no decision shows.
type attribute struct {
	text string
	// amount is what a limit allows; only limited attributes have one.
	amount  int64
	limited bool
	// scopes replaces text for keys.
	scopes posture.Scopes
}

// attributes returns the changed values of partners that both sides have.
func attributes(before, after *side, now time.Time) []Change {
	var found []Change
	for _, name := range names(before, after) {
		o, n := before.Find(name), after.Find(name)
		if o == nil || n == nil {
			continue
		}
		was, is := before.attributesOf(o, now), after.attributesOf(n, now)
		all := maps.Clone(was)
		maps.Copy(all, is)
		for _, subject := range slices.Sorted(maps.Keys(all)) {
			old, hasOld := was[subject]
			current, hasNew := is[subject]
			// The questions cover what only one side has.
			if hasOld && hasNew && old != current {
				change := Change{Effect: old.becomes(current), Partner: name, Subject: subject, Old: old.text, New: current.text}
				if old.text+current.text == "" { // the lost and the gained scopes
					change.Old, change.New = (old.scopes &^ current.scopes).String(), (current.scopes &^ old.scopes).String()
				}
				change.Old, change.New = cmp.Or(change.Old, "-"), cmp.Or(change.New, "-")
				found = append(found, change)
			}
		}
	}
	return found
}

// becomes returns the effect of a change. A higher limit opens only if the old limit
// was zero.
func (a attribute) becomes(b attribute) Effect {
	switch {
	case a.limited && a.amount == 0 && b.amount > 0, b.scopes&^a.scopes != 0:
		return EffectOpens
	case a.limited && a.amount > 0 && b.amount == 0, a.scopes&^b.scopes != 0:
		return EffectCloses
	default:
		return EffectAlters
	}
}

func (s *side) attributesOf(o *v1alpha1.PartnerEntitlement, now time.Time) map[string]attribute {
	all := map[string]attribute{"organization": {text: o.Spec.OrganizationID}}
	caller, reason := s.Caller(o, s.Probe(o, tenant.Live), tenant.Live, now)
	if reason != posture.ReasonOpen {
		return all
	}
	all["scopes"] = attribute{scopes: caller.Scopes()}
	for _, surface := range []posture.Surface{posture.SurfacePartner, posture.SurfacePreflight, posture.SurfaceXJDF, posture.SurfaceXJMF, posture.SurfaceBridge} {
		rate := caller.Rate(surface)
		all["rate of "+surface.String()] = attribute{text: fmt.Sprintf("%d/%s", rate.Requests, Duration(rate.Window)), amount: rate.Requests, limited: true}
	}
	for c := range posture.Capabilities() {
		// A grant that is not in force has no quota.
		if quota := s.snapshot.Decide(caller, c, true, now).Quota; quota != (posture.Quota{}) {
			all["quota of "+c.String()] = attribute{text: Quota(quota), amount: quota.Limit, limited: true}
		}
	}
	workers := s.snapshot.Workers(o.Spec.OrganizationID)
	share := "weight " + strconv.Itoa(workers.Weight)
	if workers.MaxInFlight > 0 {
		share += ", at most " + strconv.Itoa(workers.MaxInFlight)
	}
	all["workers of preflight"] = attribute{text: share}
	profiles := []string{}
	for _, p := range caller.Profiles() {
		profiles = append(profiles, fmt.Sprintf("%s %s (%.8s)", p.Name, p.Version, p.Digest))
	}
	all["profiles of preflight"] = attribute{text: cmp.Or(strings.Join(profiles, ", "), "built-in ones")}
	for _, key := range o.Spec.Keys {
		digest, err := credential.ParseDigest(key.SHA256)
		mode, errMode := tenant.ParseMode(strings.ToLower(string(key.Kind)))
		if err != nil || errMode != nil {
			continue
		}
		if caller, reason := s.Caller(o, digest, mode, now); reason == posture.ReasonOpen {
			all["scopes of key "+key.Name] = attribute{scopes: caller.Scopes()}
		}
	}
	return all
}
