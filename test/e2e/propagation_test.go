// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/kubetest"
)

// statusOf is how a replica answers a list of RFQs.
func statusOf(killed bool) int {
	if killed {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// kill is killed for lists of RFQs.
func (p *platform) kill(killed bool) int64 {
	p.Helper()
	return p.killed("rfq-list", killed)
}

// killed engages the kill switch of a capability, or removes it, and returns the
// generation that has it.
func (p *platform) killed(capability string, killed bool) int64 {
	p.Helper()
	patch := `{"spec":{"killSwitch":null}}`
	if killed {
		patch = `{"spec":{"killSwitch":{"state":"Engaged","reason":"E2E"}}}`
	}
	rollout := &v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: capability}}
	p.must(p.client.Patch(p.Context(), rollout, client.RawPatch(types.MergePatchType, []byte(patch))))
	return rollout.Generation
}

// propagated is the condition Propagated of a generation. What is said of an earlier
// one does not count.
func (p *platform) propagated(generation int64) metav1.Condition {
	p.Helper()
	var rollout v1alpha1.CapabilityRollout
	p.must(p.client.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: "rfq-list"}, &rollout))
	condition := meta.FindStatusCondition(rollout.Status.Conditions, v1alpha1.ConditionPropagated)
	if condition == nil || condition.ObservedGeneration != generation {
		return metav1.Condition{Status: metav1.ConditionUnknown}
	}
	return *condition
}

// awaitPropagated waits as kubectl wait does, and returns at once.
func (p *platform) awaitPropagated(generation int64) {
	p.Helper()
	await(p.T, "the edit is propagated", func() error {
		if c := p.propagated(generation); c.Status != metav1.ConditionTrue {
			return fmt.Errorf("propagated is %s: %s", c.Status, c.Message)
		}
		return nil
	})
}

// propagation logs the time from the start of an edit until each replica enforces
// it. It sets no limit.
func (p *platform) propagation() {
	const edits = 50
	replicas := p.replicas()
	var times []time.Duration
	for n := range 2 * edits {
		killed := n%2 == 0
		took := p.measure(replicas, killed)
		if killed {
			times = append(times, took...)
		}
	}
	p.Logf("from a kill switch's edit to the refusal, %d edits, %d replicas:\n%s", edits, len(replicas), kubetest.Histogram(times))
}

// measure makes one edit, and returns the time that each replica took.
func (p *platform) measure(replicas []string, killed bool) []time.Duration {
	p.Helper()
	var group sync.WaitGroup
	took, began := make([]time.Duration, len(replicas)), time.Now()
	for i, replica := range replicas {
		group.Go(func() {
			for time.Since(began) < time.Minute {
				got, err := call(p.Context(), http.DefaultClient, http.MethodGet, replica, "/api/v1/rfq", p.live, "")
				if took[i] = time.Since(began); err == nil && got.status == statusOf(killed) {
					return
				}
				time.Sleep(2 * time.Millisecond)
			}
			p.Errorf("%s does not answer %d", replica, statusOf(killed))
		})
	}
	p.kill(killed)
	group.Wait()
	return took
}

// rolling edits while all API servers are replaced. What a condition has promised
// is asked of every pod that there is in that moment.
func (p *platform) rolling() {
	before, answered := p.pods("api"), map[types.UID]bool{}
	p.kubectl("", "rollout", "restart", "deployment/printmarket-api")
	edits := 0
	for killed := true; killed || !p.replaced(before); killed = !killed {
		p.awaitPropagated(p.kill(killed))
		edits++
		for _, pod := range p.pods("api") {
			if p.enforces(pod, killed) {
				answered[pod.UID] = true
			}
		}
	}
	p.awaitPropagated(p.kill(false))
	if want := 2 * len(before); len(answered) < want {
		p.Errorf("%d replicas answered, want the %d old and as many new", len(answered), len(before))
	}
	p.Logf("%d edits, asked of %d replicas", edits, len(answered))
}

// replaced reports whether the API servers are as many as before, all others, and
// serving.
func (p *platform) replaced(before []corev1.Pod) bool {
	p.Helper()
	now := p.pods("api")
	return len(now) == len(before) && !slices.ContainsFunc(now, func(pod corev1.Pod) bool {
		return !serves(pod) || slices.ContainsFunc(before, func(old corev1.Pod) bool { return old.UID == pod.UID })
	})
}

