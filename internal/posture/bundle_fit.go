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

// BundleLimit is the maximum length in bytes of an encoded bundle from the controller.
// It leaves room in a Secret for the rest of its data.
const BundleLimit = 900 << 10

// envelope is an upper bound, in bytes, for an encoded bundle without its entries.
const envelope = 64

// Fit removes expired values, which is no trouble, and limits the length of the
// bundle's encoding in bytes. It admits senders oldest first, each with all of its
// secrets or none. Senders without room get the trouble SecretCapacity.
func (b Bundle) Fit(senders []v1alpha1.XJMFSender, now time.Time, limit int) Bundle {
	return b.fit(sendersAsHolders(senders), now, limit)
}

// FitWebhooks limits a bundle for webhooks like [Bundle.Fit]: it admits partners oldest
// first, each with the secrets of all of its webhooks or none.
func (b Bundle) FitWebhooks(partners []v1alpha1.PartnerEntitlement, now time.Time, limit int) Bundle {
	return b.fit(partnersAsHolders(partners), now, limit)
}

// holder is an object whose secrets are either all in a bundle or all omitted.
type holder struct {
	// identity has no content hash: within one cluster, namespace and name identify an
	// object of a kind.
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
		h := holder{identity: identity{meta: &o.ObjectMeta}}
		h.add("", o.Spec.Secrets)
		holders = append(holders, h)
	}
	return holders
}

// partnersAsHolders returns the partners that have webhooks. Webhooks without a name
// are not compiled and require no secret.
func partnersAsHolders(partners []v1alpha1.PartnerEntitlement) []holder {
	var holders []holder
	for i := range partners {
		o := &partners[i]
		h := holder{identity: identity{meta: &o.ObjectMeta}}
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
		h.secrets = append(h.secrets, held{secretSlot{h.meta.Namespace, h.meta.Name, webhook, s.Name, s.SecretRef}, s})
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
			// The entry and its comma. Strings and bytes always encode.
			data, err := json.Marshal(newEntryDocument(slot, entry))
			if more += len(data) + 1; err != nil {
				more = MaxBundleLen
			}
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

// of returns one holder's part of the bundle without expired values.
func (b Bundle) of(h *holder, now time.Time) bundleEntries {
	own, all := bundleEntries{}, b.all()
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

// Fingerprints returns a digest of the part of the bundle of each sender or partner that has one, to
// detect changes. They must stay in memory: they are derived from secrets.
func (b Bundle) Fingerprints() map[ObjectName][sha256.Size]byte {
	fingerprints := map[ObjectName][sha256.Size]byte{}
	var e encoder
	var current ObjectName
	// The slots of one holder follow each other.
	for _, slot := range b.slots() {
		if of := (ObjectName{slot.namespace, slot.holder}); of != current {
			current = of
			e.reset("fingerprint", slot.namespace)
		}
		e.slot(slot, b.entries()[slot])
		fingerprints[current] = e.sum()
	}
	return fingerprints
}
