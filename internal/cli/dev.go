// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// devOptions are the flags of `printmarket dev`. Scripts rely on them.
type devOptions struct {
	data, resources                               string
	apiAddr, registryAddr, opsAddr, dashboardAddr string
	publicAPI, publicRegistry                     string
	redis, database                               string
	workers                                       int
	allowFetch                                    []string
	maxStaleness                                  time.Duration
}

func devCommand() *cobra.Command {
	var o devOptions
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run the whole platform in one process, with nothing else installed",
		Long: `Run the whole platform in one process: API, registry, operations and dashboard
listeners, gates fed from a directory of manifests, a SQLite store, an embedded
Redis and preflight workers. On the first start the data directory is filled
with demo partners and their keys; a restart keeps everything.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDev(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", ".printmarket", "data directory")
	f.StringVar(&o.resources, "resources", "", "directory of manifests that feed the gates (default DATA/resources)")
	f.StringVar(&o.apiAddr, "api-addr", "127.0.0.1:8080", "address of the partner API")
	f.StringVar(&o.registryAddr, "registry-addr", "127.0.0.1:8081", "address of the problem type registry")
	f.StringVar(&o.opsAddr, "ops-addr", "127.0.0.1:8082", "address of /livez, /readyz, /metrics and /posture/watermark")
	f.StringVar(&o.dashboardAddr, "dashboard-addr", "127.0.0.1:8083", "address of the dashboard")
	f.StringVar(&o.publicAPI, "public-api-url", "", "origin of the API in URIs that are handed out (default: its listener)")
	f.StringVar(&o.publicRegistry, "public-registry-url", "", "origin of the registry in URIs that are handed out (default: its listener)")
	f.StringVar(&o.redis, "redis", "", "redis://HOST:PORT/DB instead of the embedded Redis")
	f.StringVar(&o.database, "database", "", "sqlite:PATH of the database (default sqlite:DATA/printmarket.db)")
	f.IntVar(&o.workers, "workers", 2, "preflight jobs that run at once; 0 runs no worker")
	f.StringSliceVar(&o.allowFetch, "allow-fetch", []string{"127.0.0.1/32"}, "special-purpose address ranges that fileUrl may name, over http too")
	f.DurationVar(&o.maxStaleness, "gates-max-staleness", time.Hour, "age of the posture from which on every gate closes")
	return cmd
}

// runDev starts everything, says where it is, and runs until ctx ends.
func runDev(ctx context.Context, o devOptions, out, logs io.Writer) error {
	if err := o.prepare(); err != nil {
		return err
	}
	adapters, err := openDevAdapters(ctx, o, logs)
	if err != nil {
		return err
	}
	defer adapters.close()
	p, err := newPlatform(o, adapters)
	if err != nil {
		return err
	}
	return p.run(ctx, func() error { return p.announce(out) })
}

// prepare checks the flags and makes the directories.
func (o *devOptions) prepare() error {
	if o.resources == "" {
		o.resources = filepath.Join(o.data, "resources")
	}
	if o.workers < 0 || o.workers > 64 {
		return fmt.Errorf("--workers is 0 to 64, not %d", o.workers)
	}
	for _, dir := range []string{o.data, filepath.Join(o.data, "tmp"), filepath.Join(o.data, filesDir)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("data directory: %w", err)
		}
	}
	return nil
}

func (o *devOptions) fetchRanges() ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for _, text := range o.allowFetch {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--allow-fetch: %w", err)
		}
		ranges = append(ranges, prefix)
	}
	return ranges, nil
}

// sockets are the four listeners, opened before anything refers to their
// addresses.
type sockets struct{ api, registry, ops, dashboard net.Listener }

func (o *devOptions) listen(ctx context.Context) (s sockets, err error) {
	var config net.ListenConfig
	for _, l := range []struct {
		socket *net.Listener
		flag   string
		addr   string
	}{{&s.api, "api-addr", o.apiAddr}, {&s.registry, "registry-addr", o.registryAddr}, {&s.ops, "ops-addr", o.opsAddr}, {&s.dashboard, "dashboard-addr", o.dashboardAddr}} {
		if *l.socket, err = config.Listen(ctx, "tcp", l.addr); err != nil {
			s.close()
			return sockets{}, fmt.Errorf("--%s: %w", l.flag, err)
		}
	}
	return s, nil
}

func (s sockets) close() {
	for _, socket := range []net.Listener{s.api, s.registry, s.ops, s.dashboard} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}

// urlOf is the origin of a listener, or the public one where that is set.
func urlOf(socket net.Listener, public string) string {
	if public != "" {
		return public
	}
	return "http://" + socket.Addr().String()
}

// redisLog sends the client library's own lines to our log.
type redisLog struct{ log *slog.Logger }

func (l redisLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "redis client", "text", fmt.Sprintf(format, args...))
}