// enforces asks one replica, and reports whether it answered. One that begins or
// ends may refuse, or not answer; it may not let in what is killed.
func (p *platform) enforces(pod corev1.Pod, killed bool) bool {
	p.Helper()
	if pod.Status.PodIP == "" {
		return false
	}
	got, err := call(p.Context(), &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		http.MethodGet, addressOf(pod), "/api/v1/rfq", p.live, "")
	switch {
	case err != nil && serves(pod):
		p.Errorf("%s serves and does not answer: %v", pod.Name, err)
	case err == nil && got.status != statusOf(killed) && (killed || serves(pod)):
		p.Errorf("%s answers %s, want %d", pod.Name, got, statusOf(killed))
	}
	return err == nil
}

func serves(pod corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// frozen freezes a replica: one that stays, and one that is to end, which it cannot.
func (p *platform) frozen() {
	for _, ends := range []bool{false, true} {
		victim := p.servers()[0]
		p.thawed(victim, func() { p.killBesideFrozen(victim, ends) })
		if !ends {
			await(p.T, "it serves again", func() error {
				if !serves(p.pod(victim)) {
					return errors.New("it does not")
				}
				return nil
			})
			p.enforces(p.pod(victim), true)
		}
		p.kubectl("", "rollout", "status", "deployment/printmarket-api", "--timeout=180s")
		p.awaitPropagated(p.kill(false))
	}
}

// thawed stops a pod's process while something is done.
func (p *platform) thawed(pod corev1.Pod, do func()) {
	p.Helper()
	process := p.containerOf(pod.Name).Process
	p.must(process.Signal(syscall.SIGSTOP))
	defer func() {
		if err := process.Signal(syscall.SIGCONT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			p.Error(err)
		}
	}()
	do()
}

// killBesideFrozen edits while a replica is frozen. As long as that one serves, the
// edit is not propagated; when requests are no longer sent to it, the others count,
// even if its pod has not ended yet.
func (p *platform) killBesideFrozen(victim corev1.Pod, ends bool) {
	p.Helper()
	if ends {
		p.kubectl("", "delete", "pod", victim.Name, "--wait=false")
	}
	generation, waited := p.kill(true), 0
	await(p.T, "the edit is propagated", func() error {
		// In this order: what serves after the condition was read has served before.
		condition := p.propagated(generation)
		serving := p.endpointServes(victim)
		switch {
		case condition.Status == metav1.ConditionTrue && serving:
			p.Fatalf("propagated (%s) beside a frozen replica that serves", condition.Message)
		case condition.Status == metav1.ConditionTrue:
			return nil
		case serving:
			waited++
		}
		return fmt.Errorf("propagated is %s: %s", condition.Status, condition.Message)
	})
	if waited == 0 {
		p.Error("the frozen replica did not serve when the edit was made")
	}
	for _, pod := range p.pods("api") {
		if pod.UID != victim.UID {
			p.enforces(pod, true)
		}
	}
	// Otherwise it was not a pod that ends which was not waited for.
	p.pod(victim)
}

// pod reads a pod again; the pod must exist.
func (p *platform) pod(of corev1.Pod) corev1.Pod {
	p.Helper()
	var pod corev1.Pod
	p.must(p.client.Get(p.Context(), client.ObjectKeyFromObject(&of), &pod))
	if pod.UID != of.UID {
		p.Fatalf("%s is another pod", of.Name)
	}
	return pod
}

// endpointServes reports whether the Service sends requests to a pod.
func (p *platform) endpointServes(pod corev1.Pod) bool {
	p.Helper()
	var list discoveryv1.EndpointSliceList
	p.must(p.client.List(p.Context(), &list, client.InNamespace(p.namespace), client.MatchingLabels{discoveryv1.LabelServiceName: "printmarket-api"}))
	for _, slice := range list.Items {
		for _, e := range slice.Endpoints {
			if e.TargetRef != nil && e.TargetRef.UID == pod.UID && e.Conditions.Serving != nil && *e.Conditions.Serving {
				return true
			}
		}
	}
	return false
}
