// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Partner describes one partner. It contains no secret, and only the host of each URL.
type Partner struct {
	// Name is the partner's displayed name.
	Name string
	posture.PartnerStatus
	DisplayName, Package, Reference string
	// Edited is the time of the last edit, by [v1alpha1.Edited].
	Edited time.Time
	// ContractFrom and ContractUntil are zero if the contract or its end is absent.
	ContractFrom, ContractUntil time.Time
	Scopes                      []string
	// CertificateRequired is whether keys are accepted only on connections with one of
	// Certificates.
	CertificateRequired bool
	Certificates        []Certificate
	Webhooks            []Webhook
	// Explained has an entry for each capability, including those without a grant.
	Explained []Explained
}

// Certificate is a client certificate.
type Certificate struct {
	Name string
	// Until is zero for a certificate without an end in the entitlement.
	Until time.Time
}

// Webhook is an endpoint of a partner.
type Webhook struct {
	Name, Kind, Host string
	// Events are the delivered event types; an empty list means all types.
	Events []string
}

// Explained is a capability of a partner.
type Explained struct {
	Cell
	Explanation
	Quota posture.Quota
}

// Of describes one partner of a snapshot by its displayed name in a [Matrix]. It
// returns false if there is none.
func Of(s *posture.Snapshot, name string, now time.Time) (Partner, bool) {
	row, found := find(s, name, now)
	if !found {
		return Partner{}, false
	}
	return describe(s, row), true
}

// find returns the row with a displayed name. A displayed name starts with a namespace
// only if several partners share the name.
func find(s *posture.Snapshot, name string, now time.Time) (Row, bool) {
	members := s.Members()
	_, own, qualified := strings.Cut(name, "/")
	if !qualified {
		own = name
	}
	i, _ := slices.BinarySearchFunc(members, own, func(m posture.Member, own string) int { return strings.Compare(m.Object().Name, own) })
	for ; i < len(members) && members[i].Object().Name == own; i++ {
		if row := rowOf(members, i, now); row.Name == name {
			return row, true
		}
	}
	return Row{}, false
}

func describe(s *posture.Snapshot, row Row) Partner {
	o, status := row.Partner, row.member.Status(row.now)
	out := Partner{
		Name: row.Name, PartnerStatus: status, DisplayName: o.Spec.DisplayName, Package: string(o.Spec.Package),
		CertificateRequired: o.Spec.RequireClientCertificate,
	}
	if at := v1alpha1.Edited(o); !at.After(row.now) {
		out.Edited = at
	}
	// API servers do not have the secrets of webhooks, so this condition of their
	// snapshots is meaningless.
	out.Conditions = slices.DeleteFunc(out.Conditions, func(c posture.Condition) bool { return c.Type == v1alpha1.ConditionWebhooksReady })
	if c := o.Spec.Contract; c != nil {
		out.Reference, out.ContractFrom = c.Reference, c.EffectiveFrom.Time
		if c.EffectiveUntil != nil {
			out.ContractUntil = c.EffectiveUntil.Time
		}
	}
	for _, scope := range o.Spec.Scopes {
		out.Scopes = append(out.Scopes, string(scope))
	}
	for _, c := range o.Spec.ClientCertificates {
		one := Certificate{Name: c.Name}
		if c.NotAfter != nil {
			one.Until = c.NotAfter.Time
		}
		out.Certificates = append(out.Certificates, one)
	}
	for i := range o.Spec.Webhooks {
		spec := &o.Spec.Webhooks[i]
		webhook := Webhook{Name: spec.Name, Kind: strings.ToLower(string(spec.Kind))}
		// Only the host is shown: a path may contain a token.
		if u, err := url.Parse(spec.URL); err == nil {
			webhook.Host = u.Host
		}
		for _, event := range spec.Events {
			webhook.Events = append(webhook.Events, string(event))
		}
		out.Webhooks = append(out.Webhooks, webhook)
	}
	out.Explained = explained(s, row)
	return out
}

func explained(s *posture.Snapshot, row Row) []Explained {
	p := New(around(s, row.Partner))
	own := p.named[p.names[NameOf(row.Partner)]]
	times := p.Transitions(row.now)
	var all []Explained
	for c := range posture.Capabilities() {
		all = append(all, Explained{
			Cell: row.Cell(c), Explanation: *p.explain(own, Question{Capability: c}, times),
			Quota: p.Decide(own, KeyKinds()[0].Mode, c, true, row.now).Quota,
		})
	}
	return all
}

// around returns the objects on which the access of a partner depends: the rollouts, the
// senders, and each partner with the same organization or with one of its keys.
func around(s *posture.Snapshot, o *v1alpha1.PartnerEntitlement) posture.Inputs {
	var in posture.Inputs
	for rollout := range s.Rollouts() {
		in.Rollouts = append(in.Rollouts, *rollout)
	}
	digests := map[string]bool{}
	for i := range o.Spec.Keys {
		digests[o.Spec.Keys[i].SHA256] = true
	}
	shares := func(k v1alpha1.APIKey) bool { return digests[k.SHA256] }
	for other := range s.Partners() {
		if other.Spec.OrganizationID == o.Spec.OrganizationID || slices.ContainsFunc(other.Spec.Keys, shares) {
			in.Partners = append(in.Partners, *other)
		}
	}
	for sender := range s.Senders() {
		in.Senders = append(in.Senders, *sender)
	}
	return in
}
