// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

var moments = posturetest.Moments()

// generatedKeys returns the keys of the generated partners by name.
func generatedKeys() map[string]credential.Key {
	keys := map[string]credential.Key{}
	for _, name := range posturetest.Keys() {
		keys[name] = posturetest.Key(name)
	}
	return keys
}

// question is one point of the decision space of a snapshot.
type question struct {
	key        string
	capability posture.Capability
	write      bool
	at         time.Time
}

// opened returns every question that is open in a snapshot.
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

// signing returns the number of secrets.
func signing(deliverable map[delivery][]string) int {
	n := 0
	for _, secrets := range deliverable {
		n += len(secrets)
	}
	return n
}

// deliverable returns every webhook that may receive events, with the secrets that sign
// them.
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

// copyOf returns inputs that can be changed without changing the given ones.
func copyOf(in posture.Inputs) posture.Inputs {
	out := in
	out.Rollouts, out.Partners, out.Senders = slices.Clone(in.Rollouts), slices.Clone(in.Partners), slices.Clone(in.Senders)
	for i := range out.Rollouts {
		out.Rollouts[i] = *out.Rollouts[i].DeepCopy()
	}
	for i := range out.Partners {
		out.Partners[i] = *out.Partners[i].DeepCopy()
	}
	for i := range out.Senders {
		out.Senders[i] = *out.Senders[i].DeepCopy()
	}
	return out
}
