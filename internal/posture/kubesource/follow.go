// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// settleTime is how long a watch must last before the kind counts as followed again. A
// watch that the server rejects, or that breaks at once, does not end an outage, even
// if the preceding list succeeded.
const settleTime = time.Second

var (
	// errListAgain makes a Reflector start again with a list.
	errListAgain = errors.New("list again")
	// errShortWatch means that the server ended a watch, or sent an error, within
	// settleTime.
	errShortWatch = errors.New("the watch ended within a second")
)

// follower keeps one kind of the cluster state up to date with a Reflector of
// client-go. The defaults of a Reflector suit a cache but not a gate. A follower
// therefore lists from etcd instead of the server's cache, starts each watch with a
// list, and starts an expired list again page by page.
type follower struct {
	*resource
	state *kindState
	// noted receives the error that interrupts following the kind, and nil once a watch
	// works.
	noted func(context.Context, error)
	// listed is true between a list and the watch that follows it.
	listed bool
}

// run follows the kind until the context ends. The Reflector retries within a second: a
// revocation right after an outage must not wait for a long back-off. Jitter keeps
// replicas that lost the server at the same time from returning at the same time.
func (f *follower) run(ctx context.Context) {
	silent := logr.Discard() // list and watch report their errors themselves
	lists := listWatch{&cache.ListWatch{ListWithContextFunc: f.list, WatchFuncWithContext: f.watch}}
	reflector := cache.NewReflectorWithOptions(lists, nil, f.state, cache.ReflectorOptions{
		Name: f.kind.name, Logger: &silent,
		Backoff: &wait.Backoff{Duration: 25 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 10, Cap: 500 * time.Millisecond},
	})
	reflector.WatchListPageSize = pageSize
	reflector.RunWithContext(logr.NewContext(ctx, silent))
}

// listWatch is a ListWatch without streaming lists, which send all objects at once.
type listWatch struct{ *cache.ListWatch }

func (listWatch) IsWatchListSemanticsUnSupported() bool { return true }

// list reads one page for the Reflector. A list without a resource version is as
// current as etcd.
func (f *follower) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.Limit == 0 {
		return nil, apierrors.NewResourceExpired("the list took too long")
	}
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	page := f.kind.newList()
	err := readWithRetry(ctx, options, func(ctx context.Context) error { return f.page(ctx, options, page) })
	if err == nil {
		// Strip objects before reading the next page, because most of a page is discarded.
		err = meta.EachListItem(page, func(item runtime.Object) error {
			o, err := objectOf(item)
			if err == nil {
				strip(o)
			}
			return err
		})
	}
	if err != nil {
		f.note(ctx, "list", err)
		return nil, err
	}
	f.listed = true
	return page, nil
}

// watch streams the changes after a list. When the server ends or rejects a watch, the
// Reflector would continue with another watch. The follower requires a new list
// instead, so that it detects a replaced history.
func (f *follower) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if !f.listed {
		return nil, errListAgain
	}
	f.listed, options.Watch = false, true
	stream, err := f.request(options).Watch(ctx)
	if err != nil {
		f.note(ctx, "watch", err)
		return nil, errListAgain
	}
	settled := time.AfterFunc(settleTime, func() { f.noted(ctx, nil) })
	return stoppedWatch{stream, func() {
		if settled.Stop() {
			f.note(ctx, "watch", errShortWatch)
		}
	}}, nil
}

// stoppedWatch is a watch that calls a function when its reader stops it.
type stoppedWatch struct {
	watch.Interface
	stopped func()
}

func (w stoppedWatch) Stop() {
	w.stopped()
	w.Interface.Stop()
}

func (f *follower) note(ctx context.Context, verb string, err error) {
	if ctx.Err() == nil {
		f.noted(ctx, fmt.Errorf("follow %s: %s: %w", f.kind.name, verb, err))
	}
}
