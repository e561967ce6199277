// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"net/netip"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/workers/delivery"
)

const (
	// webhookConnections is one connection for each goroutine that queries the database: to
	// relay, to claim, to record, and to watch or purge.
	webhookConnections = 4
	// webhookGate names the gate Secret of workers that deliver.
	webhookGate = "printmarket-gate-webhooks"
)

// newDelivery makes a worker that delivers from the first posture on. Events go to
// public addresses and to the allowed ranges.
func newDelivery(p *process, gates *posture.Gates, allow []netip.Prefix, drain time.Duration) *delivery.Worker {
	directory := webhook.NewPostureDirectory(func() *posture.Snapshot { return gates.Current(p.now()) })
	worker := delivery.New(delivery.Config{
		Store: p.store, Directory: directory, Await: directory.Await,
		Relay:   &webhook.Relay{Store: p.store, Directory: directory, Now: p.now, Random: rand.Reader},
		Sender:  webhook.Sender{Schedule: webhook.Schedule{Random: mathrand.Float64}, Now: p.now},
		Connect: delivery.Connections(safehttp.Config{Allow: allow, UserAgent: webhookAgent}),
		Drain:   drain, Random: mathrand.Float64, Now: p.now, Log: p.log, Metrics: p.metrics, Tracer: p.tracer,
	})
	worker.Gauges(p.metrics)
	return worker
}

// assembleWebhooks makes a worker for webhooks and its operations listener.
func assembleWebhooks(ctx context.Context, o *Worker, p *process) (apiserver.Parts, error) {
	ranges, err := parseRanges("allow-webhooks", o.allowWebhooks, o.allowWide)
	if err != nil {
		return apiserver.Parts{}, err
	}
	store, err := o.serve(ctx, p)
	if err != nil {
		return apiserver.Parts{}, err
	}
	gates := posture.NewGates(o.maxStaleness)
	config, namespace, err := o.Load(p.log)
	if err != nil {
		return apiserver.Parts{}, err
	}
	feed, err := kubesource.New(kubesource.Config{
		Rest: config, Namespace: namespace, GateSecret: o.gateSecret, Purpose: posture.ForWebhooks,
		Gates: gates, Log: p.log, Tracer: p.tracer, Now: p.now,
	})
	if err != nil {
		return apiserver.Parts{}, err
	}
	kubesource.RegisterMetrics(p.metrics, feed.Status, p.now)
	apiserver.RegisterSnapshotAge(p.metrics, gates, p.now)
	worker := newDelivery(p, gates, ranges, o.drain)
	// The controller probes the watermark: an object that workers enforce is Ready only when all have compiled it.
	server, err := o.operations(ctx, p, apiserver.Ops{Gates: gates, Compiled: feed.Compiled, Checks: []apiserver.Check{
		apiserver.DatabaseCheck(store.Ping, false, p.metrics),
		apiserver.ClockCheck(store.Skew, p.metrics), // receivers reject signatures of another time
		apiserver.PostureCheck(feed.Healthy, gates, p.now),
		apiserver.GateSecretCheck(func() error { return feed.Status().GateFault }),
		{Name: "deliveries", Run: func(context.Context) error { return worker.Healthy() }},
	}})
	if err != nil {
		return apiserver.Parts{}, err
	}
	return apiserver.Parts{
		Front:  []apiserver.Part{apiserver.Loop(worker.Run)},
		Behind: []apiserver.Part{server.Run, follow(feed)},
	}, nil
}
