// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
)

// attribute is something of a partner that has no yes or no.
type attribute struct {
	text string
	// amount is how much a limit allows; unlimited attributes have none.
	amount  int64
	limited bool
	// scopes are what a key may do at most; they have no text.
	scopes posture.Scopes
}

// attributes tells what else changes for partners that are on both sides.
func attributes(before, after *prober, now time.Time) []postureChange {
	var found []postureChange
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
			// What is on one side alone is told by the answers.
			if hasOld && hasNew && old != current {
				change := postureChange{Effect: old.becomes(current), Partner: name, Subject: subject}
				change.Old, change.New = old.texts(current)
				found = append(found, change)
			}
		}
	}
	return found
}

// becomes is the effect of a change. A limit opens nothing, unless nothing was
// allowed before.
func (a attribute) becomes(b attribute) effect {
	switch {
	case a.limited && a.amount == 0 && b.amount > 0, b.scopes&^a.scopes != 0:
		return effectOpens
	case a.limited && a.amount > 0 && b.amount == 0, a.scopes&^b.scopes != 0:
		return effectCloses
	default:
		return effectAlters
	}
}

// texts are the old and the new value: of scopes those that are lost, and those
// that are gained.
func (a attribute) texts(b attribute) (before, after string) {
	if a.text != "" || b.text != "" {
		return dash(a.text), dash(b.text)
	}
	return dash((a.scopes &^ b.scopes).String()), dash((b.scopes &^ a.scopes).String())
}

func (p *prober) attributesOf(o *v1alpha1.PartnerEntitlement, now time.Time) map[string]attribute {
	all := map[string]attribute{}
	all["organization"] = attribute{text: o.Spec.OrganizationID}
	caller, reason := p.Caller(o, p.Probe(o, tenant.Live), tenant.Live, now)
	if reason != posture.ReasonOpen {
		return all
	}
	all["scopes"] = scopesAttribute(caller.Scopes())
	for _, surface := range []posture.Surface{posture.SurfacePartner, posture.SurfacePreflight, posture.SurfaceXJDF, posture.SurfaceXJMF, posture.SurfaceBridge} {
		rate := caller.Rate(surface)
		all["rate of "+surface.String()] = attribute{text: fmt.Sprintf("%d/%s", rate.Requests, shortDuration(rate.Window)), amount: rate.Requests, limited: true}
	}
	for c := range posture.Capabilities() {
		if explain.Granted(o, c) {
			quota := p.Snapshot().Decide(caller, c, true, now).Quota
			all["quota of "+c.String()] = attribute{text: quotaText(quota), amount: quota.Limit, limited: true}
		}
	}
	workers := p.Snapshot().Workers(o.Spec.OrganizationID)
	all["workers of preflight"] = attribute{text: workersText(workers)}
	p.keyAttributes(o, now, all)
	return all
}

func workersText(w posture.WorkerShare) string {
	text := "weight " + strconv.Itoa(w.Weight)
	if w.MaxInFlight > 0 {
		text += ", at most " + strconv.Itoa(w.MaxInFlight)
	}
	return text
}

// keyAttributes are the scopes of each key that is accepted.
func (p *prober) keyAttributes(o *v1alpha1.PartnerEntitlement, now time.Time, all map[string]attribute) {
	for _, key := range o.Spec.Keys {
		digest, err := credential.ParseDigest(key.SHA256)
		mode, errMode := tenant.ParseMode(strings.ToLower(string(key.Kind)))
		if err != nil || errMode != nil {
			continue
		}
		if caller, reason := p.Caller(o, digest, mode, now); reason == posture.ReasonOpen {
			all["scopes of key "+key.Name] = scopesAttribute(caller.Scopes())
		}
	}
}

func scopesAttribute(s posture.Scopes) attribute { return attribute{scopes: s} }
