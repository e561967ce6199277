// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/webhook"
)

// middle, lowest and highest are sources of randomness that are not random.
func middle() float64  { return 0.5 }
func lowest() float64  { return 0 }
func highest() float64 { return 1 }

func TestTenTriesTakeThreeDays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		random func() float64
		sum    time.Duration
	}{
		"the middle of the random range": {middle, 75*time.Hour + 35*time.Minute + 5*time.Second},
		"a fifth earlier at most":        {lowest, (75*time.Hour + 35*time.Minute + 5*time.Second) * 4 / 5},
		"a fifth later at most":          {highest, (75*time.Hour + 35*time.Minute + 5*time.Second) * 6 / 5},
	}
	for name, tc := range tests {
		var sum time.Duration
		tries := 1
		for {
			wait, more := webhook.Schedule{Random: tc.random}.After(tries, 0)
			if !more {
				break
			}
			sum += wait
			tries++
		}
		if tries != 10 || (sum-tc.sum).Abs() > time.Microsecond {
			t.Errorf("%s: %d tries in %s, want 10 in %s", name, tries, sum, tc.sum)
		}
	}
}

func TestRetryDelaysFollowStandardWebhooks(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for tries := 1; tries < webhook.Tries; tries++ {
		wait, _ := webhook.Schedule{Random: middle}.After(tries, 0)
		got = append(got, wait)
	}
	want := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestAReceiverCanOnlyAskForMoreTime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ asked, want time.Duration }{
		"nothing":                       {0, 5 * time.Minute},
		"less than the wait is":         {time.Minute, 5 * time.Minute},
		"more than it is":               {time.Hour, time.Hour},
		"more than a day is a day":      {48 * time.Hour, 24 * time.Hour},
		"a time before now counts less": {-time.Hour, 5 * time.Minute},
	}
	for name, tc := range tests {
		if got, more := (webhook.Schedule{Random: middle}).After(2, tc.asked); got != tc.want || !more {
			t.Errorf("%s: %s, %v, want %s", name, got, more, tc.want)
		}
	}
}

var retryAfters = map[string]struct {
	text string
	want time.Duration
}{
	"nothing":                          {"", 0},
	"seconds":                          {"120", 2 * time.Minute},
	"seconds with white space":         {" 120\t", 2 * time.Minute},
	"a date to come":                   {"Thu, 01 Jan 2026 00:10:00 GMT", 10 * time.Minute},
	"a date in the old form":           {"Thursday, 01-Jan-26 00:10:00 GMT", 10 * time.Minute},
	"a date that is past":              {"Wed, 31 Dec 2025 23:50:00 GMT", 0},
	"a date in many years":             {"Thu, 01 Jan 2099 00:00:00 GMT", 24 * time.Hour},
	"more than a day":                  {"86401", 24 * time.Hour},
	"more than a number":               {"99999999999999999999999999", 24 * time.Hour},
	"more than a duration":             {"9223372036854775807", 24 * time.Hour},
	"a negative number":                {"-5", 0},
	"a sign":                           {"+5", 0},
	"a fraction":                       {"1.5", 0},
	"a unit":                           {"5s", 0},
	"digits of another script":         {"٥", 0},
	"an invalid date":                  {"tomorrow", 0},
	"a date in a zone that is not GMT": {"Thu, 01 Jan 2026 00:10:00 CET", 0},
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	t.Parallel()
	for name, tc := range retryAfters {
		if got := webhook.ParseRetryAfter(tc.text, newYear); got != tc.want {
			t.Errorf("%s: %q is %s, want %s", name, tc.text, got, tc.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, tc := range retryAfters {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := webhook.ParseRetryAfter(text, newYear); got < 0 || got > 24*time.Hour {
			t.Errorf("%q is %s", text, got)
		}
	})
}

func TestABreakerOpensAfterFiveFailuresAndProbesByItself(t *testing.T) {
	t.Parallel()
	now := newYear
	var b webhook.Breaker
	fail := func() { b = b.Failed(now, now, middle) }
	expect := func(when string, most int, state webhook.BreakerState) {
		t.Helper()
		if got := b.Most(4, now); got != most || b.State(now) != state {
			t.Fatalf("%s: %d may go, it is %s; want %d, %s", when, got, b.State(now), most, state)
		}
	}
	expect("at first", 4, webhook.BreakerClosed)
	for range 4 {
		fail()
	}
	expect("after four failures", 4, webhook.BreakerClosed)
	b = webhook.Breaker{}
	for range 4 {
		fail()
	}
	expect("after a success and four more", 4, webhook.BreakerClosed)
	fail()
	expect("after five in a row", 0, webhook.BreakerOpen)
	fail()
	opened := now
	now = now.Add(30*time.Second - 1)
	expect("just before the rest ends, whatever was still on its way", 0, webhook.BreakerOpen)
	now = now.Add(1)
	b = b.Failed(opened, now, middle)
	expect("after its end, although an earlier attempt fails only now", 1, webhook.BreakerHalfOpen)
	for _, rest := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		fail()
		now = now.Add(rest - 1)
		expect("just before the next rest ends", 0, webhook.BreakerOpen)
		now = now.Add(1)
		expect("when that has ended", 1, webhook.BreakerHalfOpen)
	}
	b = webhook.Breaker{}
	expect("after one success", 4, webhook.BreakerClosed)
	for range 5 {
		fail()
	}
	now = now.Add(30 * time.Second)
	expect("a rest after the next five is short again", 1, webhook.BreakerHalfOpen)
}

func TestProbesOfManyBreakersAreSpread(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		random func() float64
		want   time.Duration
	}{"earliest": {lowest, 24 * time.Second}, "latest": {highest, 36 * time.Second}} {
		var b webhook.Breaker
		for range 5 {
			b = b.Failed(newYear, newYear, tc.random)
		}
		if b.State(newYear.Add(tc.want-1)) != webhook.BreakerOpen || b.State(newYear.Add(tc.want)) != webhook.BreakerHalfOpen {
			t.Errorf("%s: the rest is not %s", name, tc.want)
		}
	}
}
