// SPDX-License-Identifier: Apache-2.0

// Package process assembles the processes of the platform: the API server, the workers, the
// controller, and dev, which runs all of them in one process. Each process is a type with
// the flags of its command. Only this package opens adapters and passes them to the edges.
package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// Version is set by the linker.
var Version = "devel"

// Settings of the platform that contracts and documentation mention.
const (
	QueueName = "preflight"
	leaseTime = 10 * time.Second
	blockTime = leaseTime / 20
	idleTime  = 10 * time.Minute
	// announceTime limits how long a change waits to be announced.
	announceTime = 200 * time.Millisecond
	// fetchAgent is the user agent that partners' file hosts see, and webhookAgent the
	// one that receivers of events see.
	fetchAgent   = "printmarket-preflight/3"
	webhookAgent = "printmarket-webhooks/1"
)

// records is the store as a whole.
type records interface {
	apiserver.Records
	signon.EndStore
	Ping(context.Context) error
	Close() error
}

// source feeds the gates from a directory or a cluster.
type source interface {
	// Run feeds the gates until ctx ends.
	Run(ctx context.Context) error
	// Healthy returns nil while the objects of the source are in force.
	Healthy() error
}

// process holds what every process of the platform needs.
type process struct {
	log     *slog.Logger
	metrics *telemetry.Metrics
	// level is the level of log.
	level *slog.LevelVar
	// tracer is nil without a collector of traces.
	tracer *telemetry.Tracer
	now    func() time.Time
	store  records
	redis  *redis.Client

	closers []func()
}

// newProcess makes a process for the given kinds of work; for all kinds if none is given.
func newProcess(logs io.Writer, done ...telemetry.Work) *process {
	level := new(slog.LevelVar)
	written, flush := telemetry.NewBufferedLogger(logs, level)
	p := &process{log: written, level: level, metrics: telemetry.NewMetrics(done...), now: time.Now}
	p.onClose(flush) // first, so that it is called last
	// Libraries, such as the clients of net/http, print there what strangers send.
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(p.log.Handler(), slog.LevelWarn).Writer())
	return p
}

// openTracer opens the tracer. It is called first, so the tracer is closed last.
func (p *process) openTracer(ctx context.Context, service, endpoint string) (err error) {
	p.tracer, err = telemetry.OpenTracer(ctx, telemetry.TraceConfig{
		Endpoint: endpoint, Getenv: os.Getenv, Service: "printmarket-" + service, Version: Version, Instance: telemetry.Incarnation(),
		Now: p.now, Log: p.log, Metrics: p.metrics,
	})
	p.onClose(func() { p.tracer.Close(ctx) })
	return err
}

// registerTraces adds the flag of every process that makes spans.
func registerTraces(f *pflag.FlagSet, endpoint *string) {
	f.StringVar(endpoint, "otlp-endpoint", "", "base URL of a trace collector for OTLP over HTTP (default: $OTEL_EXPORTER_OTLP_ENDPOINT)")
}

// diagnostics checks the flags of the diagnostics, and connects them to the log.
func (p *process) diagnostics(d telemetry.Diagnostics) (telemetry.Diagnostics, error) {
	d.Level, d.Log = p.level, p.log
	return d, d.Check()
}

// registerDiagnostics adds the flags of every process with an operations listener.
func registerDiagnostics(f *pflag.FlagSet, d *telemetry.Diagnostics) {
	f.StringVar(&d.TokenFile, "metrics-token-file", "", "file with the bearer token that /metrics, /loglevel and /debug/pprof/ require, read again for each request; without it, /metrics requires none")
	f.BoolVar(&d.Pprof, "pprof", false, "serve profiles of the process at /debug/pprof/")
}

// onClose adds a function that close calls, in the reverse order.
func (p *process) onClose(f func()) { p.closers = append(p.closers, f) }

func (p *process) close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
}

// keepStore sets the store, which close closes.
func (p *process) keepStore(store records) {
	p.store = store
	p.onClose(func() {
		if err := store.Close(); err != nil {
			p.log.Error("close the store", "error", err)
		}
	})
}

// openRedis makes the client, which connects when it is first used: without Redis a
// process starts and serves everything that needs none.
func (p *process) openRedis(address queue.Address) error {
	client, err := queue.Connect(address, p.log)
	if err != nil {
		return fmt.Errorf("--redis is %w", err)
	}
	p.redis = client
	p.onClose(func() { _ = client.Close() })
	return nil
}

