// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"bytes"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// world is what the server has told so far. Objects in it are never changed,
// only replaced, so that a snapshot may keep them.
type world struct {
	// changed has a value while there is something that was not taken.
	changed chan struct{}

	mu    sync.Mutex
	kinds [kindCount]held
	// inputs are the lists as they were taken last.
	inputs posture.Inputs
}

// held is what was told of one kind.
type held struct {
	// synced is set with the first list.
	synced bool
	// version is that up to which the server has told everything.
	version string
	objects map[string]object
	// material tells that a compilation would differ from the last in this kind.
	material bool
	// heard counts what the server has sent.
	heard  uint64
	ledger ledger
}

// taken is one state of the world.
type taken struct {
	inputs posture.Inputs
	// material is false when a compilation would give the same as the last.
	material bool
	// secret is the gate Secret; nil when there is none.
	secret *corev1.Secret
	views  [kindCount]view
}

func newWorld() *world { return &world{changed: make(chan struct{}, 1)} }

// replace takes a complete list, and reports whether there was one before.
func (w *world) replace(kind int, version string, objects map[string]object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &w.kinds[kind]
	again := h.synced
	if !h.synced || !maps.EqualFunc(h.objects, objects, alike) {
		h.material = true
	}
	// Not the later of two versions: a cluster that was restored counts from
	// further back.
	h.synced, h.objects, h.version = true, objects, version
	h.ledger.reset(objects)
	w.told(h)
	return again
}

// put takes an object that was created or changed.
func (w *world) put(kind int, o object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &w.kinds[kind]
	if former, found := h.objects[o.GetName()]; !found || !alike(former, o) {
		h.material = true
	}
	h.objects[o.GetName()] = o
	h.ledger.note(o.GetName(), markOf(o))
	h.version = posture.LaterVersion(h.version, o.GetResourceVersion())
	w.told(h)
}

// remove takes the last state of an object that was deleted.
func (w *world) remove(kind int, o object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &w.kinds[kind]
	delete(h.objects, o.GetName())
	h.ledger.note(o.GetName(), mark{})
	h.version = posture.LaterVersion(h.version, o.GetResourceVersion())
	h.material = true
	w.told(h)
}

// advance takes the word of the server that there is nothing else up to a
// version.
func (w *world) advance(kind int, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &w.kinds[kind]
	h.version = posture.LaterVersion(h.version, version)
	w.told(h)
}

func (w *world) told(h *held) {
	h.heard++
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// heard is how much the server has sent of each kind.
func (w *world) heard() (counts [kindCount]uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.kinds {
		counts[i] = w.kinds[i].heard
	}
	return counts
}

// take returns the present state; false before everything was listed.
func (w *world) take() (taken, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var t taken
	for i := range w.kinds {
		h := &w.kinds[i]
		if !h.synced {
			return taken{}, false
		}
		t.views[i] = h.ledger.view(h.version)
		t.material = t.material || h.material
	}
	for _, o := range w.kinds[secrets].objects {
		t.secret, _ = o.(*corev1.Secret)
	}
	refresh(&w.inputs.Rollouts, &w.kinds[rollouts])
	refresh(&w.inputs.Partners, &w.kinds[partners])
	refresh(&w.inputs.Senders, &w.kinds[senders])
	w.kinds[secrets].material = false
	t.inputs = w.inputs
	return t, true
}

// refresh makes a list anew if something in it is. Otherwise the last one
// serves again: most edits leave the partners, of which there are many, alone.
func refresh[T any](list *[]T, h *held) {
	if h.material {
		*list, h.material = values[T](h.objects), false
	}
}

func values[T any](objects map[string]object) []T {
	list := make([]T, 0, len(objects))
	for _, o := range objects {
		if typed, ok := any(o).(*T); ok {
			list = append(list, *typed)
		}
	}
	return list
}

// alike reports whether two states of an object are the same to a compilation.
// The specification of a custom resource changes only with its generation; a
// Secret has none.
func alike(a, b object) bool {
	if a.GetUID() != b.GetUID() || a.GetGeneration() != b.GetGeneration() ||
		!a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) || !maps.Equal(a.GetLabels(), b.GetLabels()) {
		return false
	}
	former, isSecret := a.(*corev1.Secret)
	if !isSecret {
		return true
	}
	next, isSecret := b.(*corev1.Secret)
	return isSecret && maps.EqualFunc(former.Data, next.Data, bytes.Equal)
}

// heartbeatAnnotation is when the controller that leads was last alive, on the
// gate Secret; in the form of RFC 3339.
const heartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// strip drops what is read by nobody. Most of an object is that: of a partner as
// the controller keeps it, four fifths. Of the managed fields the time of the last edit
// is left.
func strip(o object) {
	beat, beats := o.GetAnnotations()[heartbeatAnnotation]
	edited := v1alpha1.LastEdit(o.GetManagedFields())
	o.SetManagedFields(nil)
	o.SetAnnotations(nil)
	switch o := o.(type) {
	case *corev1.Secret:
		if beats {
			o.Annotations = map[string]string{heartbeatAnnotation: beat}
		}
	case *v1alpha1.CapabilityRollout:
		o.Status = v1alpha1.CapabilityRolloutStatus{}
		o.ManagedFields = timeOf(edited)
	case *v1alpha1.PartnerEntitlement:
		o.Status = v1alpha1.PartnerEntitlementStatus{}
		o.ManagedFields = timeOf(edited)
	case *v1alpha1.XJMFSender:
		o.Status = v1alpha1.XJMFSenderStatus{}
	}
}

// timeOf is an entry with its time alone; none for nil. The copies let go of what they
// were decoded with.
func timeOf(entry *metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if entry == nil {
		return nil
	}
	at := *entry.Time
	return []metav1.ManagedFieldsEntry{{Time: &at}}
}
