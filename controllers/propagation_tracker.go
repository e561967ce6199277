// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// concurrentProbes is how many replicas a round probes concurrently.
	concurrentProbes = 128
	// silentFailures is how many probes in a row must fail before a replica
	// counts as silent. Intervals.Silence must pass, too.
	silentFailures = 3
	// eagerRounds is the number of rounds after which replicas that still lack a
	// change are probed less often.
	eagerRounds = 100
)

var errNoPort = errors.New("the Service has no operations port")

// failingReplicas is the request for a round of the replicas that did not answer their last probe.
// They have rounds of their own, so that the others do not wait for their timeouts.
var failingReplicas = reconcile.Request{NamespacedName: types.NamespacedName{Name: "failing"}}

// propagationTracker probes the serving replicas for their compiled versions: often while a replica
// lacks a required version, rarely otherwise. The rounds of one request never overlap, and each
// replica belongs to one of the two requests.
type propagationTracker struct {
	cache     client.Reader
	namespace string
	// services are the names of the Services of the enforcers; empty if there are no such processes.
	services  [enforcerCount]string
	port      string
	probe     replicaProbe
	tracker   *statusTracker
	intervals Intervals
	// now paces the probes. It is the real clock even if a test sets the clock of schedules.
	now func() time.Time
	// moved requests a round for replicas that began or ceased to fail.
	moved *trigger

	// mu guards the fields below. It is not held while replicas are probed.
	mu       sync.Mutex
	replicas []*probedReplica
	// missing names the Services without an EndpointSlice, whose endpoints are unknown; empty if there
	// is one. The Service of the API servers is never among them.
	missing [enforcerCount]string
	// absentSince is the time since which no API server has responded; zero while one responds.
	absentSince time.Time
	epoch       uint64
	rounds      int
}

// servingReplicas are the API servers behind their Service, and the workers. They are unknown before
// the first round.
type servingReplicas struct {
	known    bool
	replicas []replica
	// missing are the names of the Services of workers that have no EndpointSlice.
	missing [enforcerCount]string
	// absent is true if no API server has responded for Intervals.Silence.
	absent bool
}

// replica is an API server or a worker.
type replica struct {
	by enforcer
	// watermark is the last response; nil before the first one.
	watermark *posture.Watermark
	// silent is true if the replica has not responded for Intervals.Silence.
	silent bool
}

// enforces reports whether the replica has compiled all of these versions that it must compile, and
// its posture is fresh enough to decide by.
func (r replica) enforces(required []requiredVersion) bool {
	if r.watermark == nil || !r.watermark.Enforcing {
		return false
	}
	for _, v := range required {
		if v.by == r.by && !r.watermark.Passed(v.kind, v.version) {
			return false
		}
	}
	return true
}

// probedReplica is a replica and the history of its probes.
type probedReplica struct {
	replica
	endpoint

	// probed is the time of the last probe; zero before the first.
	probed time.Time
	// failures counts the failed probes since the last response; failingSince is the
	// time of the first of them.
	failures     int
	failingSince time.Time
}

// Reconcile probes the replicas of a request that are due, publishes the versions that all replicas
// enforce, and requeues for the next round.
func (p *propagationTracker) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	failing := request == failingReplicas
	due, err := p.beginRound(ctx, failing)
	if err != nil {
		return ctrl.Result{}, err
	}
	results, complete := p.probeAll(ctx, due)
	if !complete {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: p.endRound(ctx, failing, due, results)}, nil
}

// beginRound updates the replicas to the endpoints, and returns those of a request that are due.
func (p *propagationTracker) beginRound(ctx context.Context, failing bool) ([]*probedReplica, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.updateEndpoints(ctx); err != nil {
		return nil, err
	}
	required, epoch := p.tracker.requiredVersions()
	if epoch != p.epoch {
		p.epoch, p.rounds = epoch, 0
	}
	return p.due(failing, required), nil
}

// due returns the replicas of a request that are due.
func (p *propagationTracker) due(failing bool, required []requiredVersion) []*probedReplica {
	var due []*probedReplica
	for _, r := range p.replicas {
		if r.failing() == failing && p.now().Sub(r.probed) >= p.interval(r, required) {
			due = append(due, r)
		}
	}
	return due
}

// updateEndpoints updates the replicas to the endpoints of the Services. The cluster writes at least one
// EndpointSlice for each Service with a selector, even if the Service has no endpoint.
func (p *propagationTracker) updateEndpoints(ctx context.Context) error {
	var endpoints []endpoint
	p.missing = [enforcerCount]string{}
	for by, service := range p.services {
		if service == "" {
			continue
		}
		var list discoveryv1.EndpointSliceList
		err := p.cache.List(ctx, &list, client.InNamespace(p.namespace), client.MatchingLabels{discoveryv1.LabelServiceName: service})
		if err != nil {
			return fmt.Errorf("list the endpoints of the Service %s: %w", service, err)
		}
		if len(list.Items) == 0 && enforcer(by) != apiServers {
			p.missing[by] = service
		}
		endpoints = append(endpoints, servingEndpoints(enforcer(by), list.Items, p.port)...)
	}
	p.updateReplicas(endpoints)
	return nil
}

