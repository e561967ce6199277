// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/test/eventually"
)

// currentWatcher watches one kind before its objects exist and records the generations in which
// kstatus reports an object as Current.
type currentWatcher struct {
	mu      sync.Mutex
	current map[string]int64
	faults  []string
}

func (s *installation) currentWatcher(kind string) *currentWatcher {
	s.t.Helper()
	watcher, err := client.NewWithWatch(plane.Config(), client.Options{})
	if err != nil {
		s.t.Fatalf("client.NewWithWatch: %v", err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
	stream, err := watcher.Watch(s.t.Context(), list, client.InNamespace(s.namespace))
	if err != nil {
		s.t.Fatalf("watcher.Watch: %v", err)
	}
	w := &currentWatcher{current: map[string]int64{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range stream.ResultChan() {
			w.see(event)
		}
	}()
	s.t.Cleanup(func() {
		stream.Stop()
		<-done
	})
	return w
}

func (w *currentWatcher) see(event watch.Event) {
	o, isObject := event.Object.(*unstructured.Unstructured)
	if !isObject || event.Type == watch.Deleted {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	computed, err := status.Compute(o)
	if err != nil {
		w.faults = append(w.faults, err.Error())
		return
	}
	observed, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	ready := ""
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == v1alpha1.ConditionReady {
			ready = fmt.Sprint(c["status"])
		}
	}
	if (computed.Status == status.CurrentStatus) != (ready == "True" && observed == o.GetGeneration()) {
		w.faults = append(w.faults, fmt.Sprintf("generation %d: kstatus reports %s, Ready is %s of generation %d", o.GetGeneration(), computed.Status, ready, observed))
	}
	if computed.Status == status.CurrentStatus {
		w.current[o.GetName()] = o.GetGeneration()
	}
}

func (w *currentWatcher) generation(name string) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current[name]
}

// TestNoVersionOfAnObjectIsCurrentTooSoon checks that no version of an object is
// Current before the replica has compiled it, so that tools never stop waiting too
// early.
func TestNoVersionOfAnObjectIsCurrentTooSoon(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	s.start()
	w := s.currentWatcher(v1alpha1.KindPartnerEntitlement)
	one.hold()
	acme := partner("acme")
	s.create(acme)
	for i := range 8 {
		s.ready(acme, "False/Progressing")
		if got := w.generation("acme"); got >= acme.Generation {
			t.Fatalf("generation %d was Current before the replica had compiled it", got)
		}
		one.follow()
		s.ready(acme, "True/Enforced")
		eventually.Succeeds(t, func() error {
			if got := w.generation("acme"); got != acme.Generation {
				return fmt.Errorf("generation %d is Current, want %d", got, acme.Generation)
			}
			return nil
		})
		one.hold()
		s.edit(acme, func() { acme.Spec.DisplayName = fmt.Sprintf("Acme %d", i) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fault := range w.faults {
		t.Error(fault)
	}
}

// TestAPartnerWithABrokenWebhookIsCurrent checks that an invalid webhook does not delay
// tools that wait for its partner.
func TestAPartnerWithABrokenWebhookIsCurrent(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	s.start()
	w := s.currentWatcher(v1alpha1.KindPartnerEntitlement)
	acme := subscriber("acme", webhookOf("erp", "nowhere"))
	s.create(acme)
	s.webhooks(acme, "False/SecretNotFound")
	eventually.Succeeds(t, func() error {
		if got := w.generation("acme"); got != acme.Generation {
			return fmt.Errorf("generation %d is Current, want %d", got, acme.Generation)
		}
		return nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fault := range w.faults {
		t.Error(fault)
	}
}

// TestTheStatusReportsThatAnObjectIsNotCompiled delays the compilation.
func TestTheStatusReportsThatAnObjectIsNotCompiled(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start(func(_ *ctrl.Options, o *controllers.Options) {
		// Events are collected for longer than the test runs, so only the first
		// compilation, of an empty namespace, runs.
		o.Intervals.Gather, o.Intervals.Overdue = time.Hour, 10*time.Millisecond
	})
	eventually.Succeeds(t, func() error {
		_, err := s.gate()
		return err
	})
	acme := partner("acme")
	s.create(acme)
	s.ready(acme, "Unknown/Progressing")
	s.becomes(acme, v1alpha1.ConditionReconciling, "True/Progressing")
	if acme.Status.ObservedGeneration != -1 {
		t.Errorf("observedGeneration is %d, want 0 before a compilation", acme.Status.ObservedGeneration)
	}
}
