// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
)

// rig is a changing job with a follower, in the fake time of a test.
type rig struct {
	began time.Time
	mu    sync.Mutex
	job   preflightjob.Job
	err   error
	shut  bool
	stops chan struct{}
	// changes announces changes, like another process.
	changes *Changes
	// reads are the times of reads, and written the first lines of writes, each with the
	// time since the beginning.
	reads   []time.Duration
	written []string
	// refuses makes writes fail.
	refuses bool
}

func (r *rig) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses {
		return 0, errors.New("gone")
	}
	first, _, _ := strings.Cut(string(text), "\n")
	r.written = append(r.written, time.Since(r.began).String()+" "+first)
	return len(text), nil
}

// later changes the rig after a time.
func (r *rig) later(wait time.Duration, do func()) {
	time.Sleep(wait)
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// change sets the status of the job.
func (r *rig) change(status preflightjob.Status) {
	r.job.Status = status
	r.job.Version++
}

// run follows the job while the scenario goes on, and returns after how long
// it ended.
func (r *rig) run(t *testing.T, seen string, scenario func()) time.Duration {
	t.Helper()
	r.began, r.stops = time.Now(), make(chan struct{})
	r.job = preflightjob.Job{ID: "pref_1", Status: preflightjob.Queued, Version: 1}
	var pace Pace
	pace.setDefaults()
	r.changes = NewChanges()
	changed, unfollow := r.changes.follow(r.job.ID)
	go scenario()
	follow(t.Context(), pace, source{
		changed: changed,
		read: func(context.Context) (preflightjob.Job, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reads = append(r.reads, time.Since(r.began))
			return r.job, r.err
		},
		open: func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return !r.shut
		},
		stops: r.stops,
	}, r.job, seen, r)
	unfollow()
	if len(r.changes.following) != 0 {
		t.Errorf("still following %v", r.changes.following)
	}
	return time.Since(r.began)
}

// TestFollowSendsChangesAtItsPace runs in a synctest bubble, so its times are exact.
func TestFollowSendsChangesAtItsPace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		seen     string
		scenario func(*rig)
		want     []string
		ended    time.Duration
	}{
		"changes are sent when they are read, up to the end": {"", func(r *rig) {
			r.later(200*time.Millisecond, func() { r.change(preflightjob.Processing) })
			r.later(400*time.Millisecond, func() { r.change(preflightjob.Processing) })
			r.later(100*time.Millisecond, func() { r.change(preflightjob.Succeeded) })
		}, []string{"0s retry: 2000", "0s id: 1-queued", "500ms id: 2-processing", "1s id: 4-succeeded"}, time.Second},
		"announced changes are sent at once, and those of other jobs are not": {"", func(r *rig) {
			r.later(100*time.Millisecond, func() { r.changes.Announce("pref_2") })
			r.later(100*time.Millisecond, func() { r.change(preflightjob.Processing); r.changes.Announce("pref_1"); r.changes.Announce("pref_1") })
			r.later(50*time.Millisecond, func() { r.change(preflightjob.Succeeded); r.changes.Announce("pref_1") })
		}, []string{"0s retry: 2000", "0s id: 1-queued", "200ms id: 2-processing", "250ms id: 3-succeeded"}, 250 * time.Millisecond},
		"a revision that the client has seen is not sent again": {"1-queued", func(r *rig) {
			r.later(200*time.Millisecond, func() { r.change(preflightjob.Cancelled) })
		}, []string{"0s retry: 2000", "500ms id: 2-cancelled"}, 500 * time.Millisecond},
		"an expired key ends the stream": {"", func(r *rig) {
			r.later(1600*time.Millisecond, func() { r.shut = true; r.change(preflightjob.Succeeded) })
		}, []string{"0s retry: 2000", "0s id: 1-queued"}, 3500 * time.Millisecond},
		"a stopping server ends the stream at once": {"", func(r *rig) {
			r.later(1600*time.Millisecond, func() { close(r.stops) })
		}, []string{"0s retry: 2000", "0s id: 1-queued"}, 1600 * time.Millisecond},
		"a deleted job ends the stream": {"", func(r *rig) {
			r.later(time.Second, func() { r.err = preflightjob.ErrGone })
		}, []string{"0s retry: 2000", "0s id: 1-queued"}, 1500 * time.Millisecond},
		"a failed write ends the stream": {"", func(r *rig) {
			r.later(time.Second, func() { r.refuses = true; r.change(preflightjob.Processing) })
		}, []string{"0s retry: 2000", "0s id: 1-queued"}, 1500 * time.Millisecond},
		"a temporarily unavailable store does not end the stream": {"", func(r *rig) {
			r.later(time.Second, func() { r.err = &transaction.UnavailableError{} })
			r.later(9*time.Second, func() { r.err = nil; r.change(preflightjob.Failed) })
		}, []string{"0s retry: 2000", "0s id: 1-queued", "11.5s id: 2-failed"}, 11500 * time.Millisecond},
		"heartbeats keep the connection open until the client must reconnect": {
			"", func(*rig) {},
			[]string{
				"0s retry: 2000", "0s id: 1-queued", "15s :", "30s :", "45s :", "1m0s :", "1m15s :", "1m30s :", "1m45s :", "2m0s :", "2m15s :",
				"2m30s :", "2m45s :", "3m0s :", "3m15s :", "3m30s :", "3m45s :", "4m0s :", "4m15s :", "4m30s :", "4m45s :",
			},
			5 * time.Minute,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var r rig
				ended := r.run(t, tc.seen, func() { tc.scenario(&r) })
				got := r.written
				if at := len(got) - 1; got[at] == "5m0s :" { // at the very end it may be sent or not
					got = got[:at]
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if ended != tc.ended {
					t.Errorf("ended after %s, want %s", ended, tc.ended)
				}
			})
		})
	}
}

func TestJobIsReadLessOftenWhileNothingChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r rig
		r.run(t, "", func() {
			r.later(4*time.Second, func() { r.change(preflightjob.Processing) })
			r.later(2500*time.Millisecond, func() { r.change(preflightjob.Cancelled) })
		})
		want := []time.Duration{
			500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond, 5500 * time.Millisecond, 6 * time.Second, 7 * time.Second,
		}
		if diff := cmp.Diff(want, r.reads); diff != "" {
			t.Errorf("reads (-want +got):\n%s", diff)
		}
	})
}

func TestEventContainsTheJobOnOneLine(t *testing.T) {
	t.Parallel()
	event, err := eventOf(preflightjob.Job{ID: "pref_1", Status: preflightjob.Failed, Version: 7, Profile: "a\nb\r<&>", Failure: preflightjob.Failure{Code: preflightjob.FetchFailed, Detail: "x"}})
	if err != nil {
		t.Fatalf("eventOf: %v", err)
	}
	head, rest, _ := strings.Cut(event, "data: ")
	if head != "id: 7-failed\nevent: failed\n" || strings.Count(rest, "\n") != 2 || !strings.HasSuffix(rest, "}\n\n") || strings.Contains(rest, "\r") ||
		!strings.Contains(rest, `"profile":"a\nb\r<&>"`) || strings.Contains(rest, `"result"`) {
		t.Errorf("%q", event)
	}
}
