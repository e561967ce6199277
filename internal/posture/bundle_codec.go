// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// Keys in the data of a gate Secret, in which the controller publishes a bundle. The
// API server reads the bundle of the senders, the delivery workers that of the
// webhooks. Only the former contains sealing keys.
const (
	// GateSecretBundleKey holds the output of [Bundle.Encode].
	GateSecretBundleKey = "bundle.json"
	// GateSecretCursorKey holds the random bytes that seal list cursors and links to reports. They are equal
	// on all replicas and never change.
	GateSecretCursorKey = "cursor.key"
	// GateSecretSessionsKey holds the session signing keys in the format of package
	// credential. Older controllers write none; then sessions are closed.
	GateSecretSessionsKey = "session.keys"
)

// MaxBundleLen limits the length of an encoded bundle in bytes, which is the limit of a
// Secret in a cluster.
const MaxBundleLen = 1 << 20

// bundleVersion is the version of the encoding. A reader rejects other versions: partly
// decoded secrets are worse than none.
const bundleVersion = 1

// BundleError explains why a bundle cannot be encoded or decoded. It never contains a
// part of the bundle.
type BundleError struct{ Problem string }

func (e *BundleError) Error() string { return "bundle of secrets: " + e.Problem }

type bundleDocument struct {
	Version int `json:"version"`
	// For is the name of the purpose.
	For     string          `json:"for,omitempty"`
	Full    bool            `json:"full,omitempty"`
	Entries []entryDocument `json:"entries"`
}

type entryDocument struct {
	Namespace string `json:"namespace"`
	// Sender is the holder of the secret; otherwise Partner and Webhook identify it.
	Sender  string `json:"sender,omitempty"`
	Partner string `json:"partner,omitempty"`
	Webhook string `json:"webhook,omitempty"`

	Name    string `json:"name"`
	Object  string `json:"object"`
	Key     string `json:"key"`
	Value   []byte `json:"value,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

// Encode writes the bundle with its values in the clear, for a Secret and
// nothing else. Equal bundles have equal encodings.
func (b Bundle) Encode() ([]byte, error) {
	document := bundleDocument{Version: bundleVersion, For: purposes[b.purpose].name, Full: b.full, Entries: []entryDocument{}}
	for _, slot := range b.slots() {
		document.Entries = append(document.Entries, newEntryDocument(slot, b.entries()[slot]))
	}
	for i := range document.Entries {
		d := &document.Entries[i]
		for _, text := range [...]string{d.Namespace, d.Sender, d.Partner, d.Webhook, d.Name, d.Object, d.Key} {
			// encoding/json would replace the invalid bytes.
			if !utf8.ValidString(text) {
				return nil, &BundleError{"a name is not UTF-8"}
			}
		}
	}
	data, err := json.Marshal(document)
	if err != nil || len(data) > MaxBundleLen {
		return nil, &BundleError{"too large for a Secret"}
	}
	return data, nil
}

// DecodeBundle decodes the output of [Bundle.Encode]. It rejects any other input,
// including other white space or order, so that two replicas with the same bytes hold
// the same secrets. The error is a [*BundleError].
func DecodeBundle(data []byte) (Bundle, error) {
	if len(data) > MaxBundleLen {
		return Bundle{}, &BundleError{"too large for a Secret"}
	}
	var document bundleDocument
	if json.Unmarshal(data, &document) != nil {
		return Bundle{}, &BundleError{"not the expected JSON"}
	}
	if document.Version != bundleVersion {
		return Bundle{}, &BundleError{"the version is not supported"}
	}
	purpose := ForSenders
	for purpose < purposeCount && purposes[purpose].name != document.For {
		purpose++
	}
	if purpose == purposeCount {
		return Bundle{}, &BundleError{"the purpose is unknown"}
	}
	entries := make(bundleEntries, len(document.Entries))
	for i := range document.Entries {
		slot, entry := document.Entries[i].entry()
		if (slot.webhook != "") != (purpose == ForWebhooks) || !entry.sound(purpose) {
			return Bundle{}, &BundleError{"an entry is invalid"}
		}
		entries[slot] = entry
	}
	b := Bundle{purpose: purpose, full: document.Full, entries: func() bundleEntries { return entries }}
	if again, err := b.Encode(); err != nil || !bytes.Equal(again, data) {
		return Bundle{}, &BundleError{"not in canonical form"}
	}
	return b, nil
}

func newEntryDocument(slot secretSlot, entry bundleEntry) entryDocument {
	d := entryDocument{
		Namespace: slot.namespace, Sender: slot.holder, Name: slot.name, Object: slot.ref.Name, Key: slot.ref.Key,
		Value: []byte(entry.value.Reveal()), Trouble: entry.trouble,
	}
	if slot.webhook != "" {
		d.Sender, d.Partner, d.Webhook = "", slot.holder, slot.webhook
	}
	return d
}

func (d *entryDocument) entry() (secretSlot, bundleEntry) {
	slot := secretSlot{
		namespace: d.Namespace, holder: d.Sender, name: d.Name,
		ref: v1alpha1.SecretKeyReference{Name: d.Object, Key: d.Key},
	}
	if d.Webhook != "" {
		slot.holder, slot.webhook = d.Partner, d.Webhook
	}
	return slot, bundleEntry{credential.Secret(d.Value), d.Trouble}
}

// sound reports whether an entry is valid: it has a value that fits its purpose, a
// known trouble, or neither if the value has expired. Lack of room is the trouble of a
// whole bundle, not of an entry.
func (e bundleEntry) sound(purpose Purpose) bool {
	if e.trouble != "" {
		return e.value == "" && (e.trouble == v1alpha1.ReasonSecretNotFound || e.trouble == purposes[purpose].unfit)
	}
	return e.value == "" || purposes[purpose].fit(e.value)
}
