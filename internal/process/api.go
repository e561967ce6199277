// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// apiOptions holds the flags that `dev` and `apiserver` share.
type apiOptions struct {
	apiAddr, registryAddr, opsAddr, dashboardAddr string
	publicAPI, publicRegistry                     string
	allowFetch                                    []string
	allowWide                                     bool
	maxStaleness, catalogMaxStaleness             time.Duration
	secondApprover                                bool
	mutual                                        mutualOptions
	connections                                   connectionOptions
	targetWait                                    time.Duration
	otlpEndpoint                                  string
	diagnostics                                   telemetry.Diagnostics
	files                                         filesOptions
}

// register adds the flags, with default addresses on the host.
func (o *apiOptions) register(f *pflag.FlagSet, host string) {
	f.StringVar(&o.apiAddr, "api-addr", host+":8080", "address of the partner API")
	f.StringVar(&o.registryAddr, "registry-addr", host+":8081", "address of the problem type registry")
	f.StringVar(&o.opsAddr, "ops-addr", host+":8082", "address of /livez, /readyz, /metrics, /loglevel and /posture/watermark")
	f.StringVar(&o.dashboardAddr, "dashboard-addr", host+":8083", "address of the dashboard")
	registerStaleness(f, &o.maxStaleness)
	f.DurationVar(&o.targetWait, "preflight-target-wait", 30*time.Second,
		"target time within which every open preflight job starts; sets printmarket_preflight_workers_desired")
	o.files.register(f)
	o.mutual.register(f)
	o.connections.register(f)
	f.DurationVar(&o.catalogMaxStaleness, "catalog-max-staleness", 5*time.Minute, "maximum age of master data; older master data is not used")
	f.BoolVar(&o.secondApprover, "master-data-second-approver", false, "another key approves master data than the one that imported it")
	registerAllowWide(f, &o.allowWide)
	registerTraces(f, &o.otlpEndpoint)
	registerDiagnostics(f, &o.diagnostics)
}

// register adds the flags of uploaded files.
func (o *filesOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "files-dir", "", "directory of uploaded files, which all API servers and preflight workers share; uploads are disabled without it")
	f.DurationVar(&o.lifetime, "files-lifetime", 24*time.Hour, "time after which uploaded and fixed files expire, 1h to 168h")
	f.Int64Var(&o.maxStored, "files-max-stored", 4<<30, "maximum bytes of the uploaded and fixed files of one organization, 268435456 (one file) or more")
	f.StringVar(&o.scan, "scan-command", "", "absolute path of a virus scanner: gets each upload and each fixed file on its standard input, exits with 0 for a clean file and 1 for an infected one")
	f.DurationVar(&o.scanTimeout, "scan-timeout", time.Minute, "time for one scan, 1s to 10m")
}

// check returns an error for a value out of range.
func (o *filesOptions) check() error {
	switch {
	case o.lifetime < time.Hour || o.lifetime > 168*time.Hour:
		return fmt.Errorf("--files-lifetime must be 1h to 168h, not %s", o.lifetime)
	case o.maxStored < safehttp.DefaultMaxBytes:
		return fmt.Errorf("--files-max-stored must be %d or more, not %d", safehttp.DefaultMaxBytes, o.maxStored)
	case o.scan != "" && !filepath.IsAbs(o.scan):
		return fmt.Errorf("--scan-command must be an absolute path, not %q", o.scan)
	case o.scanTimeout < time.Second || o.scanTimeout > 10*time.Minute:
		return fmt.Errorf("--scan-timeout must be 1s to 10m, not %s", o.scanTimeout)
	default:
		return nil
	}
}

func registerStaleness(f *pflag.FlagSet, value *time.Duration) {
	f.DurationVar(value, "gates-max-staleness", posture.DefaultMaxStaleness, "maximum age of the posture; with an older posture every gate is closed")
}

// listen opens the sockets. Other adapters refer to their addresses.
func (o *apiOptions) listen(ctx context.Context) (s apiserver.Sockets, err error) {
	for _, l := range []struct {
		socket *net.Listener
		flag   string
		addr   string
	}{{&s.API, "api-addr", o.apiAddr}, {&s.Registry, "registry-addr", o.registryAddr}, {&s.Ops, "ops-addr", o.opsAddr}, {&s.Dashboard, "dashboard-addr", o.dashboardAddr}} {
		if *l.socket, err = listen(ctx, l.flag, l.addr); err != nil {
			s.Close()
			return apiserver.Sockets{}, err
		}
	}
	if s.Mutual, err = o.mutual.listen(ctx); err != nil {
		s.Close()
		return apiserver.Sockets{}, err
	}
	return s, nil
}

// newReplica makes the API server of a process from its adapters and flags. It uses
// little memory: its live data is small, so collecting garbage sooner is cheap, unless
// GOGC is set. Reading the contracts leaves garbage that an idle server
// would keep for minutes.
func newReplica(p *process, c apiserver.ReplicaConfig, o *apiOptions, work preflights) (_ *apiserver.Replica, err error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	defer debug.FreeOSMemory()
	c.Log, c.Metrics, c.Tracer, c.Now = p.log, p.metrics, p.tracer, p.now
	c.Records, c.Limits, c.Queue, c.Jobs, c.Uploads = p.store, gate.NewRedisLimits(p.redis), work.queue, work.jobs, work.files
	c.Manifests, c.Version = new(dirsource.Proposals), Version
	if c.Name != "" {
		c.Watermarks = watermarks.New(p.redis, p.now)
	}
	c.Ends = signon.NewEnds(p.redis, p.store, p.now)
	c.APIURL, c.RegistryURL, c.OpsURL = urlOf(c.Sockets.API, o.publicAPI), urlOf(c.Sockets.Registry, o.publicRegistry), urlOf(c.Sockets.Ops, "")
	c.CatalogMaxStaleness, c.TargetWait, c.SecondApprover = o.catalogMaxStaleness, o.targetWait, o.secondApprover
	c.CertFile, c.KeyFile, c.MutualInternal = o.mutual.cert, o.mutual.key, o.mutual.internal
	if c.Diagnostics, err = p.diagnostics(o.diagnostics); err != nil {
		return nil, err
	}
	if c.Proxies, err = o.mutual.proxies(); err != nil {
		return nil, err
	}
	if c.Connections, err = o.connections.limits(); err != nil {
		return nil, err
	}
	return apiserver.NewReplica(c)
}

// apiParts returns the parts of an API server and the source of its posture.
func apiParts(replica *apiserver.Replica, feed source) apiserver.Parts {
	p := apiserver.Parts{Front: []apiserver.Part{replica.Serve}, Behind: []apiserver.Part{follow(feed)}}
	for _, run := range replica.Background() {
		p.Behind = append(p.Behind, apiserver.Loop(run))
	}
	return p
}

// follow returns a part that runs a source of posture.
func follow(feed source) apiserver.Part {
	return func(ctx context.Context) error {
		if err := feed.Run(ctx); err != nil {
			return fmt.Errorf("the posture source stopped: %w", err)
		}
		return nil
	}
}
