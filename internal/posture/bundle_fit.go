// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"encoding/json"
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
	fitted := Bundle{}
	entries := bundleEntries{}
	size := envelope
	for _, o := range oldestFirst(senders) {
		own := b.of(o, now)
		more := 0
		for slot, entry := range own {
			more += encodedLen(slot, entry)
		}
		if size+more > limit {
			fitted.full = true
			continue
		}
		size += more
		for slot, entry := range own {
			entries[slot] = entry
		}
	}
	fitted.entries = func() bundleEntries { return entries }
	return fitted
}

// of is one sender's part of the bundle without the values whose time is over.
func (b Bundle) of(o *v1alpha1.XJMFSender, now time.Time) bundleEntries {
	own := bundleEntries{}
	if b.entries == nil {
		return own
	}
	all := b.entries()
	for i := range o.Spec.Secrets {
		s := &o.Spec.Secrets[i]
		slot := secretSlot{o.Namespace, o.Name, s.Name, s.SecretRef}
		entry, found := all[slot]
		if !found {
			continue
		}
		if s.NotAfter != nil && !now.Before(s.NotAfter.Time) {
			entry = bundleEntry{}
		}
		own[slot] = entry
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

// oldestFirst is the order of precedence, as far as it can be told without the
// content: within one cluster no two senders have the same namespace and name.
func oldestFirst(senders []v1alpha1.XJMFSender) []*v1alpha1.XJMFSender {
	order := make([]*v1alpha1.XJMFSender, 0, len(senders))
	for i := range senders {
		order = append(order, &senders[i])
	}
	slices.SortStableFunc(order, func(a, b *v1alpha1.XJMFSender) int {
		x := identity{created: a.CreationTimestamp.Unix(), namespace: a.Namespace, name: a.Name}
		y := identity{created: b.CreationTimestamp.Unix(), namespace: b.Namespace, name: b.Name}
		return x.compare(&y)
	})
	return order
}

// Fingerprint tells whether one sender's part of the bundle has changed. It
// stays in memory: it is made from secrets.
func (b Bundle) Fingerprint(namespace, sender string) [sha256.Size]byte {
	var e encoder
	e.reset("fingerprint", namespace)
	for _, slot := range b.slots() {
		if slot.namespace == namespace && slot.sender == sender {
			e.slot(slot, b.entries()[slot])
		}
	}
	return e.sum()
}
