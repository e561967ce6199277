// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// MinSecretLen is the minimum length of a sender's secret in bytes: the output length
// of HMAC-SHA-256.
const MinSecretLen = 32

// SecretData is one Secret of the cluster or of a directory.
type SecretData struct {
	Namespace, Name string
	Data            map[string]credential.Secret
}

// Purpose is the use of a bundle's secrets. The zero value is ForSenders.
type Purpose uint8

const (
	// ForSenders means verifying callbacks from senders.
	ForSenders Purpose = iota
	// ForWebhooks means signing deliveries to webhooks.
	ForWebhooks

	purposeCount
)

// purposes holds the properties of each purpose.
var purposes = [purposeCount]struct {
	// name is the purpose in an encoded bundle; empty for senders.
	name string
	// fit validates a value. unfit is the trouble of an invalid value.
	fit   func(credential.Secret) bool
	unfit string
}{
	ForSenders: {"", func(s credential.Secret) bool { return len(s) >= MinSecretLen }, v1alpha1.ReasonSecretTooShort},
	ForWebhooks: {"webhooks", func(s credential.Secret) bool {
		_, err := credential.ParseWebhookSecret(s)
		return err == nil
	}, v1alpha1.ReasonSecretMalformed},
}

// Bundle holds the shared secrets that senders or webhooks require, and nothing else
// from their Secrets. It prints as "[redacted]". The zero Bundle is empty.
type Bundle struct {
	purpose Purpose
	// entries is a function because fmt prints the unexported fields of a structure
	// without calling their methods, and for some verbs follows pointers as well. It
	// cannot inspect a function.
	entries func() bundleEntries
	// full means that the bundle had no room for some holders. Holders without entries
	// in the bundle are the omitted ones.
	full bool
}

type bundleEntries map[secretSlot]bundleEntry

// secretSlot identifies the place where a value is required. It includes the reference:
// when a sender refers to another Secret, the former value must no longer be valid.
type secretSlot struct {
	// holder is the name of the sender or the partner.
	namespace, holder string
	// webhook is the name of the partner's webhook; empty in bundles for senders only.
	webhook string
	name    string
	ref     v1alpha1.SecretKeyReference
}

type bundleEntry struct {
	value credential.Secret
	// trouble is the reason of a condition; empty if there is none.
	trouble string
}

// NewBundle resolves the references of the senders. A sender without a partner
// contributes nothing: its secrets have no use.
func NewBundle(senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement, secrets []SecretData) Bundle {
	known := make(map[ObjectName]bool, len(partners))
	for i := range partners {
		known[ObjectName{partners[i].Namespace, partners[i].Name}] = true
	}
	useful := slices.DeleteFunc(slices.Clone(senders), func(o v1alpha1.XJMFSender) bool {
		return !known[ObjectName{o.Namespace, o.Spec.Partner}]
	})
	return newBundle(ForSenders, sendersAsHolders(useful), secrets)
}

// NewWebhookBundle resolves the references of the partners' webhooks.
func NewWebhookBundle(partners []v1alpha1.PartnerEntitlement, secrets []SecretData) Bundle {
	return newBundle(ForWebhooks, partnersAsHolders(partners), secrets)
}

// ResolveSecrets builds both bundles from the given Secrets as the controller publishes
// them: without expired values and no longer than [BundleLimit].
func (in *Inputs) ResolveSecrets(secrets []SecretData, now time.Time) {
	in.Secrets = NewBundle(in.Senders, in.Partners, secrets).Fit(in.Senders, now, BundleLimit)
	in.Webhooks = NewWebhookBundle(in.Partners, secrets).FitWebhooks(in.Partners, now, BundleLimit)
}

// ReferredSecrets returns the Secrets that senders and partners refer to, sorted and
// without duplicates. It omits the platform's own Secrets. Both bundles require no
// other Secrets.
func ReferredSecrets(senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement) []ObjectName {
	referred := map[ObjectName]bool{}
	for _, h := range slices.Concat(sendersAsHolders(senders), partnersAsHolders(partners)) {
		for _, one := range h.secrets {
			if !IsPlatformSecret(one.slot.ref.Name) {
				referred[ObjectName{h.meta.Namespace, one.slot.ref.Name}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(referred), func(a, b ObjectName) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}

// ObjectName names an object of a kind.
type ObjectName struct{ Namespace, Name string }

func newBundle(purpose Purpose, holders []holder, secrets []SecretData) Bundle {
	data := make(map[ObjectName]map[string]credential.Secret, len(secrets))
	for _, s := range secrets {
		data[ObjectName{s.Namespace, s.Name}] = s.Data
	}
	entries := bundleEntries{}
	for i := range holders {
		for _, one := range holders[i].secrets {
			ref := one.slot.ref
			value, found := data[ObjectName{one.slot.namespace, ref.Name}][ref.Key]
			switch {
			case IsPlatformSecret(ref.Name):
			case !found:
				entries[one.slot] = bundleEntry{trouble: v1alpha1.ReasonSecretNotFound}
			case !purposes[purpose].fit(value):
				entries[one.slot] = bundleEntry{trouble: purposes[purpose].unfit}
			default:
				entries[one.slot] = bundleEntry{value: value}
			}
		}
	}
	return Bundle{purpose: purpose, entries: func() bundleEntries { return entries }}
}

// IsPlatformSecret reports whether a Secret belongs to the platform itself. Senders and
// webhooks cannot use such a Secret, even if admission accepted the reference.
func IsPlatformSecret(name string) bool {
	return strings.HasPrefix(name, v1alpha1.PlatformSecretPrefix)
}

// Purpose returns the use of the secrets.
func (b Bundle) Purpose() Purpose { return b.purpose }

// lookup finds a value. If the value is missing, the Secret was not found or the bundle
// had no room.
func (b Bundle) lookup(slot secretSlot) bundleEntry {
	if entry, found := b.all()[slot]; found {
		return entry
	}
	if b.full {
		return bundleEntry{trouble: v1alpha1.ReasonSecretCapacity}
	}
	return bundleEntry{trouble: v1alpha1.ReasonSecretNotFound}
}

// equal reports whether two bundles hold the same values for the same slots.
func (b Bundle) equal(other Bundle) bool {
	return b.purpose == other.purpose && b.full == other.full && maps.Equal(b.all(), other.all())
}

func (b Bundle) all() bundleEntries {
	if b.entries == nil {
		return nil
	}
	return b.entries()
}

// String hides the values.
func (Bundle) String() string { return "[redacted]" }

// GoString hides the values from %#v.
func (b Bundle) GoString() string { return b.String() }

// Format hides the values from every verb.
func (b Bundle) Format(state fmt.State, _ rune) {
	// fmt reports write errors to its own caller.
	_, _ = io.WriteString(state, b.String())
}

// LogValue hides the values from slog.
func (b Bundle) LogValue() slog.Value { return slog.StringValue(b.String()) }

// MarshalText hides the values from encoders.
func (b Bundle) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// slots returns the slots of the bundle's entries in order.
func (b Bundle) slots() []secretSlot {
	return slices.SortedFunc(maps.Keys(b.all()), func(a, b secretSlot) int { return slices.Compare(a.parts(), b.parts()) })
}

// bundle encodes the values as digests.
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

// parts returns the strings that identify a slot within its bundle.
func (s secretSlot) parts() []string {
	if s.webhook == "" {
		return []string{s.namespace, s.holder, s.name, s.ref.Name, s.ref.Key}
	}
	return []string{s.namespace, s.holder, s.webhook, s.name, s.ref.Name, s.ref.Key}
}
