// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/timeline"
)

type span = timeline.Span[string]

// start is minute 0 of the tests.
var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }

// from returns a span from one minute until another; a zero until means no end.
func from(value string, begin, until int) span {
	s := span{Value: value, From: minute(begin), Approval: "apr_" + value, ApprovedAt: minute(begin)}
	if until != 0 {
		s.Until = minute(until)
	}
	return s
}

func approved(s span, at int) span {
	s.ApprovedAt = minute(at)
	return s
}

func TestSpanThatBeganLastIsInForce(t *testing.T) {
	t.Parallel()
	year, promotion, next := from("year", 10, 0), from("promotion", 20, 30), from("next", 40, 50)
	for name, tc := range map[string]struct {
		spans []span
		now   time.Time
		want  string
	}{
		"nothing at all":                          {nil, minute(1), ""},
		"a nanosecond before it begins":           {[]span{year}, minute(10).Add(-1), ""},
		"when it begins":                          {[]span{year}, minute(10), "year"},
		"long after":                              {[]span{year}, minute(1_000_000), "year"},
		"while another counts":                    {[]span{year, promotion}, minute(20), "promotion"},
		"whatever their order":                    {[]span{promotion, year}, minute(20), "promotion"},
		"a nanosecond before its end":             {[]span{year, promotion}, minute(30).Add(-1), "promotion"},
		"the one before when it has ended":        {[]span{year, promotion}, minute(30), "year"},
		"nothing between two":                     {[]span{promotion, next}, minute(35), ""},
		"nothing when all have ended":             {[]span{promotion, next}, minute(50), ""},
		"of two that begin together the later":    {[]span{approved(from("b", 10, 0), 3), approved(from("a", 10, 0), 2)}, minute(11), "b"},
		"of equals the last of the list":          {[]span{from("a", 10, 0), from("b", 10, 0)}, minute(11), "b"},
		"one approved late that began earlier":    {[]span{from("a", 10, 0), approved(from("b", 5, 0), 15)}, minute(20), "a"},
		"one without a beginning":                 {[]span{{Value: "always"}}, minute(0), "always"},
		"in another zone":                         {[]span{year}, minute(10).In(time.FixedZone("x", 3600)), "year"},
		"a window of nothing":                     {[]span{from("a", 10, 10)}, minute(10), ""},
		"a damaged one, and not the older behind": {[]span{year, {From: minute(20), Err: timeline.ErrIntegrity}}, minute(21), "damaged"},
	} {
		got := ""
		if i := timeline.At(tc.spans, tc.now); i >= 0 {
			if got = tc.spans[i].Value; tc.spans[i].Err != nil {
				got = "damaged"
			}
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestNothingChangesBeforeNext compares the span in force at each next instant with every
// minute before it, for random spans.
func TestNothingChangesBeforeNext(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20261122, 1))
	for range 500 {
		var spans []span
		for i := range r.IntN(6) {
			begin := r.IntN(40)
			s := from(fmt.Sprint(i), begin, 0)
			if r.IntN(2) == 0 {
				s.Until = minute(begin + 1 + r.IntN(20))
			}
			spans = append(spans, approved(s, r.IntN(5)))
		}
		now := 0
		for now < 70 {
			next := timeline.Next(spans, minute(now))
			held := timeline.At(spans, minute(now))
			if !next.IsZero() && !next.After(minute(now)) {
				t.Fatalf("next change after minute %d is at %s", now, next)
			}
			for now++; now < 70 && (next.IsZero() || minute(now).Before(next)); now++ {
				if got := timeline.At(spans, minute(now)); got != held {
					t.Fatalf("span %d is in force in minute %d, want %d until the next change at %s\n%+v", got, now, held, next, spans)
				}
			}
		}
	}
	if next := timeline.Next([]span{from("a", 10, 20)}, minute(20)); !next.IsZero() {
		t.Errorf("next change after the last span is at %s, want none", next)
	}
}

func TestHolderRequiresConfirmation(t *testing.T) {
	t.Parallel()
	const owner = "org_acme01"
	h := timeline.NewHolder[string](5 * time.Minute)
	want := func(when string, now time.Time, value string, cause error) {
		t.Helper()
		got, err := h.Current(owner, now)
		if got.Value != value || !errors.Is(err, cause) || (err == nil) != (cause == nil) {
			t.Errorf("%s: %q, %v; want %q, %v", when, got.Value, err, value, cause)
		}
	}
	want("at first", start, "", timeline.ErrNotLoaded)
	if _, ever := h.Confirmed(); ever || h.Owners() != nil {
		t.Error("an empty Holder is confirmed")
	}
	published := map[string][]span{owner: {from("v", 0, 60)}, "org_stark1": {{Err: timeline.ErrDuplicate}}}
	h.Publish(published, start)
	want("published", start, "v", nil)
	want("after as long as is borne", minute(5), "v", nil)
	want("after a nanosecond more", minute(5).Add(1), "", timeline.ErrStale)
	want("seen by a clock that is behind", start.Add(-time.Second), "", timeline.ErrNone)
	if at, ever := h.Confirmed(); !ever || !at.Equal(start) || len(h.Owners()) != 2 {
		t.Errorf("confirmed at %s (%t) with %d owners", at, ever, len(h.Owners()))
	}
	h.Publish(published, minute(58))
	want("confirmed again", minute(59), "v", nil)
	want("ended", minute(60), "", timeline.ErrNone)
	if _, err := h.Current("org_stark1", minute(59)); !errors.Is(err, timeline.ErrDuplicate) {
		t.Errorf("owner with an unusable value: error is %v", err)
	}
	for _, other := range []string{"", "org_acme0", "org_acme011", "ORG_ACME01", "platform"} {
		if got, err := h.Current(other, minute(59)); !errors.Is(err, timeline.ErrNone) {
			t.Errorf("owner %q has value %q with error %v", other, got.Value, err)
		}
	}
	h.Publish(nil, minute(59))
	want("nothing published", minute(59), "", timeline.ErrNone)
	h.Withdraw()
	want("withdrawn", minute(59), "", timeline.ErrNotLoaded)
}

func TestZeroHolderIsNotLoadedAndFixedHolderIsNeverStale(t *testing.T) {
	t.Parallel()
	var zero timeline.Holder[string]
	if _, err := zero.Current("a", start); !errors.Is(err, timeline.ErrNotLoaded) {
		t.Errorf("the zero Holder returned error %v, want ErrNotLoaded", err)
	}
	fixed := timeline.Fixed(map[string]string{"a": "v"})
	for _, now := range []time.Time{{}, start, minute(100_000_000)} {
		if got, err := fixed.Current("a", now); err != nil || got.Value != "v" {
			t.Errorf("at %s the value is %q with error %v", now, got.Value, err)
		}
	}
	if _, err := fixed.Current("b", start); !errors.Is(err, timeline.ErrNone) {
		t.Errorf("another owner: error is %v, want ErrNone", err)
	}
}

// TestReaderSeesOnlyOwnAndCurrentValues replaces all owners together.
func TestReaderSeesOnlyOwnAndCurrentValues(t *testing.T) {
	t.Parallel()
	owners := []string{"a", "b", "c"}
	h := timeline.NewHolder[string](time.Minute)
	state := func(generation int) map[string][]span {
		all := map[string][]span{}
		for _, owner := range owners {
			all[owner] = []span{{Value: fmt.Sprintf("%s-%d", owner, generation), Approval: fmt.Sprint(generation)}}
		}
		return all
	}
	h.Publish(state(0), start)
	stop := make(chan struct{})
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				h.Publish(state(i), start)
			}
		}
	})
	for range 4 {
		readers.Go(func() {
			for i := range 5000 {
				owner := owners[i%3]
				got, err := h.Current(owner, start)
				if err != nil || got.Value != owner+"-"+got.Approval {
					t.Errorf("owner %s has value %q of approval %s with error %v", owner, got.Value, got.Approval, err)
					return
				}
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
}
