// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"bytes"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// clusterState holds the objects of the cluster as the API server last reported
// them. Objects in it are never changed, only replaced, so that a snapshot may
// keep them.
type clusterState struct {
	// changed has a value while the compiler has not taken the latest state.
	changed chan struct{}
	// relisted has a value after a list that was not the first of its kind.
	relisted chan struct{}

	mu    sync.Mutex
	kinds [kindCount]kindState
	// inputs are the lists as they were taken last.
	inputs posture.Inputs
}

func newClusterState(relisted chan struct{}) *clusterState {
	c := &clusterState{changed: make(chan struct{}, 1), relisted: relisted}
	for i := range c.kinds {
		c.kinds[i].cluster = c
	}
	return c
}

// kindState holds the objects of one kind. It is the store of a Reflector.
type kindState struct {
	cluster *clusterState
	// listed is set with the first list.
	listed bool
	// version is that up to which the server has reported everything.
	version string
	objects map[string]object
	// recompile is set when a compilation would differ from the last in this kind.
	recompile bool
	// received counts the messages of the server.
	received uint64
	marks    markSet
}

var (
	_ cache.ReflectorStore         = &kindState{}
	_ cache.ReflectorBookmarkStore = &kindState{}
)

// Replace takes a complete list, which [follower.list] has stripped.
func (k *kindState) Replace(items []any, version string) error {
	objects := make(map[string]object, len(items))
	for _, item := range items {
		o, err := objectOf(item)
		if err != nil {
			return err
		}
		objects[o.GetName()] = o
	}
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	if k.listed {
		signal(k.cluster.relisted)
	}
	if !k.listed || !maps.EqualFunc(k.objects, objects, compilesAlike) {
		k.recompile = true
	}
	// Not the later of two versions: a cluster that was restored counts from
	// further back.
	k.listed, k.objects, k.version = true, objects, version
	k.marks.reset(objects)
	k.report()
	return nil
}

// Add takes a new object.
func (k *kindState) Add(item any) error { return k.Update(item) }

// Update takes a changed object.
func (k *kindState) Update(item any) error {
	o, err := objectOf(item)
	if err != nil {
		return err
	}
	strip(o)
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	if former, found := k.objects[o.GetName()]; !found || !compilesAlike(former, o) {
		k.recompile = true
	}
	k.objects[o.GetName()] = o
	k.marks.note(o.GetName(), markOf(o))
	k.advance(o.GetResourceVersion())
	return nil
}

// Delete takes the last state of a deleted object.
func (k *kindState) Delete(item any) error {
	o, err := objectOf(item)
	if err != nil {
		return err
	}
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	delete(k.objects, o.GetName())
	k.marks.note(o.GetName(), mark{})
	k.recompile = true
	k.advance(o.GetResourceVersion())
	return nil
}

// Bookmark takes a version up to which the server has reported everything.
func (k *kindState) Bookmark(version string) error {
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	k.advance(version)
	return nil
}

// Resync does nothing: objects that are handed out again are no sign of life.
func (*kindState) Resync() error { return nil }

func (k *kindState) advance(version string) {
	k.version = posture.LaterVersion(k.version, version)
	k.report()
}

func (k *kindState) report() {
	k.received++
	signal(k.cluster.changed)
}

// received returns how many messages the server has sent of each kind.
func (c *clusterState) received() (counts [kindCount]uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kinds {
		counts[i] = c.kinds[i].received
	}
	return counts
}

// compilerInput is one state of the cluster.
type compilerInput struct {
	inputs posture.Inputs
	// recompile is false when a compilation would give the same as the last.
	recompile bool
	// secret is the gate Secret; nil when there is none.
	secret *corev1.Secret
	views  [kindCount]view
}

// take returns the present state; false before everything was listed.
func (c *clusterState) take() (compilerInput, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var t compilerInput
	for i := range c.kinds {
		k := &c.kinds[i]
		if !k.listed {
			return compilerInput{}, false
		}
		t.views[i] = k.marks.view(k.version)
		t.recompile = t.recompile || k.recompile
	}
	for _, o := range c.kinds[secrets].objects {
		t.secret, _ = o.(*corev1.Secret)
	}
	refresh(&c.inputs.Rollouts, &c.kinds[rollouts])
	refresh(&c.inputs.Partners, &c.kinds[partners])
	refresh(&c.inputs.Senders, &c.kinds[senders])
	c.kinds[secrets].recompile = false
	t.inputs = c.inputs
	return t, true
}

// refresh rebuilds a list if something in it has changed. Otherwise the last one
// serves again: most edits leave the partners, of which there are many, alone.
func refresh[T any](list *[]T, k *kindState) {
	if k.recompile {
		*list, k.recompile = values[T](k.objects), false
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

// compilesAlike reports whether two states of an object compile to the same.
// The specification of a custom resource changes only with its generation; a
// Secret has none.
func compilesAlike(a, b object) bool {
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

// heartbeatAnnotation says on the gate Secret when the leading controller was last
// alive, in the form of RFC 3339.
const heartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// objectOf returns an item of a Reflector as an object.
func objectOf(item any) (object, error) {
	o, ok := item.(object)
	if !ok {
		return nil, fmt.Errorf("an item of type %T", item)
	}
	return o, nil
}

// strip drops what nobody reads, which is most of an object: four fifths of a
// partner as the controller keeps it. Of the managed fields it keeps the time of
// the last edit.
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

// timeOf returns an entry with its time alone, or none for nil. The copy releases
// what it was decoded with.
func timeOf(entry *metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if entry == nil {
		return nil
	}
	at := *entry.Time
	return []metav1.ManagedFieldsEntry{{Time: &at}}
}
