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

// maxReplayWindow is the five minutes of the interface specification (4.3).
const maxReplayWindow = 5 * time.Minute

// sender is one compiled XJMFSender.
type sender struct {
	identity
	object  *v1alpha1.XJMFSender
	partner *partner
	// fault is the condition reason of an invalid object; empty for a valid object.
	fault string
	// older is the name of the older object with the same senderID, which is in force; empty
	// without one.
	older     string
	suspended bool
	replay    time.Duration
	scheme    v1alpha1.SignatureScheme
	mode      tenant.Mode
	secrets   sharedSecrets
}

func (c *Compiler) newSender(o *v1alpha1.XJMFSender) *sender {
	out := &sender{identity: c.encoder.sender(o), object: o, suspended: o.Spec.State != v1alpha1.StateActive}
	out.replay = time.Duration(o.Spec.ReplayWindowSeconds) * time.Second
	if out.replay == 0 {
		out.replay = maxReplayWindow
	}
	if out.scheme = o.Spec.Scheme; out.scheme == "" {
		out.scheme = v1alpha1.SchemeBody
	}
	known := out.scheme == v1alpha1.SchemeBody || out.scheme == v1alpha1.SchemeTimestampBody
	out.mode = tenant.Live
	if o.Spec.Mode != "" {
		mode, valid := modes[o.Spec.Mode]
		out.mode, known = mode, known && valid
	}
	if o.Spec.SenderID == "" || out.replay < 0 || out.replay > maxReplayWindow || !known {
		out.fault = v1alpha1.ReasonInvalidSpec
	}
	return out
}

// compileSenders compiles the senders in order of precedence. It takes over the secrets of
// unchanged objects from the former snapshot if the bundle is the same.
func (s *Snapshot) compileSenders(entries []*entry[*sender], secrets Bundle, former *Snapshot, sameSecrets bool) {
	s.senders, s.senderIDs = make([]*sender, 0, len(entries)), make(map[string]*sender, len(entries))
	if len(entries) == 0 {
		return
	}
	partners := make(map[ObjectName]*partner, len(s.partners))
	for i := range s.partners {
		p := &s.partners[i]
		if name := p.name(); p.fault == "" && partners[name] == nil {
			partners[name] = p
		}
	}
	for _, e := range entries {
		o := new(*e.part)
		if e.at >= 0 && sameSecrets {
			o.secrets = former.senders[e.at].secrets
		} else {
			o.secrets = sharedSecretsOf(o.object.Spec.Secrets, secrets, func(one *v1alpha1.SharedSecret) secretSlot {
				return secretSlot{namespace: o.object.Namespace, holder: o.object.Name, name: one.Name, ref: one.SecretRef}
			})
		}
		if older := s.senderIDs[o.object.Spec.SenderID]; older != nil {
			o.older = older.object.Name
			o.fault = v1alpha1.ReasonDuplicateSender
		} else {
			s.senderIDs[o.object.Spec.SenderID] = o
		}
		o.partner = partners[ObjectName{o.object.Namespace, o.object.Spec.Partner}]
		if o.fault == "" && o.partner == nil {
			o.fault = v1alpha1.ReasonPartnerNotFound
		}
		if o.fault == "" && !o.suspended {
			o.partner.sends[indexOf(o.mode)] = true
		}
		s.senders = append(s.senders, o)
	}
}

// Sender is a machine that may send XJMF callbacks. The zero Sender represents no
// machine.
type Sender struct {
	sender   *sender
	snapshot *Snapshot
}

// Sender finds a sender by its sender ID, compared byte for byte. It does not return
// suspended or invalid senders.
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

// ID returns the sender ID.
func (s Sender) ID() string {
	if s.sender == nil {
		return ""
	}
	return s.sender.object.Spec.SenderID
}

// Partner returns the name of the sender's PartnerEntitlement.
func (s Sender) Partner() string {
	if s.sender == nil {
		return ""
	}
	return s.sender.object.Spec.Partner
}

// ReplayWindow returns the maximum difference between a timestamp and the clock.
func (s Sender) ReplayWindow() time.Duration {
	if s.sender == nil {
		return 0
	}
	return s.sender.replay
}

// Scheme returns the sender's signature scheme; empty for the zero Sender.
func (s Sender) Scheme() v1alpha1.SignatureScheme {
	if s.sender == nil {
		return ""
	}
	return s.sender.scheme
}

// Secrets returns the shared secrets that are valid now.
func (s Sender) Secrets(now time.Time) []credential.Secret {
	if s.sender == nil {
		return nil
	}
	return s.sender.secrets.values(now)
}

// Caller returns the sender's partner in the mode of the sender. [Snapshot.Decide] evaluates
// XJMFInbound for this caller once the signature is verified.
func (s Sender) Caller(now time.Time) Caller {
	if s.sender == nil {
		return Caller{}
	}
	c, _ := s.snapshot.Behalf(tenant.ID{Organization: s.sender.partner.organization(), Mode: s.sender.mode}, now)
	return c
}

// String returns the sender ID, without secrets.
func (s Sender) String() string { return s.ID() }

// GoString hides secrets from %#v.
func (s Sender) GoString() string { return s.String() }

// Format hides secrets from every verb.
func (s Sender) Format(state fmt.State, _ rune) {
	// fmt reports write errors to its own caller.
	_, _ = io.WriteString(state, s.String())
}
