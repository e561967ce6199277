// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// serveOps starts the operations listener of a replica and returns its address.
func serveOps(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestAProbeReturnsAWatermarkOrFails(t *testing.T) {
	t.Parallel()
	elsewhere := serveOps(t, respond(200, `{"enforcing":true}`))
	refused := httptest.NewServer(nil)
	refused.Close()
	tests := map[string]struct {
		address string
		want    posture.Watermark
		fails   bool
	}{
		"a watermark":                    {serveOps(t, respond(200, `{"revision":"r","enforcing":true,"compiled":{"Secret":"7"}}`)), posture.Watermark{Revision: "r", Enforcing: true, Compiled: map[string]string{"Secret": "7"}}, false},
		"a watermark of a newer version": {serveOps(t, respond(200, `{"enforcing":true,"mood":"good"}`)), posture.Watermark{Enforcing: true}, false},
		"an error status":                {address: serveOps(t, respond(503, `{"enforcing":true}`)), fails: true},
		"a redirect": {address: serveOps(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+elsewhere, http.StatusFound)
		}), fails: true},
		"another document":           {address: serveOps(t, respond(200, "<html>")), fails: true},
		"a body that is too large":   {address: serveOps(t, respond(200, `{"revision":"`+strings.Repeat("x", maxWatermarkLen)+`"}`)), fails: true},
		"a header that is too large": {address: serveOps(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeaderLen)) }), fails: true},
		"a refused connection":       {address: strings.TrimPrefix(refused.URL, "http://"), fails: true},
		"a response that never ends": {address: serveOps(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), fails: true},
		"no address":                 {address: "%", fails: true},
	}
	probe := newReplicaProbe((&net.Dialer{}).DialContext)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := probe(t.Context(), tc.address)
			if (err != nil) != tc.fails {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("watermark (-want +got):\n%s", diff)
			}
		})
	}
}

// fakeReplicas is a propagation tracker with a clock that tests set, whose
// replicas are functions.
type fakeReplicas struct {
	*propagationTracker
	clock time.Time

	mu        sync.Mutex
	addresses []string
	answers   map[string]func() (posture.Watermark, error)
}

func newFakeReplicas() *fakeReplicas {
	f := &fakeReplicas{clock: noon, answers: map[string]func() (posture.Watermark, error){}}
	f.propagationTracker = &propagationTracker{
		tracker: newStatusTracker(func([]objectKey) {}), now: func() time.Time { return f.clock }, moved: &trigger{},
		intervals: Intervals{Pending: 50 * time.Millisecond, Settled: 10 * time.Second, Silence: 5 * time.Second},
		probe: func(_ context.Context, address string) (posture.Watermark, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.addresses = append(f.addresses, address)
			return f.answers[address]()
		},
	}
	return f
}

// probeAfter advances the clock, probes the replicas that are due, and returns
// their addresses.
func (f *fakeReplicas) probeAfter(t *testing.T, after time.Duration, required ...requiredVersion) []string {
	t.Helper()
	f.clock = f.clock.Add(after)
	f.addresses = nil
	healthy, failing := f.due(false, required), f.due(true, required)
	results, _ := f.probeAll(t.Context(), healthy)
	f.endRound(t.Context(), false, healthy, results)
	results, _ = f.probeAll(t.Context(), failing)
	f.endRound(t.Context(), true, failing, results)
	slices.Sort(f.addresses)
	return f.addresses
}

func answers(version string) func() (posture.Watermark, error) {
	return func() (posture.Watermark, error) { return *replicaAt(version).watermark, nil }
}

func fails() (posture.Watermark, error) { return posture.Watermark{}, errors.New("no route to host") }

var rollout5, rollout6 = requiredVersion{apiServers, v1alpha1.KindCapabilityRollout, "5"}, requiredVersion{apiServers, v1alpha1.KindCapabilityRollout, "6"}

func TestAReplicaIsProbedOftenOnlyWhileItLacksAVersion(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.answers["a"], f.answers["b"] = answers("5"), answers("6")
	f.updateReplicas([]endpoint{{apiServers, "a", "a"}, {apiServers, "b", "b"}})
	for _, step := range []struct {
		sentence string
		after    time.Duration
		required requiredVersion
		want     []string
		next     time.Duration
	}{
		{"both replicas are new", 0, rollout5, []string{"a", "b"}, 10 * time.Second},
		{"both have the version", 50 * time.Millisecond, rollout5, nil, 10*time.Second - 50*time.Millisecond},
		{"one of them lacks a new version", 50 * time.Millisecond, rollout6, []string{"a"}, 50 * time.Millisecond},
		{"the next probe is not due", 20 * time.Millisecond, rollout6, nil, 30 * time.Millisecond},
		{"the next probe is due", 30 * time.Millisecond, rollout6, []string{"a"}, 50 * time.Millisecond},
		{"the regular probe is due", 10 * time.Second, rollout6, []string{"a", "b"}, 50 * time.Millisecond},
	} {
		if got := f.probeAfter(t, step.after, step.required); !slices.Equal(got, step.want) {
			t.Errorf("%s: probed %v, want %v", step.sentence, got, step.want)
		}
		if got := f.untilNextProbe(false, []requiredVersion{step.required}); got != step.next {
			t.Errorf("%s: next probe in %v, want %v", step.sentence, got, step.next)
		}
	}
	for range eagerRounds + 1 {
		f.probeAfter(t, 50*time.Millisecond, rollout6)
	}
	if got := f.untilNextProbe(false, []requiredVersion{rollout6}); got <= 50*time.Millisecond {
		t.Errorf("next probe in %v after many rounds without success, want more than 50 ms", got)
	}
}

