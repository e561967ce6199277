// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// MinSecretLen is the shortest shared secret, in bytes: as long as the output
// of HMAC-SHA-256.
const MinSecretLen = 32

// SecretData is one Secret of the cluster, or of a directory.
type SecretData struct {
	Namespace, Name string
	Data            map[string]credential.Secret
}

// Bundle is the shared secrets that the senders need and nothing else of the
// Secrets that they were in. It prints as "[redacted]". The zero Bundle is
// empty.
type Bundle struct {
	// entries is a function because fmt prints the unexported fields of a
	// structure without asking their methods, and for some verbs follows
	// pointers as well; it cannot look into a function.
	entries func() bundleEntries
	// full is set when there was no room for senders: those of which nothing
	// is in the bundle are the ones that were left out.
	full bool
}

type bundleEntries map[secretSlot]bundleEntry

// secretSlot is where a sender expects a value. The reference belongs to it:
// when a sender is pointed at another Secret, the value of the former one must
// not count any longer.
type secretSlot struct {
	namespace, sender, name string
	ref                     v1alpha1.SecretKeyReference
}

type bundleEntry struct {
	value credential.Secret
	// trouble is the reason of the condition SecretsResolved; empty if none.
	trouble string
}

// NewBundle resolves the references of the senders. A sender whose partner is
// not there contributes nothing: its secrets have no use.
func NewBundle(senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement, secrets []SecretData) Bundle {
	type object struct{ namespace, name string }
	known := make(map[object]bool, len(partners))
	for i := range partners {
		known[object{partners[i].Namespace, partners[i].Name}] = true
	}
	data := make(map[object]map[string]credential.Secret, len(secrets))
	for _, s := range secrets {
		data[object{s.Namespace, s.Name}] = s.Data
	}
	entries := bundleEntries{}
	for i := range senders {
		o := &senders[i]
		if !known[object{o.Namespace, o.Spec.Partner}] {
			continue
		}
		for j := range o.Spec.Secrets {
			s := &o.Spec.Secrets[j]
			slot := secretSlot{o.Namespace, o.Name, s.Name, s.SecretRef}
			if !IsPlatformSecret(s.SecretRef.Name) {
				entries[slot] = newBundleEntry(data[object{o.Namespace, s.SecretRef.Name}], s.SecretRef.Key)
			}
		}
	}
	return Bundle{entries: func() bundleEntries { return entries }}
}

// IsPlatformSecret reports whether a Secret is one of those that the platform
// itself uses. To senders they are not there, whatever admission has let pass.
func IsPlatformSecret(name string) bool {
	return strings.HasPrefix(name, v1alpha1.PlatformSecretPrefix)
}

func newBundleEntry(data map[string]credential.Secret, key string) bundleEntry {
	value, found := data[key]
	switch {
	case !found:
		return bundleEntry{trouble: v1alpha1.ReasonSecretNotFound}
	case len(value) < MinSecretLen:
		return bundleEntry{trouble: v1alpha1.ReasonSecretTooShort}
	default:
		return bundleEntry{value: value}
	}
}

// lookup finds a value. What is not in the bundle is a Secret that was not
// found, or one for which there was no room.
func (b Bundle) lookup(slot secretSlot) bundleEntry {
	if b.entries != nil {
		if entry, found := b.entries()[slot]; found {
			return entry
		}
	}
	if b.full {
		return bundleEntry{trouble: v1alpha1.ReasonSecretCapacity}
	}
	return bundleEntry{trouble: v1alpha1.ReasonSecretNotFound}
}

// String hides the values.
func (Bundle) String() string { return "[redacted]" }

// GoString hides the values from %#v.
func (b Bundle) GoString() string { return b.String() }

// Format hides the values from every verb.
func (b Bundle) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = io.WriteString(state, b.String())
}

// LogValue hides the values from slog.
func (b Bundle) LogValue() slog.Value { return slog.StringValue(b.String()) }

// MarshalText hides the values from encoders.
func (b Bundle) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// slots are where the bundle has entries, in order.
func (b Bundle) slots() []secretSlot {
	if b.entries == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(b.entries()), compareSlots)
}

// bundle writes the values as digests.
func (e *encoder) bundle(b Bundle) {
	for _, slot := range b.slots() {
		e.slot(slot, b.entries()[slot])
	}
	if b.full {
		e.text("full")
	}
}

func (e *encoder) slot(slot secretSlot, entry bundleEntry) {
	for _, part := range slot.parts() {
		e.text(part)
	}
	e.text(entry.trouble)
	sum := sha256.Sum256([]byte(entry.value.Reveal()))
	e.raw(sum[:])
}

// compareSlots orders the entries of a bundle.
func compareSlots(a, b secretSlot) int {
	return slices.CompareFunc(a.parts(), b.parts(), strings.Compare)
}

func (s secretSlot) parts() []string {
	return []string{s.namespace, s.sender, s.name, s.ref.Name, s.ref.Key}
}
