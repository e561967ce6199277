// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
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

// statusTracker holds the latest results of the compiler and of the propagation tracker. It calls
// changed with the objects whose status they change. It is safe for concurrent use.
type statusTracker struct {
	changed func([]objectKey)

	mu      sync.Mutex
	objects map[objectKey]*objectState
	serving servingReplicas
	// required is the latest version of each kind that any object requires of each enforcer.
	// The epoch increases when it changes.
	required []requiredVersion
	epoch    uint64
}

// objectKey identifies an object.
type objectKey struct {
	kind string
	types.NamespacedName
}

func keyOf(o client.Object) objectKey {
	return objectKey{statusOf(o).kind, client.ObjectKeyFromObject(o)}
}

// requiredVersion is a version that every replica of an enforcer must have compiled before an object
// counts as propagated: the version of the object, and that of the gate Secret if the enforcer reads
// secrets of the object from it. An empty version is never reached.
type requiredVersion struct {
	by            enforcer
	kind, version string
}

// compiledObject is the result of a compilation for one object.
type compiledObject struct {
	key        objectKey
	uid        types.UID
	version    string
	generation int64
	labels     map[string]string
	report     any
	conditions []posture.Condition
	// enforcers are the processes that enforce the object.
	enforcers []enforcer
	// inGateSecret is set if the enforcer reader reads secrets of the object from its gate
	// Secret. The fingerprint of these secrets is in secrets.
	inGateSecret bool
	reader       enforcer
	secrets      [sha256.Size]byte
	// writtenPropagation and writtenReason come from the object's status, which is the
	// only source of a new leader for earlier results: the condition Propagated if it was
	// True for the present generation, and the reason of the condition Ready.
	writtenPropagation *propagationResult
	writtenReason      string
}

// objectState holds the tracked state of one object until its deletion.
type objectState struct {
	*compiledObject

	// objectVersion and secretVersion are the versions of the object and of the gate Secret that the
	// enforcers must compile.
	objectVersion, secretVersion string
	required                     []requiredVersion
	propagation                  propagationResult
	// lastPropagated is the latest result in which the present generation was
	// propagated; nil if there is none.
	lastPropagated *propagationResult
	recordedReason string
	// written is the object that the last write returned; nil once the cache has that
	// version.
	written client.Object
}

// compiled reports whether the state describes the present generation of an object.
func (s *objectState) compiled(o client.Object) bool {
	return s.compiledObject != nil && s.uid == o.GetUID() && s.generation == o.GetGeneration()
}

func newStatusTracker(changed func([]objectKey)) *statusTracker {
	return &statusTracker{changed: changed, objects: map[objectKey]*objectState{}}
}

// publish replaces the state of all objects by the results of a compilation, and returns the last
// state of the objects that were deleted since the one before. The gate versions are the versions of
// the enforcers' gate Secrets with the secrets of these objects; a version is empty if the Secret
// could not be written.
func (t *statusTracker) publish(compiled []compiledObject, gateVersions [enforcerCount]string) []objectState {
	t.mu.Lock()
	var changed []objectKey
	next := make(map[objectKey]*objectState, len(compiled))
	for i := range compiled {
		c := &compiled[i]
		old := t.objects[c.key]
		if old != nil && old.uid != c.uid {
			old = nil
		}
		state := nextState(c, old, gateVersions[c.reader])
		state.evaluate(t.serving)
		next[c.key] = state
		if old == nil || state.generation != old.generation || state.propagation != old.propagation ||
			!slices.Equal(state.conditions, old.conditions) || !reflect.DeepEqual(state.report, old.report) {
			changed = append(changed, c.key)
		}
	}
	var deleted []objectState
	for key, old := range t.objects {
		if state := next[key]; state == nil || state.uid != old.uid {
			deleted = append(deleted, *old)
		}
	}
	t.objects = next
	t.updateRequired()
	t.mu.Unlock()
	t.changed(changed)
	return deleted
}

