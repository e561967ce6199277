// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"crypto/sha256"
	"maps"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// subject is one object as a run of the world saw it.
type subject struct {
	key             key
	uid             types.UID
	version         string
	generation      int64
	labels          map[string]string
	report          any
	conditions      []posture.Condition
	before          past
	secrets         [sha256.Size]byte
	needsGateSecret bool
}

// past is what an object's own status says of the present generation: all that
// a controller knows of what happened before it was started.
type past struct {
	// propagated is the condition Propagated if it was True.
	propagated *verdict
	// reason is the reason of the condition Ready.
	reason string
}

// key names an object.
type key struct {
	kind string
	types.NamespacedName
}

// card is what the board knows of one object. It goes when the object goes.
type card struct {
	uid        types.UID
	generation int64
	labels     map[string]string
	secrets    [sha256.Size]byte
	report     any
	conditions []posture.Condition
	needs      []need
	// settled is the verdict by which the needs were met once; nil before.
	settled *verdict
	verdict verdict
	// written is the object as the last write left it, until the cache has it.
	written client.Object
	// announced is the reason that was told last.
	announced string
}

// board holds what the last run of the world and the last round of questions
// came to, and tells whom it concerns when that changes.
type board struct {
	changed func([]key)

	mu    sync.Mutex
	cards map[key]*card
	fleet fleet
	// wanted is the latest version of each kind that any object needs.
	wanted []need
	epoch  uint64
}

func newBoard(changed func([]key)) *board {
	return &board{changed: changed, cards: map[key]*card{}}
}

// publish replaces what is known of all objects. gateVersion is the version of
// the gate Secret that holds what the subjects' secrets are; empty when it could
// not be written.
func (b *board) publish(subjects []subject, gateVersion string) {
	b.mu.Lock()
	var changed []key
	next := make(map[key]*card, len(subjects))
	for i := range subjects {
		s := &subjects[i]
		old := b.cards[s.key]
		if old != nil && old.uid != s.uid {
			old = nil
		}
		c := newCard(s, old, gateVersion)
		c.judge(b.fleet)
		next[s.key] = c
		if old == nil || !c.saysTheSame(old) {
			changed = append(changed, s.key)
		}
	}
	b.cards = next
	b.want()
	b.mu.Unlock()
	b.changed(changed)
}

// newCard carries over from the object's last card, or from its own status,
// what this run does not change.
func newCard(s *subject, old *card, gateVersion string) *card {
	c := &card{uid: s.uid, generation: s.generation, labels: s.labels, secrets: s.secrets, report: s.report, conditions: s.conditions}
	if old == nil {
		c.needs = s.needs(gateVersion)
		c.settled, c.announced = s.before.propagated, s.before.reason
		return c
	}
	c.needs, c.settled, c.written, c.announced = old.needs, old.settled, old.written, old.announced
	now := s.needs(gateVersion)
	if old.generation != s.generation || !maps.Equal(old.labels, s.labels) {
		c.needs, c.settled = slices.Concat(now[:1], c.needs[1:]), nil
	}
	if s.needsGateSecret && (old.secrets != s.secrets || c.needs[1].version == "") {
		c.needs, c.settled = slices.Concat(c.needs[:1], now[1:]), nil
	}
	return c
}

// needs are what a replica must have compiled to know the subject as it is now.
func (s *subject) needs(gateVersion string) []need {
	needs := []need{{s.key.kind, s.version}}
	if s.needsGateSecret {
		needs = append(needs, need{posture.KindSecret, gateVersion})
	}
	return needs
}

func (c *card) judge(f fleet) {
	c.verdict = f.judge(c.needs, c.settled)
	if c.verdict.propagated() && (c.settled == nil || *c.settled != c.verdict) {
		settled := c.verdict
		c.settled = &settled
	}
}

// saysTheSame reports whether both cards lead to the same status.
func (c *card) saysTheSame(old *card) bool {
	return c.generation == old.generation && c.verdict == old.verdict &&
		slices.Equal(c.conditions, old.conditions) && reflect.DeepEqual(c.report, old.report)
}

// want sums up what all objects need. A replica that has that has everything,
// because versions only grow.
func (b *board) want() {
	latest := map[string]string{}
	for _, c := range b.cards {
		for _, n := range c.needs {
			latest[n.kind] = posture.LaterVersion(latest[n.kind], n.version)
		}
	}
	var wanted []need
	for _, kind := range slices.Sorted(maps.Keys(latest)) {
		if latest[kind] != "" {
			wanted = append(wanted, need{kind, latest[kind]})
		}
	}
	if !slices.Equal(wanted, b.wanted) {
		b.wanted = wanted
		b.epoch++
	}
}

// wants is what every replica should have; the number changes when it does.
func (b *board) wants() ([]need, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wanted, b.epoch
}

// observe takes in what the replicas have.
func (b *board) observe(f fleet) {
	b.mu.Lock()
	b.fleet = f
	var changed []key
	for k, c := range b.cards {
		before := c.verdict
		c.judge(f)
		if c.verdict != before {
			changed = append(changed, k)
		}
	}
	b.mu.Unlock()
	b.changed(changed)
}

// card is a copy of what is known of one object; false if nothing is.
func (b *board) card(k key, uid types.UID) (card, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.cards[k]
	if c == nil || c.uid != uid {
		return card{}, false
	}
	return *c, true
}

// wrote notes how a write left the object; nil once the cache has it.
func (b *board) wrote(k key, uid types.UID, o client.Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.cards[k]; c != nil && c.uid == uid {
		c.written = o
	}
}

// announce notes a reason of Ready, and reports whether it is news. What is on
// its way is none, and what a replica does is not the object's.
func (b *board) announce(k key, uid types.UID, reason string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.cards[k]
	if c == nil || c.uid != uid || reason == c.announced || reason == v1alpha1.ReasonProgressing || reason == v1alpha1.ReasonReplicaSilent {
		return false
	}
	c.announced = reason
	return true
}

// tally counts objects by kind and by the status of Ready.
func (b *board) tally() map[[2]string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := map[[2]string]int{}
	for k, c := range b.cards {
		ready := "False"
		if isTrue(withPropagation(c.conditions, c.verdict), v1alpha1.ConditionReady) {
			ready = "True"
		}
		counts[[2]string{k.kind, ready}]++
	}
	return counts
}

// roll counts the replicas by what they answer.
func (b *board) roll() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := map[string]int{}
	if b.fleet.known {
		counts = map[string]int{"enforcing": 0, "behind": 0, "silent": 0}
	}
	for _, r := range b.fleet.replicas {
		switch {
		case r.silent:
			counts["silent"]++
		case r.passed(b.wanted):
			counts["enforcing"]++
		default:
			counts["behind"]++
		}
	}
	return counts
}
