// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/safehttp"
)

// Dev is the process of `printmarket dev`, with its flags. Scripts rely on them.
type Dev struct {
	apiOptions
	data, resources string
	redis, database string
	workers         int
	allowWebhooks   []string
	allowRemote     bool
}

// AddFlags adds the flags.
func (o *Dev) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", ".printmarket", "data directory")
	f.StringVar(&o.resources, "resources", "", "directory of manifests for the gates (default DATA/resources)")
	o.register(f, "127.0.0.1")
	f.Lookup("files-dir").Usage = "directory of uploaded files (default DATA/uploads)"
	f.BoolVar(&o.allowRemote, "allow-remote", false, "accept listener addresses that other machines can reach; the demo keys and the demo data are open to them")
	f.StringVar(&o.publicAPI, "public-api-url", "", "public origin of the API, used in URIs (default: its listener)")
	f.StringVar(&o.publicRegistry, "public-registry-url", "", "public origin of the registry, used in URIs (default: its listener)")
	f.StringVar(&o.redis, "redis", "", "redis://HOST:PORT/DB instead of the embedded Redis")
	f.StringVar(&o.database, "database", "", "sqlite:PATH of the database (default sqlite:DATA/printmarket.db)")
	f.IntVar(&o.workers, "workers", 2, "number of preflight jobs that run concurrently; 0 runs no worker")
	f.StringSliceVar(&o.allowFetch, "allow-fetch", []string{"127.0.0.1/32"}, "special-purpose address ranges (CIDRs) that fileUrl may use, also over http")
	f.StringSliceVar(&o.allowWebhooks, "allow-webhooks", []string{"127.0.0.1/32"}, "special-purpose address ranges (CIDRs) that webhook URLs may use, also over http")
}

// Run starts everything, announces the addresses, and runs until ctx ends.
func (o *Dev) Run(ctx context.Context, out, logs io.Writer) error {
	if err := o.prepare(); err != nil {
		return err
	}
	ranges, err := parseRanges("allow-fetch", o.allowFetch, o.allowWide)
	if err != nil {
		return err
	}
	receivers, err := parseRanges("allow-webhooks", o.allowWebhooks, o.allowWide)
	if err != nil {
		return err
	}
	p := newProcess(logs)
	defer p.close()
	if err := p.openTracer(ctx, "dev", o.otlpEndpoint); err != nil {
		return err
	}
	a, err := openDevAdapters(ctx, p, o)
	if err != nil {
		return err
	}
	work, err := p.preflights(len(ranges) > 0, a.config.Gates, a.config.Cursors, o.files)
	if err != nil {
		return err
	}
	replica, err := newReplica(p, a.config, &o.apiOptions, work)
	if err != nil {
		return err
	}
	parts := apiParts(replica, a.source)
	parts.Front = append(parts.Front, apiserver.Loop(newDelivery(p, a.config.Gates, receivers, apiserver.DrainTime).Run))
	if o.workers > 0 {
		worker, err := newWorker(p, workOptions{
			slots: o.workers, fetches: defaultFetches, minRate: defaultFetchMinRate,
			drain: apiserver.DrainTime, allow: ranges, tempDir: filepath.Join(o.data, "tmp"), gates: a.config.Gates,
		}, work)
		if err != nil {
			return err
		}
		parts.Front = append(parts.Front, apiserver.Loop(worker.Run))
	}
	return p.run(ctx, parts, "open requests, running jobs and deliveries", apiserver.DrainTime, func(ctx context.Context) error {
		// Wait until the manifests were read, whether they are valid or not.
		for errors.Is(a.source.Healthy(), dirsource.ErrNotLoaded) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5 * time.Millisecond):
			}
		}
		if err := replica.RefreshMasterData(ctx); err != nil {
			return err
		}
		return a.announce(out, o, replica)
	})
}

// prepare checks the flags and makes the directories.
func (o *Dev) prepare() error {
	if err := o.checkAddresses(); err != nil {
		return err
	}
	o.resources = cmp.Or(o.resources, filepath.Join(o.data, "resources"))
	if o.workers < 0 || o.workers > 64 {
		return fmt.Errorf("--workers must be 0 to 64, not %d", o.workers)
	}
	if err := o.files.check(); err != nil {
		return err
	}
	o.files.dir = cmp.Or(o.files.dir, filepath.Join(o.data, "uploads"))
	for _, dir := range []string{o.data, filepath.Join(o.data, "tmp"), filepath.Join(o.data, filesDir), o.files.dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("data directory: %w", err)
		}
	}
	return nil
}

// checkAddresses refuses listeners that other machines can reach, unless the user allows
// them.
func (o *Dev) checkAddresses() error {
	if o.allowRemote {
		return nil
	}
	for _, l := range []struct{ flag, addr string }{
		{"api-addr", o.apiAddr}, {"registry-addr", o.registryAddr}, {"ops-addr", o.opsAddr}, {"dashboard-addr", o.dashboardAddr}, {"mtls-addr", o.mutual.addr},
	} {
		host, _, err := net.SplitHostPort(l.addr)
		if err != nil {
			continue // an empty or invalid address, which the listener reports
		}
		if !safehttp.IsLoopback(host) {
			return fmt.Errorf("--%s: other machines can reach %s: use a loopback address such as 127.0.0.1, or allow it with --allow-remote", l.flag, l.addr)
		}
	}
	return nil
}
