// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// allObjects is the request of the compiler and of the propagation tracker, which process all
// objects at once.
var allObjects = reconcile.Request{NamespacedName: types.NamespacedName{Name: "all"}}

// trigger is a source of requests from within this process. It neither blocks
// nor needs a goroutine. Requests that are added before the controller starts
// are lost; a controller processes all objects when it starts.
type trigger struct {
	// initial requests are added when the controller starts.
	initial []reconcile.Request

	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Start implements [source.Source].
func (t *trigger) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = queue
	for _, request := range t.initial {
		queue.Add(request)
	}
	return nil
}

func (t *trigger) String() string { return "trigger" }

func (t *trigger) add(request reconcile.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queue != nil {
		t.queue.Add(request)
	}
}

// enqueueAfter returns a handler that makes a delayed request of each event. Events of one request that
// arrive within the delay are processed together.
func enqueueAfter(delay time.Duration, request func(client.Object) reconcile.Request) handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { q.AddAfter(request(e.Object), delay) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { q.AddAfter(request(e.ObjectNew), delay) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { q.AddAfter(request(e.Object), delay) },
	}
}

// controllerOptions returns the options of a controller. It retries a failed request after 50 ms, then
// after growing delays of at most 5 s.
func controllerOptions(workers int) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: workers,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, 5*time.Second),
	}
}
