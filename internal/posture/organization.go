// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// Declarations lists what the snapshot declares of one organization.
type Declarations struct {
	// InForce names the first PartnerEntitlement with which the organization may make
	// requests, now or later: it is not suspended, and its contract has not ended. It is
	// empty if there is none.
	InForce string
	// Objects names the PartnerEntitlements, the XJMFSenders and the Secrets of the
	// organization as KIND NAMESPACE/NAME, sorted.
	Objects []string
	// Keys holds the digests of its keys.
	Keys []credential.Digest
}

// Declarations returns the declarations of an organization. It includes invalid objects.
func (s *Snapshot) Declarations(organization string, now time.Time) (d Declarations) {
	if s == nil {
		return d
	}
	for i := range s.partners {
		p := &s.partners[i]
		if p.organization() != organization {
			continue
		}
		namespace := p.object.Namespace
		name := func(kind, object string) { d.Objects = append(d.Objects, kind+" "+namespace+"/"+object) }
		if d.InForce == "" && !p.suspended && p.contract.signed && (p.contract.window.until.IsZero() || now.Before(p.contract.window.until)) {
			d.InForce = namespace + "/" + p.object.Name
		}
		name("PartnerEntitlement", p.object.Name)
		for i := range p.keys {
			d.Keys = append(d.Keys, p.keys[i].digest)
		}
		for i := range p.object.Spec.Webhooks {
			for _, secret := range p.object.Spec.Webhooks[i].Secrets {
				name("Secret", secret.SecretRef.Name)
			}
		}
		for _, sender := range s.senders {
			if sender.object.Namespace != namespace || sender.object.Spec.Partner != p.object.Name {
				continue
			}
			name("XJMFSender", sender.object.Name)
			for _, secret := range sender.object.Spec.Secrets {
				name("Secret", secret.SecretRef.Name)
			}
		}
	}
	slices.Sort(d.Objects)
	d.Objects = slices.Compact(d.Objects)
	return d
}
