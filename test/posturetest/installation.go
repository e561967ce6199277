// SPDX-License-Identifier: Apache-2.0

package posturetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

const namespace = "default"

// Installation holds the objects of an installation and the gates that enforce them. Every
// method that changes an object publishes the new posture before it returns.
type Installation struct {
	Gates *posture.Gates

	now      func() time.Time
	partners map[string]*v1alpha1.PartnerEntitlement
	rollouts map[string]*v1alpha1.CapabilityRollout
	senders  map[string]*v1alpha1.XJMFSender
	profiles []v1alpha1.PreflightProfile
	secrets  []posture.SecretData
	keys     map[string]credential.Key
}

// NewInstallation returns an installation without partners, in which every capability has
// the stage that it ships with. Its gates accept a posture for an hour.
func NewInstallation(now func() time.Time) *Installation {
	i := &Installation{
		Gates: posture.NewGates(time.Hour), now: now, partners: map[string]*v1alpha1.PartnerEntitlement{},
		rollouts: map[string]*v1alpha1.CapabilityRollout{}, senders: map[string]*v1alpha1.XJMFSender{}, keys: map[string]credential.Key{},
	}
	for capability := range posture.Capabilities() {
		i.rollouts[capability.String()] = &v1alpha1.CapabilityRollout{
			ObjectMeta: metav1.ObjectMeta{Name: capability.String(), Namespace: namespace},
			Spec: v1alpha1.CapabilityRolloutSpec{
				Capability: v1alpha1.CapabilityName(capability.String()), Stage: v1alpha1.Stage(capability.Definition().Shipped.Stage()),
				Change: v1alpha1.Change{Ticket: "T-1"},
			},
		}
	}
	i.Publish()
	return i
}

// AddPartner adds an active partner with the keys NAME-live and NAME-test. Its contract
// began an hour ago. A partner of the package enterprise is granted every capability, and
// is in the audience of each private beta.
func (i *Installation) AddPartner(tb testing.TB, name, organization string, pack v1alpha1.Package, scopes ...v1alpha1.Scope) {
	tb.Helper()
	p := &v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: organization, Package: pack, State: v1alpha1.StateActive, Scopes: scopes,
			Contract: &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(i.now().Add(-time.Hour))},
		},
	}
	i.partners[name] = p
	i.AddKey(tb, name, "live")
	i.AddKey(tb, name, "test")
}

// GrantAll grants partners every capability, and adds them to the audience of each private
// beta.
func (i *Installation) GrantAll(partners ...string) {
	for capability := range posture.Capabilities() {
		for _, partner := range partners {
			p := i.partners[partner]
			p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(capability.String())})
		}
		if capability.Definition().Shipped == posture.PrivateBeta {
			i.rollouts[capability.String()].Spec.Audience = &v1alpha1.Audience{Partners: slices.Clone(partners)}
		}
	}
	i.Publish()
}

// EveryScope lists every scope. A key that lists them has those of its partner.
func EveryScope() []v1alpha1.Scope {
	var all []v1alpha1.Scope
	for scope := range posture.AllScopes() {
		all = append(all, v1alpha1.Scope(scope.String()))
	}
	return all
}

// AddKey gives a partner the key PARTNER-NAME: a test key if name is "test", else a live
// key. It lists the given scopes, or every scope if they are nil.
func (i *Installation) AddKey(tb testing.TB, partner, name string, scopes ...v1alpha1.Scope) {
	tb.Helper()
	if scopes == nil {
		scopes = EveryScope()
	}
	added := i.mint(tb, partner, name)
	added.Scopes = scopes
	i.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) { spec.Keys = append(spec.Keys, added) })
}

// mint returns the key PARTNER-NAME without scopes, and keeps its secret.
func (i *Installation) mint(tb testing.TB, partner, name string) v1alpha1.APIKey {
	tb.Helper()
	mode, kind := tenant.Live, v1alpha1.KeyKindLive
	if name == "test" {
		mode, kind = tenant.Test, v1alpha1.KeyKindTest
	}
	key, err := credential.Mint(mode, strings.NewReader(strings.Repeat(partner+name+"-0123456789abcdef", 64)))
	if err != nil {
		tb.Fatalf("credential.Mint(%q): %v", mode, err)
	}
	i.keys[partner+"-"+name] = key
	return v1alpha1.APIKey{Name: name, Kind: kind, SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive}
}

// AddCopies adds n partners with the terms of an existing one, and returns the names of their keys. Each
// copy has its own organization, and one live key with every scope.
func (i *Installation) AddCopies(tb testing.TB, partner string, n int) []string {
	tb.Helper()
	keys := make([]string, n)
	for k := range keys {
		p := i.partners[partner].DeepCopy()
		p.Name = fmt.Sprintf("%s%06d", partner, k)
		p.Spec.OrganizationID = fmt.Sprintf("org_%06d", k)
		key := i.mint(tb, p.Name, "live")
		key.Scopes = EveryScope()
		p.Spec.Keys = []v1alpha1.APIKey{key}
		i.partners[p.Name], keys[k] = p, p.Name+"-live"
	}
	i.Publish()
	return keys
}

// Key returns the text of a key, which its partner sends.
func (i *Installation) Key(name string) string { return i.keys[name].Secret().Reveal() }

// Digest returns the digest of a key.
func (i *Installation) Digest(name string) credential.Digest { return i.keys[name].Digest() }

