// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// metrics are what the controllers count. Labels are kinds and reasons, which
// are closed sets; nothing is labelled with an object.
type metrics struct {
	compile     prometheus.Histogram
	transitions *prometheus.CounterVec
}

// The metrics of the controllers.
var (
	compileTime = telemetry.Description{
		Name: "printmarket_controller_compile_seconds", Type: "histogram",
		Help: "Time to compile all resources and report on them.",
	}
	transitionCount = telemetry.Description{
		Name: "printmarket_controller_transitions_total", Type: "counter", Labels: []string{"kind", "reason"},
		Help: "Changes of the reason of Ready, by kind and new reason.",
	}
	objectCount = telemetry.Description{
		Name: "printmarket_controller_objects", Type: "gauge", Labels: []string{"kind", "ready"},
		Help: "Objects by kind and by whether they are Ready.",
	}
	gateSecretAge = telemetry.Description{
		Name: "printmarket_controller_gate_secret_age_seconds", Type: "gauge",
		Help: "Time since the heartbeat in the gate Secret whose heartbeat is oldest.",
	}
	replicaCount = telemetry.Description{
		Name: "printmarket_controller_replicas", Type: "gauge", Labels: []string{"state"},
		Help: "Serving replicas of the API server by what they answer: enforcing, behind or silent.",
	}
)

// Metrics describes what the controllers serve beside the metrics of their libraries.
func Metrics() []telemetry.Description {
	return []telemetry.Description{compileTime, transitionCount, objectCount, gateSecretAge, replicaCount}
}

func newMetrics() *metrics {
	return &metrics{
		compile: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: compileTime.Name, Help: compileTime.Help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 12),
		}),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: transitionCount.Name, Help: transitionCount.Help,
		}, transitionCount.Labels),
	}
}

// register adds all metrics of the controllers to a registry.
func (m *metrics) register(registry prometheus.Registerer, b *board, now func() time.Time, secrets ...*gateSecret) error {
	for _, c := range []prometheus.Collector{m.compile, m.transitions, newGauges(b, now, secrets)} {
		if err := registry.Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}

// gauges are read from the state that they describe, so that they cannot
// differ from it. A process that does not lead has no state and shows none.
type gauges struct {
	board                     *board
	now                       func() time.Time
	secrets                   []*gateSecret
	objects, secret, replicas *prometheus.Desc
}

func newGauges(b *board, now func() time.Time, secrets []*gateSecret) *gauges {
	return &gauges{
		board: b, now: now, secrets: secrets,
		objects:  descOf(objectCount),
		secret:   descOf(gateSecretAge),
		replicas: descOf(replicaCount),
	}
}

func descOf(d telemetry.Description) *prometheus.Desc {
	return prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
}

// Describe is part of prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	out <- g.objects
	out <- g.secret
	out <- g.replicas
}

// Collect is part of prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	for labels, count := range g.board.tally() {
		out <- prometheus.MustNewConstMetric(g.objects, prometheus.GaugeValue, float64(count), labels[0], labels[1])
	}
	for state, count := range g.board.roll() {
		out <- prometheus.MustNewConstMetric(g.replicas, prometheus.GaugeValue, float64(count), state)
	}
	if age, known := g.oldest(); known {
		out <- prometheus.MustNewConstMetric(g.secret, prometheus.GaugeValue, age.Seconds())
	}
}

// oldest is the greatest age of the heartbeats; false if this process has seen
// none.
func (g *gauges) oldest() (oldest time.Duration, known bool) {
	now := g.now()
	for _, s := range g.secrets {
		if age, seen := s.age(now); seen {
			oldest, known = max(oldest, age), true
		}
	}
	return oldest, known
}