// updateReplicas keeps the history of the replicas that still serve. A replica with a new address,
// or another replica at a known address, starts a new history.
func (p *propagationTracker) updateReplicas(endpoints []endpoint) {
	known := make(map[endpoint]*probedReplica, len(p.replicas))
	for _, r := range p.replicas {
		known[r.endpoint] = r
	}
	p.replicas = make([]*probedReplica, 0, len(endpoints))
	for _, e := range endpoints {
		r := known[e]
		if r == nil {
			r = &probedReplica{endpoint: e, replica: replica{by: e.by}}
			p.rounds = 0
		}
		p.replicas = append(p.replicas, r)
	}
}

// probeResult is the response of one replica, or the error of the probe.
type probeResult struct {
	watermark posture.Watermark
	err       error
}

// probeAll probes replicas concurrently. It returns false if the process is stopping, because a
// cancelled probe has no result.
func (p *propagationTracker) probeAll(ctx context.Context, replicas []*probedReplica) ([]probeResult, bool) {
	results := make([]probeResult, len(replicas))
	slots := make(chan struct{}, concurrentProbes)
	var group sync.WaitGroup
	for i, r := range replicas {
		if r.address == "" {
			results[i].err = errNoPort
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i].watermark, results[i].err = p.probe(ctx, r.address)
		})
	}
	group.Wait()
	return results, ctx.Err() == nil
}

// endRound adds the results of a round to the history of its replicas, publishes the state of all
// replicas, and returns the time until the next round of the request, or 0 without replicas.
func (p *propagationTracker) endRound(ctx context.Context, failing bool, probed []*probedReplica, results []probeResult) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	moved := false
	for i, r := range probed {
		r.probed = p.now()
		p.record(ctx, r, results[i])
		moved = moved || r.failing() != failing
	}
	if !failing {
		p.rounds++
	}
	p.tracker.observe(p.serving())
	if moved && failing {
		p.moved.add(allObjects)
	} else if moved {
		p.moved.add(failingReplicas)
	}
	required, _ := p.tracker.requiredVersions()
	return p.untilNextProbe(failing, required)
}

// record adds the result of a probe to the history of a replica.
func (p *propagationTracker) record(ctx context.Context, r *probedReplica, result probeResult) {
	log := ctrl.LoggerFrom(ctx)
	if result.err == nil {
		if r.silent {
			log.Info("replica responds again", "address", r.address)
		}
		r.watermark, r.failures, r.silent = &result.watermark, 0, false
		return
	}
	if r.failures == 0 {
		r.failingSince = r.probed
	}
	r.failures++
	if !r.silent && r.failures >= silentFailures && r.probed.Sub(r.failingSince) >= p.intervals.Silence {
		r.silent = true
		log.Info("replica does not respond", "address", r.address, "error", result.err.Error())
	}
}

// failing reports whether the replica did not answer the last probe.
func (r *probedReplica) failing() bool { return r.failures > 0 }

// interval returns the time between the last probe of a replica and the next.
func (p *propagationTracker) interval(r *probedReplica, required []requiredVersion) time.Duration {
	switch {
	case r.probed.IsZero():
		return 0
	case r.failing():
		return p.intervals.Silence / 10
	case r.enforces(required):
		return p.intervals.Settled
	case p.rounds > eagerRounds:
		return 10 * p.intervals.Pending
	default:
		return p.intervals.Pending
	}
}

// untilNextProbe returns the time until the first replica of a request is due, or 0 if no replica
// fails.
func (p *propagationTracker) untilNextProbe(failing bool, required []requiredVersion) time.Duration {
	next, some := p.intervals.Settled, !failing
	for _, r := range p.replicas {
		if r.failing() == failing {
			next, some = min(next, p.interval(r, required)-p.now().Sub(r.probed)), true
		}
	}
	if !some {
		return 0
	}
	if silence := p.intervals.Silence - p.now().Sub(p.absentSince); !p.absentSince.IsZero() && silence > 0 {
		next = min(next, silence)
	}
	return max(next, time.Millisecond)
}

func (p *propagationTracker) serving() servingReplicas {
	s := servingReplicas{known: true, replicas: make([]replica, 0, len(p.replicas)), missing: p.missing}
	for _, r := range p.replicas {
		s.replicas = append(s.replicas, r.replica)
	}
	switch {
	case s.responding():
		p.absentSince = time.Time{}
	case p.absentSince.IsZero():
		p.absentSince = p.now()
	}
	s.absent = !p.absentSince.IsZero() && p.now().Sub(p.absentSince) >= p.intervals.Silence
	return s
}

// responding reports whether an API server serves and is not silent.
func (s servingReplicas) responding() bool {
	return slices.ContainsFunc(s.replicas, func(r replica) bool { return r.by == apiServers && !r.silent })
}