// Tenant returns the tenant that a key acts for. A key is named after its partner.
func (i *Installation) Tenant(key string) tenant.ID {
	partner, _, _ := strings.Cut(key, "-")
	return tenant.ID{Organization: i.partners[partner].Spec.OrganizationID, Mode: i.keys[key].Mode()}
}

// Revoke revokes a key of a partner.
func (i *Installation) Revoke(partner, key string) {
	i.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) {
		for k := range spec.Keys {
			if spec.Keys[k].Name == key {
				spec.Keys[k].State = v1alpha1.KeyStateRevoked
			}
		}
	})
}

// Partner changes the entitlement of a partner, its keys included.
func (i *Installation) Partner(name string, change func(*v1alpha1.PartnerEntitlementSpec)) {
	change(&i.partners[name].Spec)
	i.Publish()
}

// Grant sets the quota of a partner's capability, in requests per hour.
func (i *Installation) Grant(partner string, capability v1alpha1.CapabilityName, limit int64) {
	i.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) {
		for g := range spec.Capabilities {
			if spec.Capabilities[g].Name == capability {
				spec.Capabilities[g].Quota = &v1alpha1.Quota{Limit: limit, WindowSeconds: 3600}
			}
		}
	})
}

// SetProfiles replaces the custom profiles. Each has a version, and extends print_ready with a limit of
// box.bleed_short in millimetres.
func (i *Installation) SetProfiles(bleed map[string]int32) {
	i.profiles = nil
	for name, limit := range bleed {
		i.profiles = append(i.profiles, v1alpha1.PreflightProfile{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
			Spec: v1alpha1.PreflightProfileSpec{
				Version: "1.0.0", Extends: "print_ready",
				Rules: map[string]v1alpha1.ProfileRule{"box.bleed_short": {Limit: new(intstr.FromInt32(limit))}},
			},
		})
	}
	i.Publish()
}

// GrantProfiles lists custom profiles in a partner's grant of preflight.
func (i *Installation) GrantProfiles(partner string, names ...string) {
	i.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) {
		for g := range spec.Capabilities {
			if spec.Capabilities[g].Name == "preflight" {
				spec.Capabilities[g].Profiles = names
			}
		}
	})
}

// Limit sets the rate limit of a partner on a surface, in requests per second.
func (i *Installation) Limit(partner string, surface v1alpha1.Surface, requests int64) {
	i.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) {
		spec.RateLimits = append(spec.RateLimits, v1alpha1.RateLimit{Surface: surface, Requests: requests, WindowSeconds: 1})
	})
}

// Rollout changes the rollout of a capability.
func (i *Installation) Rollout(capability posture.Capability, change func(*v1alpha1.CapabilityRolloutSpec)) {
	change(&i.rollouts[capability.String()].Spec)
	i.Publish()
}

// SetStages gives all rollouts a stage.
func (i *Installation) SetStages(stage v1alpha1.Stage) {
	for _, rollout := range i.rollouts {
		rollout.Spec.Stage = stage
	}
	i.Publish()
}

// Kill deletes the rollout of a capability, which closes it for every partner.
func (i *Installation) Kill(capability posture.Capability) {
	delete(i.rollouts, capability.String())
	i.Publish()
}

// AddSender adds the machine that sends callbacks for a partner, with its secret.
func (i *Installation) AddSender(partner, id string, secret credential.Secret) {
	i.senders[partner] = &v1alpha1.XJMFSender{
		ObjectMeta: metav1.ObjectMeta{Name: partner, Namespace: namespace},
		Spec: v1alpha1.XJMFSenderSpec{
			SenderID: id, Partner: partner, State: v1alpha1.StateActive,
			Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: partner, Key: "hmac"}}},
		},
	}
	i.AddSecret(partner, secret)
}

// Sender changes the machine that sends callbacks for a partner.
func (i *Installation) Sender(partner string, change func(*v1alpha1.XJMFSenderSpec)) {
	change(&i.senders[partner].Spec)
	i.Publish()
}

// AddSecret adds a Secret whose key hmac holds a value.
func (i *Installation) AddSecret(name string, value credential.Secret) {
	i.secrets = append(i.secrets, posture.SecretData{Namespace: namespace, Name: name, Data: map[string]credential.Secret{"hmac": value}})
	i.Publish()
}

// SetEdited sets when a partner and a rollout were last edited, as kube-apiserver does.
// Objects of a directory have no such time.
func (i *Installation) SetEdited(partner string, capability posture.Capability, at time.Time) {
	edited := []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: new(metav1.NewTime(at))}}
	i.partners[partner].ManagedFields, i.rollouts[capability.String()].ManagedFields = edited, edited
	i.Publish()
}

// Publish compiles the objects and has the gates enforce them from now.
func (i *Installation) Publish() {
	var in posture.Inputs
	for _, p := range i.partners {
		in.Partners = append(in.Partners, *p.DeepCopy())
	}
	for _, r := range i.rollouts {
		in.Rollouts = append(in.Rollouts, *r.DeepCopy())
	}
	for _, sender := range i.senders {
		in.Senders = append(in.Senders, *sender.DeepCopy())
	}
	in.Profiles = slices.Clone(i.profiles)
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, i.secrets)
	i.Gates.Publish(posture.Compile(in), i.now())
}
