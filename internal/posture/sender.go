// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// maxReplayWindow is the interface specification's five minutes (4.3).
const maxReplayWindow = 5 * time.Minute

// sender is one compiled XJMFSender.
type sender struct {
	object  *v1alpha1.XJMFSender
	partner *partner
	// fault is the reason of a broken object; empty if it is sound.
	fault     string
	duplicate bool
	suspended bool
	replay    time.Duration
	scheme    v1alpha1.SignatureScheme
	secrets   sharedSecrets
}

// soundPartner finds a partner by name. Senders are few, and the lists are
// short enough for a scan.
func (s *Snapshot) soundPartner(namespace, name string) *partner {
	for _, p := range s.partners {
		if p.fault == "" && p.object.Namespace == namespace && p.object.Name == name {
			return p
		}
	}
	return nil
}

func newSender(o *v1alpha1.XJMFSender, secrets Bundle) *sender {
	out := &sender{object: o, suspended: o.Spec.State != v1alpha1.StateActive}
	out.replay = time.Duration(o.Spec.ReplayWindowSeconds) * time.Second
	if out.replay == 0 {
		out.replay = maxReplayWindow
	}
	if out.scheme = o.Spec.Scheme; out.scheme == "" {
		out.scheme = v1alpha1.SchemeBody
	}
	known := out.scheme == v1alpha1.SchemeBody || out.scheme == v1alpha1.SchemeTimestampBody
	if o.Spec.SenderID == "" || out.replay < 0 || out.replay > maxReplayWindow || !known {
		out.fault = v1alpha1.ReasonInvalidSpec
	}
	out.secrets = sharedSecretsOf(o.Spec.Secrets, secrets, func(s *v1alpha1.SharedSecret) secretSlot {
		return secretSlot{namespace: o.Namespace, holder: o.Name, name: s.Name, ref: s.SecretRef}
	})
	return out
}

// Sender is a machine that may send XJMF callbacks. The zero Sender is nobody.
type Sender struct {
	sender   *sender
	snapshot *Snapshot
}

// Sender finds a sender by what it calls itself, byte for byte. Suspended and
// broken senders are not found.
func (s *Snapshot) Sender(id string) (Sender, bool) {
	if s == nil {
		return Sender{}, false
	}
	found := s.senderIDs[id]
	if found == nil || found.fault != "" || found.suspended {
		return Sender{}, false
	}
	return Sender{sender: found, snapshot: s}, true
}

// ID is what the sender calls itself.
func (s Sender) ID() string {
	if s.sender == nil {
		return ""
	}
	return s.sender.object.Spec.SenderID
}

// Partner is the name of the PartnerEntitlement that the sender speaks for.
func (s Sender) Partner() string {
	if s.sender == nil {
		return ""
	}
	return s.sender.object.Spec.Partner
}

// ReplayWindow is how far a timestamp may differ from the clock.
func (s Sender) ReplayWindow() time.Duration {
	if s.sender == nil {
		return 0
	}
	return s.sender.replay
}

// Scheme is what the sender signs; empty for nobody.
func (s Sender) Scheme() v1alpha1.SignatureScheme {
	if s.sender == nil {
		return ""
	}
	return s.sender.scheme
}

// Secrets are the shared secrets that count now.
func (s Sender) Secrets(now time.Time) []credential.Secret {
	if s.sender == nil {
		return nil
	}
	return s.sender.secrets.values(now)
}

// Caller is the sender's partner in live mode: whom [Snapshot.Decide] judges
// for XJMFInbound once the signature holds.
func (s Sender) Caller(now time.Time) Caller {
	if s.sender == nil {
		return Caller{}
	}
	c, _ := s.snapshot.Behalf(tenant.ID{Organization: s.sender.partner.organization, Mode: tenant.Live}, now)
	return c
}

// String is the sender's id, without secrets.
func (s Sender) String() string { return s.ID() }

// GoString keeps secrets out of %#v.
func (s Sender) GoString() string { return s.String() }

// Format keeps secrets out of every verb.
func (s Sender) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = io.WriteString(state, s.String())
}
