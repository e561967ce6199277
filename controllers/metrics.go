// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// metrics are the metrics that the controllers update. Labels are kinds and
// reasons, which are closed sets, and never the names of objects.
type metrics struct {
	compile           prometheus.Histogram
	transitions       *prometheus.CounterVec
	measurements      *prometheus.CounterVec
	endsSoon, nextEnd *prometheus.GaugeVec
}

// The metrics of the controllers.
var (
	compileTime = telemetry.Description{
		Name: "printmarket_controller_compile_seconds", Type: "histogram",
		Help: "Time to compile all resources and compute their reports.",
	}
	transitionCount = telemetry.Description{
		Name: "printmarket_controller_transitions_total", Type: "counter", Labels: []string{"kind", "reason"},
		Help: "Changes of the reason of Ready, by kind and new reason.",
	}
	measurementCount = telemetry.Description{
		Name: "printmarket_controller_analysis_queries_total", Type: "counter", Labels: []string{"result"},
		Help: "Queries of analyses, by result: Success, Failure, NoData.",
	}
	objectCount = telemetry.Description{
		Name: "printmarket_controller_objects", Type: "gauge", Labels: []string{"kind", "ready"},
		Help: "Objects by kind and by whether they are Ready.",
	}
	gateSecretAge = telemetry.Description{
		Name: "printmarket_controller_gate_secret_age_seconds", Type: "gauge",
		Help: "Time since the oldest heartbeat in the gate Secrets.",
	}
	replicaCount = telemetry.Description{
		Name: "printmarket_controller_replicas", Type: "gauge", Labels: []string{"state"},
		Help: "Serving API servers and workers by state: enforcing, behind or silent.",
	}
	unrecordedClaims = telemetry.Description{
		Name: "printmarket_controller_unrecorded_claims", Type: "gauge",
		Help: "Claims of organizations and of partners with revoked keys that have no room in the ConfigMap.",
	}
	endsSoonCount = telemetry.Description{
		Name: "printmarket_controller_ends_soon", Type: "gauge", Labels: []string{"kind", "part"},
		Help: "Parts of objects that end within 14 days, by kind of the object.",
	}
	nextEndTime = telemetry.Description{
		Name: "printmarket_controller_next_end_timestamp_seconds", Type: "gauge", Labels: []string{"kind", "part"},
		Help: "Unix time of the next end of a part of an object, by kind of the object; absent if none has an end.",
	}
)

// Metrics describes the metrics of the controllers, without those of their libraries.
func Metrics() []telemetry.Description {
	return []telemetry.Description{compileTime, transitionCount, measurementCount, objectCount, gateSecretAge, replicaCount, unrecordedClaims, endsSoonCount, nextEndTime}
}

// newMetrics registers the metrics of the controllers.
func newMetrics(registry prometheus.Registerer, tracker *statusTracker, claims *claimsReconciler, now func() time.Time, secrets ...*gateSecretReconciler) (*metrics, error) {
	gauge := func(d telemetry.Description) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: d.Name, Help: d.Help}, d.Labels)
	}
	desc := func(d telemetry.Description) *prometheus.Desc {
		return prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
	}
	m := &metrics{
		endsSoon: gauge(endsSoonCount), nextEnd: gauge(nextEndTime),
		compile: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: compileTime.Name, Help: compileTime.Help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 12),
		}),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: transitionCount.Name, Help: transitionCount.Help,
		}, transitionCount.Labels),
		measurements: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: measurementCount.Name, Help: measurementCount.Help,
		}, measurementCount.Labels),
	}
	state := &gauges{
		tracker: tracker, claims: claims, now: now, secrets: secrets, unrecorded: desc(unrecordedClaims),
		objects: desc(objectCount), secretAge: desc(gateSecretAge), replicas: desc(replicaCount),
	}
	for _, c := range []prometheus.Collector{m.compile, m.transitions, m.measurements, m.endsSoon, m.nextEnd, state} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

// observeEnds sets the gauges of ends for all objects.
func (m *metrics) observeEnds(inputs posture.Inputs, now time.Time) {
	type series struct {
		kind string
		part posture.Part
	}
	soon, next := map[series]int{}, map[series]time.Time{}
	count := func(kind string, ends []posture.End) {
		for _, e := range ends {
			of := series{kind, e.Part}
			if e.Soon(now) {
				soon[of]++
			}
			if e.At.After(now) && (next[of].IsZero() || e.At.Before(next[of])) {
				next[of] = e.At
			}
		}
	}
	for i := range inputs.Partners {
		count(v1alpha1.KindPartnerEntitlement, posture.PartnerEnds(&inputs.Partners[i]))
	}
	for i := range inputs.Rollouts {
		count(v1alpha1.KindCapabilityRollout, posture.RolloutEnds(&inputs.Rollouts[i]))
	}
	for i := range inputs.Senders {
		count(v1alpha1.KindXJMFSender, posture.SenderEnds(&inputs.Senders[i]))
	}
	for kind, parts := range posture.EndingParts() {
		for _, part := range parts {
			of := series{kind, part}
			m.endsSoon.WithLabelValues(kind, string(part)).Set(float64(soon[of]))
			if next[of].IsZero() {
				m.nextEnd.DeleteLabelValues(kind, string(part))
			} else {
				m.nextEnd.WithLabelValues(kind, string(part)).Set(float64(next[of].Unix()))
			}
		}
	}
}

// gauges reads the state of the controllers when metrics are collected. A process
// that does not lead has no state and serves no gauges.
type gauges struct {
	tracker                      *statusTracker
	claims                       *claimsReconciler
	now                          func() time.Time
	secrets                      []*gateSecretReconciler
	objects, secretAge, replicas *prometheus.Desc
	unrecorded                   *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	out <- g.objects
	out <- g.secretAge
	out <- g.replicas
	out <- g.unrecorded
}

// Collect implements [prometheus.Collector].
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	for labels, count := range g.tracker.countObjects() {
		out <- prometheus.MustNewConstMetric(g.objects, prometheus.GaugeValue, float64(count), labels[0], labels[1])
	}
	for state, count := range g.tracker.countReplicas() {
		out <- prometheus.MustNewConstMetric(g.replicas, prometheus.GaugeValue, float64(count), state)
	}
	if age, known := g.oldest(); known {
		out <- prometheus.MustNewConstMetric(g.unrecorded, prometheus.GaugeValue, float64(g.claims.unrecorded.Load()))
		out <- prometheus.MustNewConstMetric(g.secretAge, prometheus.GaugeValue, age.Seconds())
	}
}

// oldest returns the greatest age of the heartbeats, and false before the first.
func (g *gauges) oldest() (oldest time.Duration, known bool) {
	now := g.now()
	for _, s := range g.secrets {
		if heartbeat := s.lastHeartbeat.Load(); heartbeat != 0 {
			oldest, known = max(oldest, now.Sub(time.Unix(heartbeat, 0))), true
		}
	}
	return oldest, known
}
