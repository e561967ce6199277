// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// clusterState holds the objects of the cluster as the API server last reported
// them. Objects in it are never changed, only replaced, so that a snapshot may
// keep them.
type clusterState struct {
	// changed has a value while the compiler has not read the latest state.
	changed chan struct{}
	// relisted has a value after a list that was not the first of its kind.
	relisted chan struct{}

	mu    sync.Mutex
	kinds [kindCount]kindState
	// inputs holds the lists of the last call of take.
	inputs posture.Objects
}

// newClusterState returns an empty state. A kind that is not read counts as listed, without objects.
func newClusterState(kinds [kindCount]kind, relisted chan struct{}) *clusterState {
	c := &clusterState{changed: make(chan struct{}, 1), relisted: relisted}
	for i := range c.kinds {
		c.kinds[i].cluster, c.kinds[i].listed = c, kinds[i].unread
	}
	return c
}

// kindState holds the objects of one kind. It is the store of a Reflector.
type kindState struct {
	cluster *clusterState
	// listed is set with the first list.
	listed bool
	// version is the resource version up to which the server has reported everything.
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
	// Do not keep the later version: a cluster that was restored from a backup
	// continues at an earlier one.
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
	former, found := k.objects[o.GetName()]
	alike := found && compilesAlike(former, o)
	k.recompile = k.recompile || !alike
	// Keep an object that compiles alike, so that its status does not cause its compilation.
	if _, isSecret := o.(*corev1.Secret); !alike || isSecret || !v1alpha1.Edited(former).Equal(v1alpha1.Edited(o)) {
		k.objects[o.GetName()] = o
	}
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

// Resync does nothing: objects from the Reflector's cache do not prove a working
// connection.
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
	inputs posture.Objects
	// recompile is false when a compilation would give the same as the last.
	recompile bool
	// secret is the gate Secret; nil if there is none.
	secret *corev1.Secret
	views  [kindCount]view
}

// take returns the current state. It returns false before all kinds were listed.
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
	refresh(&c.inputs.Profiles, &c.kinds[profiles])
	c.kinds[secrets].recompile = false
	t.inputs = c.inputs
	return t, true
}

// refresh rebuilds a list if an object in it has changed. Otherwise the last list is
// reused: most edits do not affect the partners, of which there are many.
func refresh[T object](list *[]T, k *kindState) {
	if k.recompile {
		rebuilt := make([]T, 0, len(k.objects))
		for _, o := range k.objects {
			if typed, ok := o.(T); ok {
				rebuilt = append(rebuilt, typed)
			}
		}
		*list, k.recompile = rebuilt, false
	}
}

// compilesAlike reports whether two states of an object compile to the same.
// The specification of a custom resource changes only with its generation; a
// Secret has none. Of the status, only what [strip] keeps counts.
func compilesAlike(a, b object) bool {
	if a.GetUID() != b.GetUID() || a.GetGeneration() != b.GetGeneration() ||
		!a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) || !maps.Equal(a.GetLabels(), b.GetLabels()) {
		return false
	}
	switch former := a.(type) {
	case *corev1.Secret:
		next, isSecret := b.(*corev1.Secret)
		return isSecret && maps.EqualFunc(former.Data, next.Data, bytes.Equal)
	case *v1alpha1.PartnerEntitlement:
		next, isPartner := b.(*v1alpha1.PartnerEntitlement)
		return isPartner && slices.Equal(former.Status.RevokedKeys, next.Status.RevokedKeys)
	case *v1alpha1.CapabilityRollout:
		next, isRollout := b.(*v1alpha1.CapabilityRollout)
		return isRollout && equality.Semantic.DeepEqual(former.Status.Analysis, next.Status.Analysis)
	default:
		return true
	}
}

// heartbeatAnnotation holds on the gate Secret the time of the leading controller's
// last heartbeat, in RFC 3339 format.
const heartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// objectOf returns an item of a Reflector as an object.
func objectOf(item any) (object, error) {
	o, ok := item.(object)
	if !ok {
		return nil, fmt.Errorf("unexpected item of type %T", item)
	}
	return o, nil
}

// strip removes unused fields, which are most of an object: four fifths of a partner as
// the controller stores it. Of the managed fields it keeps the time of the last edit, of the
// status the revoked keys that the spec has as active, usually none, and the progress of an analysis.
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
		o.Status = v1alpha1.CapabilityRolloutStatus{Analysis: posture.AnalysisProgress(o.Status.Analysis)}
		o.ManagedFields = timeOf(edited)
	case *v1alpha1.PartnerEntitlement:
		o.Status = v1alpha1.PartnerEntitlementStatus{RevokedKeys: posture.RevivedKeys(o)}
		o.ManagedFields = timeOf(edited)
	case *v1alpha1.XJMFSender:
		o.Status = v1alpha1.XJMFSenderStatus{}
	case *v1alpha1.PreflightProfile:
		o.Status = v1alpha1.PreflightProfileStatus{}
	}
}

// timeOf returns an entry that has only its time, or none for nil. Copying the time
// releases the decoded entry.
func timeOf(entry *metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if entry == nil {
		return nil
	}
	at := *entry.Time
	return []metav1.ManagedFieldsEntry{{Time: &at}}
}
