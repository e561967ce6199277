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

// MinSecretLen is the shortest secret of a sender, in bytes: as long as the output
// of HMAC-SHA-256.
const MinSecretLen = 32

// SecretData is one Secret of the cluster, or of a directory.
type SecretData struct {
	Namespace, Name string
	Data            map[string]credential.Secret
}

// Purpose is what the secrets of a bundle are for. The zero value is ForSenders.
type Purpose uint8

const (
	// ForSenders is to verify what senders send.
	ForSenders Purpose = iota
	// ForWebhooks is to sign what webhooks get.
	ForWebhooks

	purposeCount
)

// purposes is what is particular to each of them.
var purposes = [purposeCount]struct {
	// name is what an encoded bundle says of itself; those of senders say nothing.
	name string
	// fit judges a value, and unfit is the trouble of one that is not.
	fit   func(credential.Secret) bool
	unfit string
}{
	ForSenders: {"", func(s credential.Secret) bool { return len(s) >= MinSecretLen }, v1alpha1.ReasonSecretTooShort},
	ForWebhooks: {"webhooks", func(s credential.Secret) bool {
		_, err := credential.ParseWebhookSecret(s)
		return err == nil
	}, v1alpha1.ReasonSecretMalformed},
}

// Bundle is the shared secrets that senders need, or those that webhooks need, and
// nothing else of the Secrets that they were in. It prints as "[redacted]". The
// zero Bundle is empty.
type Bundle struct {
	purpose Purpose
	// entries is a function because fmt prints the unexported fields of a
	// structure without asking their methods, and for some verbs follows
	// pointers as well; it cannot look into a function.
	entries func() bundleEntries
	// full is set when there was no room for some holders: those of which nothing
	// is in the bundle are the ones that were left out.
	full bool
}

type bundleEntries map[secretSlot]bundleEntry

// secretSlot is where a value is expected. The reference belongs to it: when a
// sender is pointed at another Secret, the value of the former one must not count
// any longer.
type secretSlot struct {
	// holder is the name of the sender, or of the partner.
	namespace, holder string
	// webhook is that of the partner; empty in bundles for senders only.
	webhook string
	name    string
	ref     v1alpha1.SecretKeyReference
}

type bundleEntry struct {
	value credential.Secret
	// trouble is the reason of a condition; empty if none.
	trouble string
}

// NewBundle resolves the references of the senders. A sender whose partner is
// not there contributes nothing: its secrets have no use.
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

// ResolveSecrets makes both bundles of the Secrets that there are, as the controller
// hands them over: without the values whose time is over, and no longer than
// [BundleLimit].
func (in *Inputs) ResolveSecrets(secrets []SecretData, now time.Time) {
	in.Secrets = NewBundle(in.Senders, in.Partners, secrets).Fit(in.Senders, now, BundleLimit)
	in.Webhooks = NewWebhookBundle(in.Partners, secrets).FitWebhooks(in.Partners, now, BundleLimit)
}

// ReferredSecrets are the Secrets that senders and partners refer to, in order and
// each once, without those of the platform: all that has to be read for both
// bundles.
func ReferredSecrets(senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement) []ObjectName {
	referred := map[ObjectName]bool{}
	for _, h := range slices.Concat(sendersAsHolders(senders), partnersAsHolders(partners)) {
		for _, one := range h.secrets {
			if !IsPlatformSecret(one.slot.ref.Name) {
				referred[ObjectName{h.namespace, one.slot.ref.Name}] = true
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
			if ref := one.slot.ref; !IsPlatformSecret(ref.Name) {
				entries[one.slot] = newBundleEntry(purpose, data[ObjectName{one.slot.namespace, ref.Name}], ref.Key)
			}
		}
	}
	return Bundle{purpose: purpose, entries: func() bundleEntries { return entries }}
}

// IsPlatformSecret reports whether a Secret is one of those that the platform
// itself uses. To senders and webhooks they are not there, whatever admission has let
// pass.
func IsPlatformSecret(name string) bool {
	return strings.HasPrefix(name, v1alpha1.PlatformSecretPrefix)
}

func newBundleEntry(purpose Purpose, data map[string]credential.Secret, key string) bundleEntry {
	value, found := data[key]
	switch {
	case !found:
		return bundleEntry{trouble: v1alpha1.ReasonSecretNotFound}
	case !purposes[purpose].fit(value):
		return bundleEntry{trouble: purposes[purpose].unfit}
	default:
		return bundleEntry{value: value}
	}
}

// Purpose is what the secrets are for.
func (b Bundle) Purpose() Purpose { return b.purpose }

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

// parts tell a slot from all others of its bundle.
func (s secretSlot) parts() []string {
	if s.webhook == "" {
		return []string{s.namespace, s.holder, s.name, s.ref.Name, s.ref.Key}
	}
	return []string{s.namespace, s.holder, s.webhook, s.name, s.ref.Name, s.ref.Key}
}
