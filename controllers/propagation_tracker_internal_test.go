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

// served is a replica's ops listener on a loopback port.
func served(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestAQuestionIsAnsweredByAWatermarkOrFails(t *testing.T) {
	t.Parallel()
	elsewhere := served(t, text(200, `{"enforcing":true}`))
	refused := httptest.NewServer(nil)
	refused.Close()
	tests := map[string]struct {
		address string
		want    posture.Watermark
		fails   bool
	}{
		"a watermark":            {served(t, text(200, `{"revision":"r","enforcing":true,"compiled":{"Secret":"7"}}`)), posture.Watermark{Revision: "r", Enforcing: true, Compiled: map[string]string{"Secret": "7"}}, false},
		"one of a newer version": {served(t, text(200, `{"enforcing":true,"mood":"good"}`)), posture.Watermark{Enforcing: true}, false},
		"an error":               {address: served(t, text(503, `{"enforcing":true}`)), fails: true},
		"a redirect": {address: served(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+elsewhere, http.StatusFound)
		}), fails: true},
		"something else":           {address: served(t, text(200, "<html>")), fails: true},
		"more than a watermark is": {address: served(t, text(200, `{"revision":"`+strings.Repeat("x", maxMarkLen)+`"}`)), fails: true},
		"a header without end":     {address: served(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeaderLen)) }), fails: true},
		"nobody":                   {address: strings.TrimPrefix(refused.URL, "http://"), fails: true},
		"somebody who never ends":  {address: served(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), fails: true},
		"no address":               {address: "%", fails: true},
	}
	ask := newQuestion((&net.Dialer{}).DialContext)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ask(t.Context(), tc.address)
			if (err != nil) != tc.fails {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("watermark (-want +got):\n%s", diff)
			}
		})
	}
}

// ward is a prober with a clock that is set by hand, whose replicas are
// functions.
type ward struct {
	*prober
	clock time.Time

	mu       sync.Mutex
	asked    []string
	replicas map[string]func() (posture.Watermark, error)
}

func newWard() *ward {
	w := &ward{clock: noon, replicas: map[string]func() (posture.Watermark, error){}}
	w.prober = &prober{
		board: newBoard(func([]key) {}), now: func() time.Time { return w.clock },
		intervals: Intervals{Pending: 50 * time.Millisecond, Settled: 10 * time.Second, Silence: 5 * time.Second},
		ask: func(_ context.Context, address string) (posture.Watermark, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.asked = append(w.asked, address)
			return w.replicas[address]()
		},
	}
	return w
}

// pass lets time pass, holds a round, and returns who was asked in it.
func (w *ward) pass(t *testing.T, after time.Duration, wanted ...need) []string {
	t.Helper()
	w.clock = w.clock.Add(after)
	w.asked = nil
	w.round(t.Context(), wanted)
	slices.Sort(w.asked)
	return w.asked
}

func answers(version string) func() (posture.Watermark, error) {
	return func() (posture.Watermark, error) { return *at(version).mark, nil }
}

func fails() (posture.Watermark, error) { return posture.Watermark{}, errors.New("no route to host") }

var rollout5, rollout6 = need{v1alpha1.KindCapabilityRollout, "5"}, need{v1alpha1.KindCapabilityRollout, "6"}

func TestAReplicaIsAskedOftenOnlyWhileItLacksSomething(t *testing.T) {
	t.Parallel()
	w := newWard()
	w.replicas["a"], w.replicas["b"] = answers("5"), answers("6")
	w.meet([]endpoint{{"a", "a"}, {"b", "b"}})
	for _, step := range []struct {
		what   string
		after  time.Duration
		wanted need
		want   []string
		pause  time.Duration
	}{
		{"both are new", 0, rollout5, []string{"a", "b"}, 10 * time.Second},
		{"both have it", 50 * time.Millisecond, rollout5, nil, 10*time.Second - 50*time.Millisecond},
		{"a change that one has already", 50 * time.Millisecond, rollout6, []string{"a"}, 50 * time.Millisecond},
		{"too soon", 20 * time.Millisecond, rollout6, nil, 30 * time.Millisecond},
		{"soon enough", 30 * time.Millisecond, rollout6, []string{"a"}, 50 * time.Millisecond},
		{"the regular question", 10 * time.Second, rollout6, []string{"a", "b"}, 50 * time.Millisecond},
	} {
		if got := w.pass(t, step.after, step.wanted); !slices.Equal(got, step.want) {
			t.Errorf("%s: asked %v, want %v", step.what, got, step.want)
		}
		if got := w.pause([]need{step.wanted}); got != step.pause {
			t.Errorf("%s: pause %v, want %v", step.what, got, step.pause)
		}
	}
	for range eagerRounds + 1 {
		w.pass(t, 50*time.Millisecond, rollout6)
	}
	if got := w.pause([]need{rollout6}); got <= 50*time.Millisecond {
		t.Errorf("pause %v after many rounds without success", got)
	}
}

// One lost packet, or a second of them, is not silence.
func TestSilenceIsSeveralFailuresOverATime(t *testing.T) {
	t.Parallel()
	w := newWard()
	w.replicas["a"] = answers("5")
	w.meet([]endpoint{{"a", "a"}})
	silent := func() bool { return w.fleet().replicas[0].silent }
	w.pass(t, 0, rollout5)
	w.replicas["a"] = fails
	w.pass(t, 10*time.Second, rollout5)
	for waited := time.Duration(0); waited < 5*time.Second; waited += 500 * time.Millisecond {
		if silent() {
			t.Fatalf("silent after %v", waited)
		}
		w.pass(t, 500*time.Millisecond, rollout5)
	}
	if !silent() {
		t.Fatal("not silent after 5 s")
	}
	if w.fleet().replicas[0].mark == nil {
		t.Error("its last answer is forgotten")
	}
	w.replicas["a"] = answers("5")
	w.pass(t, 500*time.Millisecond, rollout5)
	if silent() {
		t.Error("still silent after an answer")
	}
	w.replicas["a"] = fails
	w.pass(t, 10*time.Second, rollout5)
	w.pass(t, time.Minute, rollout5)
	if silent() {
		t.Error("silent after two failures")
	}
}

func TestAReplacedReplicaIsAskedAnew(t *testing.T) {
	t.Parallel()
	w := newWard()
	w.replicas["a"], w.replicas["b"] = answers("5"), answers("5")
	for _, step := range []struct {
		what      string
		endpoints []endpoint
		want      []string
	}{
		{"the first", []endpoint{{"u1", "a"}}, []string{"a"}},
		{"the same", []endpoint{{"u1", "a"}}, nil},
		{"another pod at its address", []endpoint{{"u2", "a"}}, []string{"a"}},
		{"the same pod at another address", []endpoint{{"u2", "b"}}, []string{"b"}},
		{"nobody", nil, nil},
		{"the same pod again", []endpoint{{"u2", "b"}}, []string{"b"}},
	} {
		w.meet(step.endpoints)
		if got := w.pass(t, time.Millisecond, rollout5); !slices.Equal(got, step.want) {
			t.Errorf("%s: asked %v, want %v", step.what, got, step.want)
		}
	}
}

func TestAReplicaWithoutAPortIsSilentInTheEnd(t *testing.T) {
	t.Parallel()
	w := newWard()
	w.meet([]endpoint{{"u1", ""}})
	for range 12 {
		w.pass(t, 500*time.Millisecond, rollout5)
	}
	if !w.fleet().replicas[0].silent {
		t.Error("it counts as one that answers")
	}
}
