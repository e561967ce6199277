// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// everything is the one request of a reconciler that looks at all at once.
type everything struct{}

// wake is a source of requests that come from within this process. It neither
// blocks nor needs a goroutine. What is added before its controller was started
// is lost: a started controller looks at everything anyway.
type wake[R comparable] struct {
	// first is added when the controller starts.
	first []R

	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[R]
}

// Start is called by the controller.
func (w *wake[R]) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = queue
	for _, request := range w.first {
		queue.Add(request)
	}
	return nil
}

func (w *wake[R]) String() string { return "wake" }

// add asks the controller for a reconciliation.
func (w *wake[R]) add(request R) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.queue.Add(request)
	}
}

// delayed makes requests of all events of a kind, after a while. Events that
// come together then make one request.
func delayed[O any, R comparable](after time.Duration, request func(O) R) handler.TypedEventHandler[O, R] {
	add := func(queue workqueue.TypedRateLimitingInterface[R], o O) { queue.AddAfter(request(o), after) }
	return handler.TypedFuncs[O, R]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[O], queue workqueue.TypedRateLimitingInterface[R]) {
			add(queue, e.Object)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[O], queue workqueue.TypedRateLimitingInterface[R]) {
			add(queue, e.ObjectNew)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[O], queue workqueue.TypedRateLimitingInterface[R]) {
			add(queue, e.Object)
		},
	}
}

// controllerOptions are those of all controllers here: what fails is tried
// again soon, and no less often than every few seconds.
func controllerOptions[R comparable](workers int) controller.TypedOptions[R] {
	return controller.TypedOptions[R]{
		MaxConcurrentReconciles: workers,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[R](50*time.Millisecond, 5*time.Second),
	}
}