// nextState returns the state of an object after a compilation. The versions that the object requires
// change only with its generation, its labels or its secrets, which the replicas compile. Writes of its
// status and heartbeats of the gate Secret make newer versions that replicas need not reach.
func nextState(c *compiledObject, old *objectState, gateVersion string) *objectState {
	state := &objectState{compiledObject: c, lastPropagated: c.writtenPropagation, recordedReason: c.writtenReason}
	var sameObject, sameSecrets bool
	if old != nil {
		state.lastPropagated, state.recordedReason, state.written = old.lastPropagated, old.recordedReason, old.written
		sameObject = old.generation == c.generation && maps.Equal(old.labels, c.labels)
		sameSecrets = !c.inGateSecret || old.inGateSecret && old.secrets == c.secrets && old.secretVersion != ""
	}
	state.objectVersion, state.secretVersion = c.version, gateVersion
	if sameObject {
		state.objectVersion = old.objectVersion
	}
	if sameSecrets {
		state.secretVersion = old.secretVersion
	}
	if old != nil && (!sameObject || !sameSecrets) {
		state.lastPropagated = nil
	}
	for _, by := range c.enforcers {
		state.required = append(state.required, requiredVersion{by, c.key.kind, state.objectVersion})
	}
	if c.inGateSecret {
		state.required = append(state.required, requiredVersion{c.reader, posture.KindSecret, state.secretVersion})
	}
	return state
}

func (s *objectState) evaluate(serving servingReplicas) {
	s.propagation = evaluatePropagation(serving, s.required, s.lastPropagated)
	if s.propagation.propagated() && (s.lastPropagated == nil || *s.lastPropagated != s.propagation) {
		s.lastPropagated = new(s.propagation)
	}
}

// updateRequired sets the latest versions that any object requires of each enforcer. A replica that
// has the latest version of a kind has all of them, because versions only grow.
func (t *statusTracker) updateRequired() {
	newest := map[requiredVersion]string{}
	for _, state := range t.objects {
		for _, r := range state.required {
			of := requiredVersion{by: r.by, kind: r.kind}
			newest[of] = posture.LaterVersion(newest[of], r.version)
		}
	}
	var required []requiredVersion
	for of, version := range newest {
		if version != "" {
			required = append(required, requiredVersion{of.by, of.kind, version})
		}
	}
	slices.SortFunc(required, func(a, b requiredVersion) int {
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.kind, b.kind))
	})
	if !slices.Equal(required, t.required) {
		t.required = required
		t.epoch++
	}
}

// requiredVersions returns the versions that every replica should enforce, and a
// number that changes with them.
func (t *statusTracker) requiredVersions() ([]requiredVersion, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.required, t.epoch
}

// observe stores what the replicas enforce.
func (t *statusTracker) observe(serving servingReplicas) {
	t.mu.Lock()
	t.serving = serving
	var changed []objectKey
	for key, state := range t.objects {
		before := state.propagation
		state.evaluate(serving)
		if state.propagation != before {
			changed = append(changed, key)
		}
	}
	t.mu.Unlock()
	t.changed(changed)
}

// state returns a copy of the state of an object, or the zero state if the
// object is not compiled.
func (t *statusTracker) state(key objectKey, uid types.UID) objectState {
	t.mu.Lock()
	defer t.mu.Unlock()
	if state := t.find(key, uid); state != nil {
		return *state
	}
	return objectState{}
}

func (t *statusTracker) find(key objectKey, uid types.UID) *objectState {
	if state := t.objects[key]; state != nil && state.uid == uid {
		return state
	}
	return nil
}

// recordWrite stores the object that a write returned, or nil once the cache has that version.
func (t *statusTracker) recordWrite(key objectKey, uid types.UID, written client.Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if state := t.find(key, uid); state != nil {
		state.written = written
	}
}

// recordReason stores the reason of an object's condition Ready, and reports whether an Event should be
// recorded. A change in progress needs no Event, nor does the failure of a replica, which does not change
// the object.
func (t *statusTracker) recordReason(key objectKey, uid types.UID, reason string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.find(key, uid)
	if state == nil || reason == state.recordedReason {
		return false
	}
	switch reason {
	case v1alpha1.ReasonProgressing, v1alpha1.ReasonReplicaSilent, v1alpha1.ReasonNoReplicas, v1alpha1.ReasonServiceNotFound:
		return false
	}
	state.recordedReason = reason
	return true
}

// countObjects counts the objects by kind and by the status of Ready.
func (t *statusTracker) countObjects() map[[2]string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := map[[2]string]int{}
	for key, state := range t.objects {
		ready := "False"
		if isTrue(withPropagation(state.conditions, state.propagation), v1alpha1.ConditionReady) {
			ready = "True"
		}
		counts[[2]string{key.kind, ready}]++
	}
	return counts
}

// countReplicas counts the serving replicas by state. It returns an empty map
// before the first probe.
func (t *statusTracker) countReplicas() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := map[string]int{}
	if t.serving.known {
		counts = map[string]int{"enforcing": 0, "behind": 0, "silent": 0}
	}
	for _, r := range t.serving.replicas {
		switch {
		case r.silent:
			counts["silent"]++
		case r.enforces(t.required):
			counts["enforcing"]++
		default:
			counts["behind"]++
		}
	}
	return counts
}