// run runs the parts of a server. When ctx ends, it logs what the server waits for, and for how
// long at most.
func (p *process) run(ctx context.Context, parts apiserver.Parts, waitsFor string, limit time.Duration, ready func(context.Context) error) error {
	parts.Front = append(parts.Front, apiserver.Loop(func(running context.Context) {
		if <-running.Done(); ctx.Err() != nil {
			p.logStop(waitsFor, limit)
		}
	}))
	return parts.Run(ctx, ready)
}

func (p *process) logStop(waitsFor string, limit time.Duration) {
	p.log.Info("stopping; a second interrupt (Ctrl-C) stops at once", "waitsFor", waitsFor, "atMost", limit.String())
}

// filesOptions holds the settings of uploaded files.
type filesOptions struct {
	dir         string
	lifetime    time.Duration
	maxStored   int64
	scan        string
	scanTimeout time.Duration
}

// files opens the uploaded files; without a directory, uploads are disabled.
func (p *process) files(o filesOptions) (*preflightjob.Files, error) {
	config := preflightjob.FilesConfig{
		Store: p.store, MaxBytes: safehttp.DefaultMaxBytes, MaxStored: o.maxStored, Lifetime: o.lifetime, Now: p.now, Random: rand.Reader,
	}
	if o.scan != "" {
		config.Scanner = sandbox.Scanner{Command: o.scan, Limit: o.scanTimeout}
	}
	if o.dir != "" {
		directory, err := store.OpenDirectory(o.dir)
		if err != nil {
			return nil, fmt.Errorf("--files-dir: %w", err)
		}
		p.onClose(func() { _ = directory.Close() })
		config.Storage = directory
	}
	return preflightjob.NewFiles(config), nil
}

// preflights holds the queue and the service of preflight jobs. The processes that accept
// jobs and those that run them share this composition.
type preflights struct {
	queue *queue.Queue
	jobs  *preflightjob.Service
	files *preflightjob.Files
}

// preflights makes the queue and the jobs. The gates determine the part of the workers
// that a tenant gets; they are nil in a process without posture. cursors seals the
// positions of lists; nil where nothing is listed.
func (p *process) preflights(allowHTTP bool, gates *posture.Gates, cursors preflightjob.Cursors, uploads filesOptions) (preflights, error) {
	files, err := p.files(uploads)
	if err != nil {
		return preflights{}, err
	}
	options := queue.Options{Lease: leaseTime, Idle: idleTime}
	if gates != nil {
		options.Shares = func(owner tenant.ID) (queue.Share, bool) {
			snapshot := gates.Current(p.now())
			share := snapshot.Workers(owner.Organization)
			return queue.Share{Weight: share.Weight, Most: share.MaxInFlight, Percent: share.Percent(owner.Mode)}, snapshot != nil
		}
	}
	q, err := queue.New(p.redis, QueueName, options)
	if err != nil {
		return preflights{}, err
	}
	p.onClose(q.Close)
	announce := func(ctx context.Context, id string) {
		// Followers find out anyhow, so a Redis that hangs delays nothing.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), announceTime)
		defer cancel()
		if err := q.Announce(ctx, id); err != nil {
			p.log.DebugContext(ctx, "cannot announce a change", "job", id, "error", err)
		}
	}
	return preflights{q, preflightjob.New(preflightjob.Config{
		Store: p.store, Dispatcher: q, Profiles: profile.Names(), AllowHTTP: allowHTTP, SimulatedReport: preflightapi.SimulatedReport,
		Announce: announce, Cursors: cursors, Files: files, Now: p.now, Random: rand.Reader, Logger: p.log,
	}), files}, nil
}

// allowWideFlag is the flag that confirms address ranges.
const allowWideFlag = "allow-wide-ranges"

func registerAllowWide(f *pflag.FlagSet, value *bool) {
	f.BoolVar(value, allowWideFlag, false, "accept address ranges that are link-local, or wider than /16 (IPv4) or /48 (IPv6)")
}

// parseRanges parses the address ranges of a flag. Unless wide is set, it refuses ranges
// that need a confirmation.
func parseRanges(flag string, texts []string, wide bool) ([]netip.Prefix, error) {
	ranges, err := safehttp.ParseRanges(texts, wide)
	var unconfirmed *safehttp.RangeError
	switch {
	case errors.As(err, &unconfirmed):
		return nil, fmt.Errorf("--%s: %w: name another range, or confirm it with --%s", flag, err, allowWideFlag)
	case err != nil:
		return nil, fmt.Errorf("--%s: %w", flag, err)
	default:
		return ranges, nil
	}
}

// listen opens the socket of one flag.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	var config net.ListenConfig
	socket, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return socket, nil
}

// urlOf returns the public origin of a listener, or that of its socket.
func urlOf(socket net.Listener, public string) string {
	if public != "" {
		return public
	}
	return "http://" + socket.Addr().String()
}
