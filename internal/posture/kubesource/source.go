// SPDX-License-Identifier: Apache-2.0

// Package kubesource feeds posture gates from a cluster: it follows the three
// custom resources of one namespace and one Secret, the gate Secret, with which
// the controller hands over the shared secrets: those for senders, or in another
// Secret those for webhooks.
//
// Each change is compiled and in force within milliseconds; nothing here asks
// the controller. While the cluster is away the last snapshot stays, and ages:
// it stays young only by live reads that find the cluster as it was compiled
// (see prove.go), because a watch that is dead looks like one without events.
//
// The rights that it needs are config/rbac/gates_role.yaml or webhooks_role.yaml,
// and no others.
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

// Config is what a source needs; what has no default is required.
type Config struct {
	// Rest says how to reach the cluster. A custom Transport is not used.
	Rest *rest.Config
	// Namespace holds the custom resources and the gate Secret.
	Namespace string
	// GateSecret is the name of the gate Secret.
	GateSecret string
	// Purpose is what the bundle in it is for; posture.ForSenders by default. A
	// bundle for anything else is refused.
	Purpose posture.Purpose
	// Gates are fed.
	Gates *posture.Gates
	// Log is told about revisions and faults, never about values; nothing by
	// default.
	Log *slog.Logger
	// Tracer makes spans of live reads; it may be nil.
	Tracer *telemetry.Tracer
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Confirm is how often the cluster is read live; 15 seconds by default.
	Confirm time.Duration
	// Coalesce is the least time between two compilations; 5 ms by default.
	Coalesce time.Duration
	// OnGateSecret is given the data of each gate Secret before it counts, one
	// call at a time, and may refuse it. It must not change the data; its
	// errors must not hold them.
	OnGateSecret func(data map[string][]byte) error
}

// Source follows a cluster. Make one with [New]; it does nothing before Run.
type Source struct {
	config Config
	kinds  [kindCount]kind
	// cluster is the state that is compiled.
	cluster *clusterState
	// prove asks for a live read, restart for new connections.
	prove, restart chan struct{}

	// Only the goroutine that compiles uses these: the latest inputs, and
	// whether they were compiled.
	inputs   posture.Inputs
	compiled bool

	mu sync.Mutex
	state
}

// state is guarded by the source's mu.
type state struct {
	// snapshot is compiled from the objects in views, and in force when
	// published is set.
	snapshot  *posture.Snapshot
	views     [kindCount]view
	viewed    bool
	published bool
	// gate is the gate Secret that counts, and gateFault why the present one
	// does not.
	gate      gate
	gateFault error
	// heartbeat is the last one that was seen in a gate Secret.
	heartbeat time.Time
	// proven is when the last live read began that found the cluster as it was
	// compiled; proof is why those after it did not.
	proven time.Time
	proof  trouble
	// connect is what keeps connections from being made, and follow what ends
	// the lists and watches of each kind before their time.
	connect trouble
	follow  [kindCount]trouble

	compilations, restarts uint64
	publishedAt            time.Time
}

// New makes a source. It does not reach for the cluster.
func New(config Config) (*Source, error) {
	if config.Rest == nil || config.Gates == nil || config.Namespace == "" || config.GateSecret == "" {
		return nil, errors.New("kubesource needs a cluster, gates, a namespace and the name of the gate Secret")
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
	// The source bounds its requests by itself; a watch has no time limit.
	config.Rest.QPS, config.Rest.RateLimiter, config.Rest.Timeout = -1, nil, 0
	config.Rest.WarningHandler = rest.NoWarnings{}
	s := &Source{
		config: config,
		kinds:  kindTable(config.GateSecret),
		prove:  make(chan struct{}, 1), restart: make(chan struct{}, 1),
	}
	// A list after an outage shows that the way to the cluster is good again: the
	// best time to prove that everything else is, too.
	s.cluster = newClusterState(s.prove)
	return s, nil
}

// Run follows the cluster until the context ends, which is not an error. A
// cluster that is away is none either: it is waited for. Run may be called
// once.
func (s *Source) Run(ctx context.Context) error {
	// Wrong credentials are found out at once, not in each round.
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

// followAll follows the four kinds on a connection of their own, until the
// context ends or the connection is found dead.
func (s *Source) followAll(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := newConnection(s.config.Rest)
	var resources [kindCount]*resource
	for i := range s.kinds {
		if err == nil {
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
		noted := func(ctx context.Context, err error) { s.noteFollow(ctx, &s.follow[i], err) }
		f := &follower{resource: r, state: &s.cluster.kinds[i], noted: noted}
		group.Go(func() { f.run(ctx) })
	}
	select {
	case <-ctx.Done():
	case <-s.restart:
	}
}

// noteFollow takes what keeps a part of the cluster from being followed, or nil
// when it is followed.
func (s *Source) noteFollow(ctx context.Context, t *trouble, fault error) {
	s.mu.Lock()
	former := t.fault
	news, over := t.take(fault, s.config.Now())
	s.mu.Unlock()
	switch {
	case news:
		s.config.Log.WarnContext(ctx, "follow the cluster; the last good posture stays", "error", fault.Error())
	case over:
		s.config.Log.InfoContext(ctx, "the cluster is followed again", "after", former.Error())
	}
}

// signal leaves a value in a channel of capacity one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
