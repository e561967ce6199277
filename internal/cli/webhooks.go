// SPDX-License-Identifier: Apache-2.0

package cli

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
	worker "github.com/printmarket/printmarket/workers/delivery"
)

const (
	// webhookConnections are one for each goroutine that asks the database: to
	// relay, to claim, to record, and to watch or erase.
	webhookConnections = 4
	// webhookGate is the gate Secret of workers that deliver.
	webhookGate = "printmarket-gate-webhooks"
)

// delivery delivers events as a part of a process.
type delivery struct {
	directory *webhook.PostureDirectory
	worker    *worker.Worker
}

// newDelivery makes it of the posture in force. Events go to addresses in the
// ranges, and to public ones.
func newDelivery(p *process, gates *posture.Gates, allow []netip.Prefix, drain time.Duration) delivery {
	directory := webhook.NewPostureDirectory(func() *posture.Snapshot { return gates.Current(p.now()) })
	w := worker.New(worker.Config{
		Store: p.store, Directory: directory,
		Relay:   &webhook.Relay{Store: p.store, Directory: directory, Now: p.now, Random: rand.Reader},
		Sender:  webhook.Sender{Schedule: webhook.Schedule{Random: mathrand.Float64}, Now: p.now},
		Connect: worker.Connections(safehttp.Config{Allow: allow, UserAgent: webhookAgent}),
		Drain:   drain, Random: mathrand.Float64, Now: p.now, Log: p.log, Metrics: p.metrics, Tracer: p.tracer,
	})
	w.Gauges(p.metrics)
	return delivery{directory, w}
}

// run delivers from the first posture on until ctx ends.
func (d delivery) run(ctx context.Context) error {
	if err := d.directory.Await(ctx); err != nil {
		return nil //nolint:nilerr // told to stop before there was anything to do
	}
	d.worker.Run(ctx)
	return nil
}

// assembleWebhooks makes a worker for webhooks and its operations listener.
func assembleWebhooks(ctx context.Context, o *workerOptions, p *process) (parts, error) {
	if _, err := o.serve(ctx, p); err != nil {
		return parts{}, err
	}
	ranges, err := parseRanges("allow-webhooks", o.allowWebhooks)
	if err != nil {
		return parts{}, err
	}
	gates := posture.NewGates(o.maxStaleness)
	config, namespace, err := o.load(p.log)
	if err != nil {
		return parts{}, err
	}
	feed, err := kubesource.New(kubesource.Config{
		Rest: config, Namespace: namespace, GateSecret: o.gateSecret, Purpose: posture.ForWebhooks,
		Gates: gates, Log: p.log, Tracer: p.tracer, Now: p.now,
	})
	if err != nil {
		return parts{}, err
	}
	gateMetrics(p.metrics, feed.Status, p.now)
	postureAge(p.metrics, gates, p.now)
	events := newDelivery(p, gates, ranges, o.drain)
	server, err := o.operations(ctx, p, []apiserver.Check{
		workerStoreCheck(p),
		postureCheck(feed, gates, p.now),
		gateSecretCheck(feed.Status),
		{Name: "deliveries", Run: func(context.Context) error { return events.worker.Healthy() }},
	})
	if err != nil {
		return parts{}, err
	}
	return parts{
		front:  []func(context.Context) error{events.run},
		behind: []func(context.Context) error{server.Run, follow(feed)},
	}, nil
}
