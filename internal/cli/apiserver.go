// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// apiserverOptions are the flags of `printmarket apiserver`.
type apiserverOptions struct {
	apiOptions
	databaseOptions
	clusterOptions
	redis          string
	operatorsAddr  string
	signOn         signOnOptions
	demoMasterData bool
	settle         time.Duration
}

func apiserverCommand() *cobra.Command {
	var o apiserverOptions
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve the partner API, with gates fed from a cluster",
		Long: `Serve the partner API, the registry of problem types, the dashboard and the
operations listener. Posture comes from the custom resources of one namespace,
records are in PostgreSQL, preflight jobs are handed out through Redis. Any
number of replicas may run; none of them is special.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAPIServer(cmd.Context(), o, cmd.ErrOrStderr()) },
	}
	f := cmd.Flags()
	o.apiOptions.register(f, "")
	f.StringVar(&o.publicAPI, "public-api-url", "", "origin of the API in URIs that are handed out (required)")
	f.StringVar(&o.publicRegistry, "public-registry-url", "", "origin of the registry in URIs that are handed out (required)")
	f.StringVar(&o.operatorsAddr, "dashboard-ops-addr", "", "address of a dashboard with the view for operators, which tells of every partner; none by default")
	o.signOn.register(f)
	o.databaseOptions.register(f, 20)
	registerRedis(f, &o.redis)
	o.clusterOptions.register(f)
	f.StringSliceVar(&o.allowFetch, "allow-fetch", nil, "special-purpose address ranges that fileUrl may name, over http too; as for the workers")
	f.BoolVar(&o.demoMasterData, "demo-master-data", false, "put the demo master data into the database, where nothing was ever approved")
	f.DurationVar(&o.settle, "drain-settle", 5*time.Second, "how long readiness fails before the listeners close")
	for _, required := range []string{"public-api-url", "public-registry-url"} {
		_ = cmd.MarkFlagRequired(required) // the flag exists
	}
	return cmd
}

func runAPIServer(ctx context.Context, o apiserverOptions, logs io.Writer) error {
	p := newProcess(logs, telemetry.Requests)
	defer p.close()
	if err := p.openTracer(ctx, "apiserver", o.otlpEndpoint); err != nil {
		return err
	}
	a, err := openCluster(ctx, p, o)
	if err != nil {
		return err
	}
	ranges, err := parseRanges("allow-fetch", o.allowFetch)
	if err != nil {
		return err
	}
	work, err := p.preflights(len(ranges) > 0, sharesOf(a.gates, p.now), a.cursors)
	if err != nil {
		return err
	}
	if err := p.admitRedis(ctx, work.queue); err != nil {
		return err
	}
	server, err := newAPI(p, a, o.apiOptions, work)
	if err != nil {
		return err
	}
	return server.parts().run(ctx, atOnce)
}

// openCluster opens what an API server uses. The cluster and Redis may be away
// while it starts; the database must be there, because a database that would
// lose acknowledged writes is found out before the first of them.
func openCluster(ctx context.Context, p *process, o apiserverOptions) (a apiAdapters, err error) {
	url, err := redisURL(o.redis)
	if err != nil {
		return a, err
	}
	if a.signOn, err = o.signOn.provider(o.operatorsAddr, p.now); err != nil {
		return a, err
	}
	if err := p.openRedis(url); err != nil {
		return a, err
	}
	store, err := o.serve(ctx, p)
	if err != nil {
		return a, err
	}
	if a.sockets, err = o.listen(ctx); err != nil {
		return a, err
	}
	p.onClose(a.sockets.close)
	if o.demoMasterData {
		if err := demo.SeedMasterData(ctx, masterdata.New(masterdata.Config{Store: p.store, Now: p.now, Random: rand.Reader})); err != nil {
			return a, err
		}
	}
	late := &cursor.Late{}
	a.cursors, a.sessions, a.settle = late, &credential.Sessions{}, o.settle
	a.checks = append(a.checks, storeCheck(store), clockCheck(store, p.metrics))
	a.checks = append(a.checks, signOnChecks(a.signOn)...)
	a.gates = posture.NewGates(o.maxStaleness)
	feed, err := o.feed(p, a.gates, late, a.sessions)
	if err != nil {
		return a, err
	}
	a.source, a.compiled = feed, feed.Compiled
	a.checks = append(a.checks, gateSecretCheck(feed.Status))
	gateMetrics(p.metrics, feed.Status, p.now)
	return a, nil
}

// listen opens the listener for operators too, if there is one.
func (o *apiserverOptions) listen(ctx context.Context) (s sockets, err error) {
	if s, err = o.apiOptions.listen(ctx); err != nil || o.operatorsAddr == "" {
		return s, err
	}
	if s.operators, err = listen(ctx, "dashboard-ops-addr", o.operatorsAddr); err != nil {
		s.close()
		return sockets{}, err
	}
	return s, nil
}

// feed makes the source that follows the cluster. List cursors are sealed with
// the key of the gate Secret, which is there before the gates open.
func (o *clusterOptions) feed(p *process, gates *posture.Gates, cursors *cursor.Late, sessions *credential.Sessions) (*kubesource.Source, error) {
	config, namespace, err := o.load(p.log)
	if err != nil {
		return nil, err
	}
	return kubesource.New(kubesource.Config{
		Rest: config, Namespace: namespace, GateSecret: o.gateSecret,
		Gates: gates, Log: p.log, Tracer: p.tracer, Now: p.now,
		OnGateSecret: func(data map[string][]byte) error {
			var key [32]byte
			if copy(key[:], data[posture.GateSecretCursorKey]) != len(key) {
				return errors.New("the gate Secret has no cursor key of 32 bytes")
			}
			return errors.Join(cursors.Use(key), useSessionKeys(sessions, data[posture.GateSecretSessionsKey]))
		},
	})
}

// useSessionKeys takes the keys of sessions. A controller of a former release writes
// none; then there are no sessions, and everything else goes on.
func useSessionKeys(sessions *credential.Sessions, text []byte) error {
	if len(text) == 0 {
		return sessions.Use(nil)
	}
	keys, err := credential.DecodeSessionKeys(text)
	if err != nil {
		return fmt.Errorf("the gate Secret: %w", err)
	}
	return sessions.Use(keys)
}

// atOnce is for processes that have nothing to say when they are ready: their
// readiness probe does.
func atOnce(context.Context) error { return nil }
