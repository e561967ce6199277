// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

const (
	// A server that has returned is noticed within maxPause: a revocation made
	// right then must not wait for a long backoff.
	minPause = 50 * time.Millisecond
	maxPause = time.Second
	// listTimeout bounds the read of one page.
	listTimeout = 30 * time.Second
	pageSize    = 500
	// A watch is ended by the server after watchSeconds to twice that, and then
	// everything is listed again.
	watchSeconds = 300
)

// follower keeps one kind of a world up to date. It is an informer that holds
// nothing but the world's objects, always lists from etcd and not from the
// server's cache, starts again within a second, and never resyncs: an informer
// that hands out its own memory again is no sign of life.
type follower struct {
	kind      *kind
	index     int
	namespace string
	client    rest.Interface
	world     *world
	// listed is called after each list, failed with what ended a round.
	listed func()
	failed func(context.Context, error)
}

// run follows until the context ends.
func (f *follower) run(ctx context.Context) {
	pause := minPause
	for ctx.Err() == nil {
		began := time.Now()
		if err := f.round(ctx); err != nil && ctx.Err() == nil {
			f.failed(ctx, fmt.Errorf("follow %s: %w", f.kind.name, err))
		}
		if time.Since(began) > maxPause {
			pause = minPause
		}
		// Replicas that lost the server together must not return together.
		sleep(ctx, pause/2+rand.N(pause/2))
		pause = min(2*pause, maxPause)
	}
}

// round lists and then watches until the watch ends, which is no error.
func (f *follower) round(ctx context.Context) error {
	version, err := f.list(ctx)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	f.listed()
	if err := f.watch(ctx, version); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

// list reads all pages and returns the version that they are of.
func (f *follower) list(ctx context.Context) (string, error) {
	objects := map[string]object{}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := f.page(ctx, options)
		if err != nil {
			return "", err
		}
		err = meta.EachListItemWithAlloc(page, func(item runtime.Object) error {
			o, ok := item.(object)
			if !ok {
				return fmt.Errorf("an item of type %T", item)
			}
			strip(o)
			objects[o.GetName()] = o
			return nil
		})
		if err != nil {
			return "", err
		}
		list, err := meta.ListAccessor(page)
		if err != nil {
			return "", err
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			f.world.replace(f.index, list.GetResourceVersion(), objects)
			return list.GetResourceVersion(), nil
		}
	}
}

func (f *follower) page(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	page := f.kind.newList()
	return page, f.request(options).Do(ctx).Into(page)
}

func (f *follower) request(options metav1.ListOptions) *rest.Request {
	options = f.kind.selection(options)
	return f.client.Get().Namespace(f.namespace).Resource(f.kind.resource.Resource).
		VersionedParams(&options, metav1.ParameterCodec)
}

func (f *follower) watch(ctx context.Context, version string) error {
	seconds := watchSeconds + rand.Int64N(watchSeconds)
	stream, err := f.request(metav1.ListOptions{
		Watch: true, ResourceVersion: version, TimeoutSeconds: &seconds, AllowWatchBookmarks: true,
	}).Watch(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stream.Stop()
		// The stream's goroutine has ended when the channel is closed.
		for range stream.ResultChan() {
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-stream.ResultChan():
			if !open {
				return nil
			}
			if err := f.take(event); err != nil {
				return err
			}
		}
	}
}

func (f *follower) take(event watch.Event) error {
	if event.Type == watch.Error {
		return apierrors.FromObject(event.Object)
	}
	o, ok := event.Object.(object)
	if !ok {
		return fmt.Errorf("an event of type %T", event.Object)
	}
	switch event.Type {
	case watch.Added, watch.Modified:
		strip(o)
		f.world.put(f.index, o)
	case watch.Deleted:
		f.world.remove(f.index, o)
	case watch.Bookmark:
		f.world.advance(f.index, o.GetResourceVersion())
	default:
		return fmt.Errorf("an event %q", event.Type)
	}
	return nil
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
