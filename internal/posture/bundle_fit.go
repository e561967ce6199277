// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// BundleLimit is how long the controller lets an encoded bundle become. It
// leaves room in a Secret for the rest of its data.
const BundleLimit = 900 << 10

// envelope is more than everything in an encoded bundle but its entries takes.
const envelope = 64

// Fit leaves out the values whose time is over, which is no trouble, and makes
// the bundle's encoding no longer than limit: senders are let in oldest first,
// each with all of its secrets or none, and those for whom there is no room
// are in trouble with SecretCapacity.
func (b Bundle) Fit(senders []v1alpha1.XJMFSender, now time.Time, limit int) Bundle {
	return b.fit(sendersAsHolders(senders), now, limit)
}

// FitWebhooks does for a bundle for webhooks what [Bundle.Fit] does: partners are
// let in oldest first, each with the secrets of all of its webhooks or none.
func (b Bundle) FitWebhooks(partners []v1alpha1.PartnerEntitlement, now time.Time, limit int) Bundle {
	return b.fit(partnersAsHolders(partners), now, limit)
}

// holder is an object whose secrets are in a bundle together or not at all.
type holder struct {
	// identity is without the content: within one cluster no two objects of a kind
	// have the same namespace and name.
	identity
	secrets []held
}

// held is one secret of a holder.
type held struct {
	slot secretSlot
	spec *v1alpha1.SharedSecret
}

func sendersAsHolders(senders []v1alpha1.XJMFSender) []holder {
	holders := make([]holder, 0, len(senders))
	for i := range senders {
		o := &senders[i]
		h := holder{identity: identity{created: o.CreationTimestamp.Unix(), namespace: o.Namespace, name: o.Name}}
		h.add("", o.Spec.Secrets)
		holders = append(holders, h)
	}
	return holders
}

// partnersAsHolders are the partners that have webhooks. What has no name is not
// compiled and needs no secret.
func partnersAsHolders(partners []v1alpha1.PartnerEntitlement) []holder {
	var holders []holder
	for i := range partners {
		o := &partners[i]
		h := holder{identity: identity{created: o.CreationTimestamp.Unix(), namespace: o.Namespace, name: o.Name}}
		for j := range o.Spec.Webhooks {
			if w := &o.Spec.Webhooks[j]; w.Name != "" && o.Spec.Package != v1alpha1.PackagePlatform {
				h.add(w.Name, w.Secrets)
			}
		}
		if len(h.secrets) > 0 {
			holders = append(holders, h)
		}
	}
	return holders
}

func (h *holder) add(webhook string, secrets []v1alpha1.SharedSecret) {
	for i := range secrets {
		s := &secrets[i]
		h.secrets = append(h.secrets, held{secretSlot{h.namespace, h.name, webhook, s.Name, s.SecretRef}, s})
	}
}

func (b Bundle) fit(holders []holder, now time.Time, limit int) Bundle {
	fitted := Bundle{purpose: b.purpose}
	entries := bundleEntries{}
	size := envelope
	slices.SortStableFunc(holders, func(x, y holder) int { return x.compare(&y.identity) })
	for i := range holders {
		own := b.of(&holders[i], now)
		more := 0
		for slot, entry := range own {
			more += encodedLen(slot, entry)
		}
		if size+more > limit {
			fitted.full = true
			continue
		}
		size += more
		maps.Copy(entries, own)
	}
	fitted.entries = func() bundleEntries { return entries }
	return fitted
}

// of is one holder's part of the bundle without the values whose time is over.
func (b Bundle) of(h *holder, now time.Time) bundleEntries {
	own := bundleEntries{}
	if b.entries == nil {
		return own
	}
	all := b.entries()
	for _, one := range h.secrets {
		entry, found := all[one.slot]
		if !found {
			continue
		}
		if end := one.spec.NotAfter; end != nil && !now.Before(end.Time) {
			entry = bundleEntry{}
		}
		own[one.slot] = entry
	}
	return own
}

// encodedLen is what an entry adds to an encoding, with its comma.
func encodedLen(slot secretSlot, entry bundleEntry) int {
	data, err := json.Marshal(newEntryDocument(slot, entry))
	if err != nil {
		// Texts and bytes always encode.
		return MaxBundleLen
	}
	return len(data) + 1
}

// Fingerprint tells whether one sender's part of the bundle has changed. It
// stays in memory: it is made from secrets.
func (b Bundle) Fingerprint(namespace, sender string) [sha256.Size]byte {
	var e encoder
	e.reset("fingerprint", namespace)
	for _, slot := range b.slots() {
		if slot.namespace == namespace && slot.holder == sender {
			e.slot(slot, b.entries()[slot])
		}
	}
	return e.sum()
}
