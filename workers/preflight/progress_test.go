// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
)

// paging is an inspection that reads a page every 450 ms until it is stopped.
func paging(pages int) preflight.Inspect {
	return func(ctx context.Context, what sandbox.Spec) (sandbox.Inspected, error) {
		for page := range pages {
			select {
			case <-time.After(450 * time.Millisecond):
				what.Progress(page+1, pages)
			case <-ctx.Done():
				return sandbox.Inspected{}, ctx.Err()
			}
		}
		return goodReport(), nil
	}
}

func TestProgressIsStoredOnceASecondWhileItChanges(t *testing.T) {
	t.Parallel()
	s, ms := time.Second, time.Millisecond
	away := &transaction.UnavailableError{Op: "test", Err: errors.New("unavailable")}
	tests := map[string]struct {
		pages   int
		arrange func(*script)
		want    []note
	}{
		"a short inspection reports its pages with the result": {
			2, func(*script) {}, []note{{0, "began"}, {900 * ms, "stored with page 2 of 2"}, {900 * ms, "finished"}},
		},
		"a longer one reports the latest page": {
			8, func(*script) {},
			[]note{{0, "began"}, {s, "page 2 of 8"}, {2 * s, "page 4 of 8"}, {3 * s, "page 6 of 8"}, {3600 * ms, "stored with page 8 of 8"}, {3600 * ms, "finished"}},
		},
		"an unavailable store does not stop the inspection": {
			6, func(s *script) { s.progress = []error{away, away} },
			[]note{{0, "began"}, {s, "page 2 of 6"}, {2 * s, "page 4 of 6"}, {2700 * ms, "stored with page 6 of 6"}, {2700 * ms, "finished"}},
		},
		"a job of another worker is stopped": {
			100, func(s *script) { s.progress = []error{preflightjob.ErrFenced} },
			[]note{{0, "began"}, {s, "page 2 of 100"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(t, 5*s, paging(tc.pages), func(s *script) { tc.arrange(s); s.leases <- job(1) })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("notes of the worker (-want +got):\n%s", diff)
			}
		})
	}
}