// TestAReplicaIsSilentAfterSeveralFailuresWithinFiveSeconds checks that a single failed probe does
// not make a replica silent.
func TestAReplicaIsSilentAfterSeveralFailuresWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.answers["a"] = answers("5")
	f.updateReplicas([]endpoint{{apiServers, "a", "a"}})
	isSilent := func() bool { return f.serving().replicas[0].silent }
	f.probeAfter(t, 0, rollout5)
	f.answers["a"] = fails
	f.probeAfter(t, 10*time.Second, rollout5)
	for waited := time.Duration(0); waited < 5*time.Second; waited += 500 * time.Millisecond {
		if isSilent() {
			t.Fatalf("the replica is silent after %v, want a later time", waited)
		}
		f.probeAfter(t, 500*time.Millisecond, rollout5)
	}
	if !isSilent() {
		t.Fatal("the replica is not silent after 5 s of failures")
	}
	if f.serving().replicas[0].watermark == nil {
		t.Error("a silent replica lost its last watermark")
	}
	f.answers["a"] = answers("5")
	f.probeAfter(t, 500*time.Millisecond, rollout5)
	if isSilent() {
		t.Error("the replica is still silent after a response")
	}
	f.answers["a"] = fails
	f.probeAfter(t, 10*time.Second, rollout5)
	f.probeAfter(t, time.Minute, rollout5)
	if isSilent() {
		t.Error("the replica is silent after two failures, want three")
	}
}

// TestFailingReplicasHaveRoundsOfTheirOwn checks that replicas that respond need not wait for the
// timeouts of those that do not.
func TestFailingReplicasHaveRoundsOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.answers["a"], f.answers["b"] = fails, answers("5")
	f.updateReplicas([]endpoint{{apiServers, "a", "a"}, {apiServers, "b", "b"}})
	required := []requiredVersion{rollout6}
	addresses := func(replicas []*probedReplica) (out []string) {
		for _, r := range replicas {
			out = append(out, r.address)
		}
		return out
	}
	for _, step := range []struct {
		sentence       string
		a              func() (posture.Watermark, error)
		healthy, other []string
	}{
		{"a has failed", fails, []string{"b"}, []string{"a"}},
		{"a responds again", answers("5"), []string{"a", "b"}, nil},
		{"a fails again", fails, []string{"b"}, []string{"a"}},
	} {
		f.answers["a"] = step.a
		f.probeAfter(t, time.Second, rollout6)
		f.clock = f.clock.Add(time.Second)
		if got := addresses(f.due(false, required)); !slices.Equal(got, step.healthy) {
			t.Errorf("%s: a round probes %v, want %v", step.sentence, got, step.healthy)
		}
		if got := addresses(f.due(true, required)); !slices.Equal(got, step.other) {
			t.Errorf("%s: a round of failing replicas probes %v, want %v", step.sentence, got, step.other)
		}
		f.clock = f.clock.Add(-time.Second)
	}
}

func TestAReplacedReplicaIsProbedAtOnce(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.answers["a"], f.answers["b"] = answers("5"), answers("5")
	for _, step := range []struct {
		sentence  string
		endpoints []endpoint
		want      []string
	}{
		{"the first pod", []endpoint{{apiServers, "u1", "a"}}, []string{"a"}},
		{"the same pod at the same address", []endpoint{{apiServers, "u1", "a"}}, nil},
		{"another pod at the same address", []endpoint{{apiServers, "u2", "a"}}, []string{"a"}},
		{"the same pod at another address", []endpoint{{apiServers, "u2", "b"}}, []string{"b"}},
		{"no pod", nil, nil},
		{"the same pod again", []endpoint{{apiServers, "u2", "b"}}, []string{"b"}},
	} {
		f.updateReplicas(step.endpoints)
		if got := f.probeAfter(t, time.Millisecond, rollout5); !slices.Equal(got, step.want) {
			t.Errorf("%s: probed %v, want %v", step.sentence, got, step.want)
		}
	}
}

// TestNoReplicaCountsAsAbsentAfterFiveSeconds checks that the replacement of the only replica does not
// change any status, and that its absence does.
func TestNoReplicaCountsAsAbsentAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.answers["a"] = answers("5")
	one := []endpoint{{apiServers, "u1", "a"}}
	for _, step := range []struct {
		sentence  string
		endpoints []endpoint
		after     time.Duration
		want      bool
		next      time.Duration
	}{
		{"the replica serves", one, 0, false, 10 * time.Second},
		{"the replica leaves", nil, time.Second, false, 5 * time.Second},
		{"it is still missing", nil, 3 * time.Second, false, 2 * time.Second},
		{"another one serves", one, time.Second, false, 10 * time.Second},
		{"it leaves", nil, time.Second, false, 5 * time.Second},
		{"five seconds later", nil, 5 * time.Second, true, 10 * time.Second},
	} {
		f.updateReplicas(step.endpoints)
		f.probeAfter(t, step.after, rollout5)
		if got := f.serving().absent; got != step.want {
			t.Errorf("%s: absent = %t, want %t", step.sentence, got, step.want)
		}
		if got := f.untilNextProbe(false, []requiredVersion{rollout5}); got != step.next {
			t.Errorf("%s: next round in %v, want %v", step.sentence, got, step.next)
		}
	}
}

func TestAReplicaWithoutAPortBecomesSilent(t *testing.T) {
	t.Parallel()
	f := newFakeReplicas()
	f.updateReplicas([]endpoint{{apiServers, "u1", ""}})
	for range 12 {
		f.probeAfter(t, 500*time.Millisecond, rollout5)
	}
	if !f.serving().replicas[0].silent {
		t.Error("the replica is not silent, want silent without a port")
	}
}
