// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// Pin identifies a public key by the SHA-256 digest of its SubjectPublicKeyInfo. The
// zero Pin identifies no key.
type Pin [sha256.Size]byte

// PinOf returns the pin of a SubjectPublicKeyInfo in DER.
func PinOf(spki []byte) Pin { return sha256.Sum256(spki) }

// Connection holds the verified properties of the connection that carried a credential.
// The zero Connection has no client certificate.
type Connection struct {
	mutual bool
	pin    Pin
}

// Mutual returns a connection whose client has proven possession of a certificate's
// key, on a listener that accepts no other clients.
func Mutual(pin Pin) Connection { return Connection{mutual: true, pin: pin} }

// pinned is one client certificate of a partner.
type pinned struct {
	name   string
	pin    Pin
	window window
}

// compileCertificates reads the pins. It ignores invalid pins, which only reduces
// access.
func (p *entitlement) compileCertificates() {
	p.certified = p.object.Spec.RequireClientCertificate
	for i := range p.object.Spec.ClientCertificates {
		o := &p.object.Spec.ClientCertificates[i]
		digest, err := credential.ParseDigest(o.SPKISHA256)
		if err != nil || digest == (credential.Digest{}) {
			continue
		}
		one := pinned{name: o.Name, pin: Pin(digest)}
		if o.NotAfter != nil {
			// A zero end would count as an open end.
			if o.NotAfter.IsZero() {
				continue
			}
			one.window.until = o.NotAfter.Time
		}
		p.certificates = append(p.certificates, one)
	}
}

// refuses returns the reason why a connection may not carry the partner's keys;
// ReasonOpen if it may. On a mutual TLS listener only the partner's own certificates
// are accepted, whether or not the partner requires one. On other listeners a partner
// that requires a certificate is refused.
func (p *entitlement) refuses(by Connection, now time.Time) Reason {
	if !by.mutual {
		if p.certified {
			return ReasonCertificateMissing
		}
		return ReasonOpen
	}
	for i := range p.certificates {
		if one := &p.certificates[i]; one.pin == by.pin && one.window.contains(now) {
			return ReasonOpen
		}
	}
	return ReasonCertificateUnpinned
}

// unreachable reports whether no connection is acceptable for the partner.
func (p *entitlement) unreachable(now time.Time) bool {
	return p.certified && len(p.pinnedNow(now)) == 0
}

// pinnedNow returns the names of the certificates that are valid now.
func (p *entitlement) pinnedNow(now time.Time) []string {
	var names []string
	for i := range p.certificates {
		if one := &p.certificates[i]; one.window.contains(now) {
			names = append(names, one.name)
		}
	}
	return names
}

// certificatesCondition returns the condition CertificatesPinned; nil for a partner
// without client certificate settings.
func certificatesCondition(p *partner, now time.Time) []Condition {
	if !p.certified && len(p.object.Spec.ClientCertificates) == 0 {
		return nil
	}
	out := Condition{Type: v1alpha1.ConditionCertificatesPinned, Status: "True", Reason: v1alpha1.ReasonPinned}
	active := p.pinnedNow(now)
	if len(active) > 0 {
		out.Message = fmt.Sprintf("Connections with mutual TLS accept keys with these certificates: %s.", strings.Join(active, ", "))
	} else {
		out.Status, out.Reason = "False", v1alpha1.ReasonNoActivePin
		out.Message = "No client certificate is valid, so connections with mutual TLS reject every key."
	}
	var others []string
	for i := range p.object.Spec.ClientCertificates {
		if name := p.object.Spec.ClientCertificates[i].Name; !slices.Contains(active, name) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		out.Message += fmt.Sprintf(" Expired or invalid: %s.", strings.Join(others, ", "))
	}
	if p.certified {
		out.Message += " Other connections reject every key."
	} else {
		out.Message += " Other connections accept keys without a certificate."
	}
	return []Condition{out}
}
