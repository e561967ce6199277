// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// choice picks a number below n. It is where a world gets its variety from:
// random numbers in property tests, bytes in fuzzing.
type choice func(n int) int

func randomly(seed uint64) choice {
	return rand.New(rand.NewPCG(seed, 1)).IntN
}

// fromBytes reads choices from a fuzzer's input; at its end everything is 0.
func fromBytes(data []byte) choice {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		one := int(data[0])
		data = data[1:]
		return one % n
	}
}

func (c choice) one(in int) bool { return c(in) == 0 }

func pick[T any](c choice, from ...T) T { return from[c(len(from))] }

// mostly picks the first value eleven times out of twelve.
func mostly[T any](c choice, usual T, others ...T) T {
	if !c.one(12) {
		return usual
	}
	return pick(c, others...)
}

// moments are the times at which worlds change and questions are asked.
var moments = []time.Time{
	time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
}

func (c choice) moment() metav1.Time { return metav1.NewTime(pick(c, moments...)) }

func (c choice) maybe(in int) *metav1.Time {
	if !c.one(in) {
		return nil
	}
	return new(c.moment())
}

var (
	partnerNames = []string{"acme", "stark", "globex"}
	worldKeys    = []string{"live:acme", "test:acme", "live:stark", "test:stark", "live:globex", "test:globex"}
)

// world is a small marketplace. Most of it is sound; now and then an object has
// something that its schema would refuse.
func world(tb testing.TB, c choice) posture.Inputs {
	tb.Helper()
	var in posture.Inputs
	for capability := range posture.Capabilities() {
		for range mostly(c, 1, 0, 2) {
			in.Rollouts = append(in.Rollouts, c.rollout(capability.String(), len(in.Rollouts)))
		}
	}
	for i, name := range partnerNames {
		in.Partners = append(in.Partners, c.partner(tb, name, i))
	}
	for i := range in.Partners {
		for _, name := range []string{"one", "two", "three"} {
			if !c.one(3) {
				in.Partners[i].Spec.Webhooks = append(in.Partners[i].Spec.Webhooks, c.webhook(name))
			}
		}
	}
	in.Webhooks = posture.NewWebhookBundle(in.Partners, worldSecrets)
	return in
}

func (c choice) rollout(capability string, i int) v1alpha1.CapabilityRollout {
	o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns", mostly(c, 0, i)), Name: capability}}
	o.Spec.Capability = v1alpha1.CapabilityName(capability)
	o.Spec.Stage = mostly(c, pick(c, v1alpha1.StageLive, v1alpha1.StagePrivateBeta), v1alpha1.StageSandbox, v1alpha1.StageDisabled, "", "GA")
	o.Spec.Change.Ticket = "REL-1"
	if !c.one(3) {
		o.Spec.Audience = &v1alpha1.Audience{}
		for _, name := range partnerNames {
			if !c.one(3) {
				o.Spec.Audience.Partners = append(o.Spec.Audience.Partners, name)
			}
			if c.one(6) {
				o.Spec.Audience.Excluded = append(o.Spec.Audience.Excluded, name)
			}
		}
		if c.one(6) {
			o.Spec.Audience.Selector = &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"tier": "pilot"}}
		}
	}
	if c.one(3) {
		o.Spec.Schedule = &v1alpha1.Schedule{NotBefore: c.maybe(2), NotAfter: c.maybe(2)}
		for i, at := range moments[:c(4)] {
			o.Spec.Schedule.Ramp = append(o.Spec.Schedule.Ramp, v1alpha1.RampStep{At: metav1.NewTime(at), Percent: int32(10 + 30*i + c(20))})
		}
	}
	if c.one(8) {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: pick(c, v1alpha1.KillSwitchEngaged, v1alpha1.KillSwitchReleased, "")}
	}
	return o
}

func (c choice) partner(tb testing.TB, name string, i int) v1alpha1.PartnerEntitlement {
	tb.Helper()
	o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: name}}
	if c.one(2) {
		o.Labels = map[string]string{"tier": "pilot"}
	}
	o.Spec.OrganizationID = mostly(c, fmt.Sprint("org_", name, "00"), "org_acme00", "x")
	o.Spec.Package = mostly(c, pick(c, v1alpha1.PackageEnterprise, v1alpha1.PackageSandbox), v1alpha1.PackagePlatform, "")
	o.Spec.State = mostly(c, v1alpha1.StateActive, v1alpha1.StateSuspended, "")
	if !c.one(8) {
		o.Spec.Contract = &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(pick(c, moments[0], moments[0], moments[2])), EffectiveUntil: c.maybe(4)}
	}
	for capability := range posture.Capabilities() {
		if !c.one(4) {
			o.Spec.Capabilities = append(o.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(capability.String())})
		}
	}
	for scope := range posture.AllScopes() {
		if !c.one(5) {
			o.Spec.Scopes = append(o.Spec.Scopes, v1alpha1.Scope(scope.String()))
		}
	}
	for _, key := range []string{worldKeys[2*i], worldKeys[2*i+1], pick(c, worldKeys...)} {
		o.Spec.Keys = append(o.Spec.Keys, c.key(tb, key))
	}
	// The third key is sometimes another partner's or a repetition.
	if !c.one(4) {
		o.Spec.Keys = o.Spec.Keys[:2]
	}
	return o
}

