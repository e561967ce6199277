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

// Partner is what there is to tell of one partner. It holds no secret, and of URLs the
// host alone.
type Partner struct {
	// Name is that by which the user knows the partner.
	Name string
	posture.PartnerStatus
	DisplayName, Package, Reference string
	// Edited is as of [v1alpha1.Edited].
	Edited time.Time
	// ContractFrom and ContractUntil are zero where there is none.
	ContractFrom, ContractUntil time.Time
	Scopes                      []string
	// CertificateRequired is whether keys count on connections with one of
	// Certificates alone.
	CertificateRequired bool
	Certificates        []Certificate
	Webhooks            []Webhook
	// Explained has each capability, those that were not granted too.
	Explained []Explained
}

// Certificate is a client certificate.
type Certificate struct {
	Name string
	// Until is zero for one that counts for as long as it is valid.
	Until time.Time
}

// Webhook is an endpoint of a partner.
type Webhook struct {
	Name, Kind, Host string
	// Events are the types that it gets; none means all.
	Events []string
}

// Explained is a capability of a partner.
type Explained struct {
	Cell
	Explanation
	Quota posture.Quota
}

// Of tells all of one partner of a snapshot, by the name that a [Matrix] knows it by;
// false if there is none.
func Of(s *posture.Snapshot, name string, now time.Time) (Partner, bool) {
	row, found := find(s, name, now)
	if !found {
		return Partner{}, false
	}
	return describe(s, row), true
}

// find is the row of a name. Names that begin with a namespace are of partners that
// are not the only ones of their name.
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
	// API servers do not have the secrets of webhooks: what their snapshots say of them is
	// about that lack.
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
		out.Webhooks = append(out.Webhooks, webhookOf(&o.Spec.Webhooks[i]))
	}
	out.Explained = explained(s, row)
	return out
}

func webhookOf(w *v1alpha1.Webhook) Webhook {
	out := Webhook{Name: w.Name, Kind: strings.ToLower(string(w.Kind))}
	// Only the host is shown: a path may hold a token.
	if u, err := url.Parse(w.URL); err == nil {
		out.Host = u.Host
	}
	for _, event := range w.Events {
		out.Events = append(out.Events, string(event))
	}
	return out
}

func explained(s *posture.Snapshot, row Row) []Explained {
	p := New(around(s, row.Partner))
	own := p.byObject(NameOf(row.Partner))
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

// around is as much of the world as answers of a partner depend on: the rollouts, and
// whoever claims the same organization.
func around(s *posture.Snapshot, o *v1alpha1.PartnerEntitlement) posture.Inputs {
	var in posture.Inputs
	for rollout := range s.Rollouts() {
		in.Rollouts = append(in.Rollouts, *rollout)
	}
	for other := range s.Partners() {
		if other.Spec.OrganizationID == o.Spec.OrganizationID {
			in.Partners = append(in.Partners, *other)
		}
	}
	return in
}
