// SPDX-License-Identifier: Apache-2.0

package eventually_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/printmarket/printmarket/test/eventually"
)

// recorder is a test that records how it fails.
type recorder struct {
	testing.TB
	failure string
}

func (*recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestPollingEndsWithTheCondition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		eventually.Holds(t, "a second has passed", func() bool { return time.Since(began) >= time.Second })
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("polling took %v, want about 1s", took)
		}
	})
}

func TestConditionThatNeverHoldsFailsTheTest(t *testing.T) {
	t.Parallel()
	for sentence, test := range map[string]struct {
		poll func(testing.TB)
		want string
	}{
		"with the awaited state": {
			func(tb testing.TB) { eventually.Holds(tb, "the job ends", func() bool { return false }) },
			"not within 1m0s: the job ends",
		},
		"with the last error": {
			func(tb testing.TB) {
				calls := 0
				eventually.SucceedsWithin(tb, time.Second, func() error {
					calls++
					return errors.New([]string{"not yet", "refused"}[min(calls, 2)-1])
				})
			},
			"not within 1s: refused",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var failed recorder
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					test.poll(&failed)
				}()
				<-ended
				if failed.failure != test.want {
					t.Errorf("failure %q, want %q", failed.failure, test.want)
				}
			})
		})
	}
}