// worldSecrets are what webhooks of a world refer to, of which one is malformed.
var worldSecrets = []posture.SecretData{{Namespace: "ns0", Name: "keys", Data: map[string]credential.Secret{
	"a": "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", "b": "whsec_YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJi", "c": "whsec_",
}}}

func (c choice) webhook(name string) v1alpha1.Webhook {
	o := v1alpha1.Webhook{
		Name: mostly(c, name, ""),
		Kind: mostly(c, pick(c, v1alpha1.KeyKindLive, v1alpha1.KeyKindTest), ""),
		URL:  mostly(c, "https://partner.example/", "partner.example", "https://a:b@partner.example/"),
	}
	for _, key := range []string{"a", "b", "c"} {
		if !c.one(3) {
			o.Secrets = append(o.Secrets, v1alpha1.SharedSecret{
				Name: key, SecretRef: v1alpha1.SecretKeyReference{Name: "keys", Key: key}, NotBefore: c.maybe(3), NotAfter: c.maybe(3),
			})
		}
	}
	return o
}

func (c choice) key(tb testing.TB, name string) v1alpha1.APIKey {
	tb.Helper()
	kind := v1alpha1.KeyKindLive
	if name[:4] == "test" {
		kind = v1alpha1.KeyKindTest
	}
	o := v1alpha1.APIKey{Name: name[5:], Kind: kind, SHA256: keyOf(tb, name).Digest().String(), ExpiresAt: c.maybe(6)}
	o.State = mostly(c, v1alpha1.KeyStateActive, v1alpha1.KeyStateRevoked, "")
	if c.one(3) {
		o.Scopes = []v1alpha1.Scope{}
		for scope := range posture.AllScopes() {
			if !c.one(4) {
				o.Scopes = append(o.Scopes, v1alpha1.Scope(scope.String()))
			}
		}
	}
	return o
}

// keyring is the keys of a world, minted once.
func keyring(tb testing.TB) map[string]credential.Key {
	tb.Helper()
	keys := map[string]credential.Key{}
	for _, name := range worldKeys {
		keys[name] = keyOf(tb, name)
	}
	return keys
}

// question is one point of a world's decision space.
type question struct {
	key        string
	capability posture.Capability
	write      bool
	at         time.Time
}

// opened is everything that is open in a snapshot.
func opened(s *posture.Snapshot, keys map[string]credential.Key) map[question]posture.Decision {
	open := map[question]posture.Decision{}
	for name, key := range keys {
		for _, at := range moments {
			caller, _ := s.Authenticate(key, posture.Connection{}, at)
			for capability := range posture.Capabilities() {
				for _, write := range []bool{false, true} {
					if d := s.Decide(caller, capability, write, at); d.Allowed() {
						open[question{name, capability, write, at}] = d
					}
				}
			}
		}
	}
	return open
}

// delivery is one webhook at one time.
type delivery struct {
	webhook string
	at      time.Time
}

// signing counts the secrets.
func signing(deliverable map[delivery][]string) int {
	n := 0
	for _, secrets := range deliverable {
		n += len(secrets)
	}
	return n
}

// deliverable is every webhook to which something may be sent, with the secrets
// that sign it.
func deliverable(s *posture.Snapshot) map[delivery][]string {
	open := map[delivery][]string{}
	for w := range s.Webhooks() {
		for _, at := range moments {
			if w.Decide(at).Allowed() {
				values := []string{}
				for _, value := range w.Secrets(at) {
					values = append(values, value.Reveal())
				}
				open[delivery{w.String(), at}] = values
			}
		}
	}
	return open
}

// copyOf is a world that can be changed without changing the first one.
func copyOf(in posture.Inputs) posture.Inputs {
	out := posture.Inputs{Rollouts: slices.Clone(in.Rollouts), Partners: slices.Clone(in.Partners), Webhooks: in.Webhooks}
	for i := range out.Rollouts {
		out.Rollouts[i] = *out.Rollouts[i].DeepCopy()
	}
	for i := range out.Partners {
		out.Partners[i] = *out.Partners[i].DeepCopy()
	}
	return out
}
