// SPDX-License-Identifier: Apache-2.0

// Package kubesource publishes snapshots of a cluster to posture gates. It follows the
// custom resources of one namespace and a gate Secret. In gate Secrets the
// controller publishes the shared secrets of senders and of webhooks, each kind in its
// own Secret.
//
// Each change is compiled and put in force within milliseconds, without a request to
// the controller. While the cluster is unavailable, the last snapshot stays in force
// and ages. Only live reads that find the cluster in the compiled state keep it fresh
// (see prove.go), because a dead watch looks like a watch without events.
//
// The source requires the rights of config/rbac/gates_role.yaml, webhooks_role.yaml or
// worker_role.yaml, and no others.
package kubesource

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	defaultConfirm  = 15 * time.Second
	defaultCoalesce = 5 * time.Millisecond
)

// Config configures a source. Fields without a default are required.
type Config struct {
	// Rest configures the connection to the cluster. A custom Transport is not used.
	Rest *rest.Config
	// Namespace holds the custom resources and the gate Secret.
	Namespace string
	// GateSecret is the name of the gate Secret. It is required unless ProfilesOnly is set.
	GateSecret string
	// ProfilesOnly makes the source read PreflightProfiles and nothing else. Its snapshots open
	// nothing; they have the profiles for preflight workers.
	ProfilesOnly bool
	// Purpose is the required purpose of the bundle in the gate Secret;
	// posture.ForSenders by default. The source rejects a bundle for another purpose.
	Purpose posture.Purpose
	// Gates receives the snapshots.
	Gates *posture.Gates
	// Log receives revisions and faults, never values; it is discarded by default.
	Log *slog.Logger
	// Tracer creates spans of live reads; it may be nil.
	Tracer *telemetry.Tracer
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Confirm is the interval between live reads; 15 seconds by default.
	Confirm time.Duration
	// Coalesce is the minimum time between two compilations; 5 ms by default.
	Coalesce time.Duration
	// OnGateSecret receives the data of each gate Secret before it is accepted, one
	// call at a time, and may reject it. It must not change the data, and its errors
	// must not contain them.
	OnGateSecret func(data map[string][]byte) error
}

// Source follows a cluster. Create it with [New]; it does nothing before Run.
type Source struct {
	config Config
	kinds  [kindCount]kind
	// cluster is the state to compile.
	cluster *clusterState
	// prove requests a live read, restart requests new connections.
	prove, restart chan struct{}

	// The goroutine that compiles is the only user of the compiler, the latest inputs and
	// the flag whether they were compiled.
	compiler posture.Compiler
	inputs   posture.Objects
	compiled bool

	mu sync.Mutex
	state
}

// state is guarded by the source's mu.
type state struct {
	// snapshot is compiled from the objects in views. It is in force if published is
	// true.
	snapshot  *posture.Snapshot
	views     [kindCount]view
	viewed    bool
	published bool
	// gate is the accepted gate Secret. gateFault is why the current one is rejected.
	gate      gate
	gateFault error
	// heartbeat is the last heartbeat in a gate Secret.
	heartbeat time.Time
	// proven is the start of the last live read that found the cluster in the compiled
	// state. proof is the fault of later reads.
	proven time.Time
	proof  faultTracker
	// connect is the fault of connection attempts. follow holds the faults of the lists
	// and watches of each kind.
	connect faultTracker
	follow  [kindCount]faultTracker

	compilations, restarts uint64
	publishedAt            time.Time
}

// New returns a source. It does not contact the cluster.
func New(config Config) (*Source, error) {
	if config.Rest == nil || config.Gates == nil || config.Namespace == "" || (config.GateSecret == "") != config.ProfilesOnly {
		return nil, errors.New("kubesource needs a cluster, gates, a namespace and, unless it reads profiles only, the name of the gate Secret")
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Confirm <= 0 {
		config.Confirm = defaultConfirm
	}
	if config.Coalesce <= 0 {
		config.Coalesce = defaultCoalesce
	}
	if config.OnGateSecret == nil {
		config.OnGateSecret = func(map[string][]byte) error { return nil }
	}
	config.Rest = rest.CopyConfig(config.Rest)
	// The source limits its requests itself; a watch has no time limit.
	config.Rest.QPS, config.Rest.RateLimiter, config.Rest.Timeout = -1, nil, 0
	config.Rest.WarningHandler = rest.NoWarnings{}
	s := &Source{
		config: config,
		kinds:  kindTable(&config),
		prove:  make(chan struct{}, 1), restart: make(chan struct{}, 1),
	}
	// A list after an outage shows that the cluster is reachable again, so the
	// source proves the state of all kinds then.
	s.cluster = newClusterState(s.kinds, s.prove)
	return s, nil
}

// Run follows the cluster until the context ends, which is not an error. If the cluster
// is unavailable, Run waits for it. Run may be called once.
func (s *Source) Run(ctx context.Context) error {
	// Detect invalid credentials once, not in each round.
	probe, err := newConnection(s.config.Rest)
	if err != nil {
		return err
	}
	probe.close()

	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() { s.enforceAll(ctx) })
	group.Go(func() { s.proveAll(ctx) })
	for ctx.Err() == nil {
		s.followAll(ctx)
	}
	return nil
}

// followAll follows the kinds on a separate connection, until the context ends or
// the connection is found dead.
func (s *Source) followAll(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := newConnection(s.config.Rest)
	var resources [kindCount]*resource
	for i := range s.kinds {
		if err == nil && !s.kinds[i].unread {
			resources[i], err = conn.resource(&s.kinds[i], s.config.Namespace)
		}
	}
	s.noteFollow(ctx, &s.connect, err)
	if err != nil {
		sleep(ctx, time.Second)
		return
	}
	defer conn.close()
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for i, r := range resources {
		if r == nil {
			continue
		}
		noted := func(ctx context.Context, err error) { s.noteFollow(ctx, &s.follow[i], err) }
		f := &follower{resource: r, state: &s.cluster.kinds[i], noted: noted}
		group.Go(func() { f.run(ctx) })
	}
	select {
	case <-ctx.Done():
	case <-s.restart:
	}
}

// noteFollow records the error that interrupts following a part of the cluster, or nil
// when it is followed.
func (s *Source) noteFollow(ctx context.Context, t *faultTracker, fault error) {
	s.mu.Lock()
	former := t.fault
	news, over := t.take(fault, s.config.Now())
	s.mu.Unlock()
	switch {
	case news:
		s.config.Log.WarnContext(ctx, "cannot watch the cluster; the last valid posture stays in force", "error", fault.Error())
	case over:
		s.config.Log.InfoContext(ctx, "watching the cluster again", "after", former.Error())
	}
}

// signal leaves a value in a channel of capacity one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
