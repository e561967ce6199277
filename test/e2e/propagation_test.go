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

// statusOf returns the status of a request to list RFQs.
func statusOf(killed bool) int {
	if killed {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// kill sets or removes the kill switch of rfq-list and returns the generation.
func (p *platform) kill(killed bool) int64 {
	p.Helper()
	return p.setKillSwitch("rfq-list", killed)
}

// setKillSwitch engages or removes the kill switch of a capability and returns the generation of
// the edited object.
func (p *platform) setKillSwitch(capability string, killed bool) int64 {
	p.Helper()
	patch := `{"spec":{"killSwitch":null}}`
	if killed {
		patch = `{"spec":{"killSwitch":{"state":"Engaged","reason":"E2E"}}}`
	}
	rollout := &v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: capability}}
	p.must(p.client.Patch(p.Context(), rollout, client.RawPatch(types.MergePatchType, []byte(patch))))
	return rollout.Generation
}

// propagated returns the condition Propagated of a capability. A condition of another generation
// counts as Unknown.
func (p *platform) propagated(capability string, generation int64) metav1.Condition {
	p.Helper()
	var rollout v1alpha1.CapabilityRollout
	p.must(p.client.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: capability}, &rollout))
	condition := meta.FindStatusCondition(rollout.Status.Conditions, v1alpha1.ConditionPropagated)
	if condition == nil || condition.ObservedGeneration != generation {
		return metav1.Condition{Status: metav1.ConditionUnknown}
	}
	return *condition
}

// awaitPropagated waits until an edit of a capability is propagated.
func (p *platform) awaitPropagated(capability string, generation int64) {
	p.Helper()
	await(p.T, "the edit is propagated", func() error {
		if c := p.propagated(capability, generation); c.Status != metav1.ConditionTrue {
			return fmt.Errorf("propagated is %s: %s", c.Status, c.Message)
		}
		return nil
	})
}

// propagation logs the time from the start of an edit until each replica enforces it. It sets no
// limit.
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

// measure makes one edit and returns the time until each replica enforced it.
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
			p.Errorf("%s did not respond %d within a minute", replica, statusOf(killed))
		})
	}
	p.kill(killed)
	group.Wait()
	return took
}

// rolling edits while all API servers are replaced. Every running pod must enforce an edit as soon
// as the edit is propagated.
func (p *platform) rolling() {
	before, answered := p.pods("api"), map[types.UID]bool{}
	p.kubectl("", "rollout", "restart", "deployment/printmarket-api")
	edits := 0
	for killed := true; killed || !p.replaced(before); killed = !killed {
		p.awaitPropagated("rfq-list", p.kill(killed))
		edits++
		for _, pod := range p.pods("api") {
			if p.enforces(pod, killed) {
				answered[pod.UID] = true
			}
		}
	}
	p.awaitPropagated("rfq-list", p.kill(false))
	if want := 2 * len(before); len(answered) < want {
		p.Errorf("%d replicas responded, want the %d old ones and as many new ones", len(answered), len(before))
	}
	p.Logf("%d edits, verified on %d replicas", edits, len(answered))
}

// replaced reports whether as many API servers as before are ready, and none of the old ones is
// left.
func (p *platform) replaced(before []corev1.Pod) bool {
	p.Helper()
	now := p.pods("api")
	return len(now) == len(before) && !slices.ContainsFunc(now, func(pod corev1.Pod) bool {
		return !serves(pod) || slices.ContainsFunc(before, func(old corev1.Pod) bool { return old.UID == pod.UID })
	})
}

// enforces sends a request to one replica, and reports whether it responded. A starting or
// terminating replica may reject the request or not respond; no replica may allow a killed
// capability.
func (p *platform) enforces(pod corev1.Pod, killed bool) bool {
	p.Helper()
	if pod.Status.PodIP == "" {
		return false
	}
	got, err := call(p.Context(), &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		http.MethodGet, addressOf(pod), "/api/v1/rfq", p.live, "")
	switch {
	case err != nil && serves(pod):
		p.Errorf("%s is ready but does not respond: %v", pod.Name, err)
	case err == nil && got.status != statusOf(killed) && (killed || serves(pod)):
		p.Errorf("%s responds %s, want %d", pod.Name, got, statusOf(killed))
	}
	return err == nil
}

func serves(pod corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// frozen freezes a replica: first one that remains, then one that is being deleted but cannot
// exit.
func (p *platform) frozen() {
	for _, ends := range []bool{false, true} {
		victim := p.servers()[0]
		p.whileFrozen(victim, func() { p.killBesideFrozen(victim, ends) })
		if !ends {
			await(p.T, "the thawed replica serves again", func() error {
				if !serves(p.pod(victim)) {
					return errors.New("the replica is not ready")
				}
				return nil
			})
			p.enforces(p.pod(victim), true)
		}
		p.kubectl("", "rollout", "status", "deployment/printmarket-api", "--timeout=180s")
		p.awaitPropagated("rfq-list", p.kill(false))
	}
}

// whileFrozen stops a pod's process while do runs.
func (p *platform) whileFrozen(pod corev1.Pod, do func()) {
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

// killBesideFrozen edits while a replica is frozen. The edit is not propagated while the Service
// sends requests to the frozen replica. Afterwards only the other replicas count, even if the pod
// still exists.
func (p *platform) killBesideFrozen(victim corev1.Pod, ends bool) {
	p.Helper()
	if ends {
		p.kubectl("", "delete", "pod", victim.Name, "--wait=false")
	}
	generation, waited := p.kill(true), 0
	await(p.T, "the edit is propagated", func() error {
		// Read the condition first: a replica that serves afterwards also served before.
		condition := p.propagated("rfq-list", generation)
		serving := p.endpointServes(victim)
		switch {
		case condition.Status == metav1.ConditionTrue && serving:
			p.Fatalf("propagated (%s) although a frozen replica serves", condition.Message)
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
	// The terminating pod must still exist; otherwise the test proves nothing.
	p.pod(victim)
}

// pod reads a pod again. The pod must still exist.
func (p *platform) pod(of corev1.Pod) corev1.Pod {
	p.Helper()
	var pod corev1.Pod
	p.must(p.client.Get(p.Context(), client.ObjectKeyFromObject(&of), &pod))
	if pod.UID != of.UID {
		p.Fatalf("pod %s was replaced", of.Name)
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
