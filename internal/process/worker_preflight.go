// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"net/netip"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
)

// Defaults of --fetches and --fetch-min-rate.
const (
	defaultFetches      = 8
	defaultFetchMinRate = 64 << 10
)

// workOptions holds the settings of a preflight worker.
type workOptions struct {
	slots, fetches int
	// minRate is the fewest bytes per second of a fetch; 0 for any.
	minRate int64
	// drain is the time for running jobs to finish after SIGTERM.
	drain   time.Duration
	allow   []netip.Prefix
	tempDir string
	// gates has the custom profiles.
	gates *posture.Gates
}

// newWorker makes a preflight worker.
func newWorker(p *process, o workOptions, work preflights) (*preflight.Worker, error) {
	inspector, err := sandbox.Find(sandbox.InspectorArg)
	if err != nil {
		return nil, err
	}
	consumer := work.queue.Consumer(queue.ConsumerConfig{
		Name: telemetry.Incarnation(), Slots: preflight.Capacity(o.slots, o.fetches), Lease: leaseTime, Block: blockTime, Idle: idleTime,
	})
	p.onClose(func() { _ = consumer.Close() })
	client := safehttp.New(safehttp.Config{Allow: o.allow, UserAgent: fetchAgent, MinRate: cmp.Or(o.minRate, -1)})
	worker := preflight.New(preflight.Config{
		Jobs: work.jobs, Queue: consumer, Fetch: client.Fetch, Files: work.files, Inspect: sandbox.Run, Fix: sandbox.Fix, Compare: sandbox.Compare, Annotate: sandbox.Annotate, Inspector: inspector,
		Posture: func() *posture.Snapshot { return o.gates.Current(p.now()) },
		Slots:   o.slots, Fetches: o.fetches, Drain: o.drain, TempDir: o.tempDir,
		Jitter: func(d time.Duration) time.Duration { return mathrand.N(d + 1) },
		Now:    p.now, Log: p.log, Metrics: p.metrics, Tracer: p.tracer,
	})
	worker.Gauges(p.metrics)
	return worker, nil
}

// assemblePreflight makes a worker for preflight and its operations listener.
func assemblePreflight(ctx context.Context, o *Worker, p *process) (apiserver.Parts, error) {
	ranges, err := parseRanges("allow-fetch", o.allowFetch, o.allowWide)
	if err != nil {
		return apiserver.Parts{}, err
	}
	address, err := o.Redis.address(p.log)
	if err != nil {
		return apiserver.Parts{}, err
	}
	if err := p.openRedis(address); err != nil {
		return apiserver.Parts{}, err
	}
	if _, err := o.serve(ctx, p); err != nil {
		return apiserver.Parts{}, err
	}
	work, err := p.preflights(len(ranges) > 0, nil, nil, o.files)
	if err != nil {
		return apiserver.Parts{}, err
	}
	if err := work.queue.Admit(ctx, p.log); err != nil {
		return apiserver.Parts{}, fmt.Errorf("--redis: %w", err)
	}
	gates := posture.NewGates(o.maxStaleness)
	config, namespace, err := o.Load(p.log)
	if err != nil {
		return apiserver.Parts{}, err
	}
	// Preflight workers open untrusted files, so they read profiles and nothing else.
	feed, err := kubesource.New(kubesource.Config{
		Rest: config, Namespace: namespace, ProfilesOnly: true, Gates: gates, Log: p.log, Tracer: p.tracer, Now: p.now,
	})
	if err != nil {
		return apiserver.Parts{}, err
	}
	kubesource.RegisterMetrics(p.metrics, feed.Status, p.now)
	apiserver.RegisterSnapshotAge(p.metrics, gates, p.now)
	worker, err := newWorker(p, workOptions{slots: o.slots, fetches: o.fetches, minRate: o.fetchMinRate, drain: o.drain, allow: ranges, tempDir: o.tempDir, gates: gates}, work)
	if err != nil {
		return apiserver.Parts{}, err
	}
	// The controller probes the watermark: a profile is Ready only when all workers have compiled it.
	server, err := o.operations(ctx, p, apiserver.Ops{Gates: gates, Compiled: feed.Compiled, Checks: []apiserver.Check{
		apiserver.DatabaseCheck(p.store.Ping, false, p.metrics),
		apiserver.PostureCheck(feed.Healthy, gates, p.now),
		{Name: "queue", Run: func(context.Context) error { return worker.Healthy() }},
	}})
	if err != nil {
		return apiserver.Parts{}, err
	}
	return apiserver.Parts{
		Front:  []apiserver.Part{apiserver.Loop(worker.Run)},
		Behind: []apiserver.Part{server.Run, follow(feed)},
	}, nil
}
