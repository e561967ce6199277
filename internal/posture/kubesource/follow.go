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

// settleTime is how long a watch must last before the kind counts as followed
// again. A watch that the server refuses, or that breaks at once, ends no
// trouble, even if the list before it succeeded.
const settleTime = time.Second

var (
	// errListAgain makes a Reflector begin again with a list.
	errListAgain = errors.New("list again")
	// errShortWatch: the server ended a watch, or sent an error, before it counted.
	errShortWatch = errors.New("it ended within a second")
)

// follower keeps one kind of the cluster state up to date with a Reflector of
// client-go. What serves a cache serves no gate, so a follower changes three
// things: each list comes from etcd instead of the server's cache, each watch
// begins with a list, and a list that expires begins again page by page.
type follower struct {
	*resource
	state *kindState
	// noted is called with what keeps the kind from being followed, and with nil
	// once a watch works.
	noted func(context.Context, error)
	// listed is set between a list and the watch that follows it.
	listed bool
}

// run follows until the context ends. The Reflector tries again within a second:
// a revocation right after an outage must not wait for a long back-off. Jitter
// keeps replicas that lost the server together from returning together.
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

// listWatch is a ListWatch without streaming lists, which send everything at once.
type listWatch struct{ *cache.ListWatch }

func (listWatch) IsWatchListSemanticsUnSupported() bool { return true }

// list reads one page for the Reflector. A list without a resource version is as
// new as etcd.
func (f *follower) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.Limit == 0 {
		return nil, apierrors.NewResourceExpired("the list took too long")
	}
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	page := f.kind.newList()
	err := patiently(ctx, options, func(ctx context.Context) error { return f.page(ctx, options, page) })
	if err == nil {
		// Before the next page is read, because most of a page is not kept.
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

// watch streams what changes after a list. The Reflector would go on with
// another watch when the server ends one, or refuses it; what is compiled is
// listed again instead, so that a history that was replaced is noticed.
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

// stoppedWatch is a watch that calls a function when its reader leaves it.
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
