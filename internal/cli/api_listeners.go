// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/posture"
)

// apiOptions are the flags that `dev` and `apiserver` share.
type apiOptions struct {
	apiAddr, registryAddr, opsAddr, dashboardAddr string
	publicAPI, publicRegistry                     string
	allowFetch                                    []string
	maxStaleness                                  time.Duration
	mutual                                        mutualOptions
	masterData                                    masterDataOptions
	targetWait                                    time.Duration
	otlpEndpoint                                  string
}

// register adds the flags. The host is that of the default addresses.
func (o *apiOptions) register(f *pflag.FlagSet, host string) {
	f.StringVar(&o.apiAddr, "api-addr", host+":8080", "address of the partner API")
	f.StringVar(&o.registryAddr, "registry-addr", host+":8081", "address of the problem type registry")
	f.StringVar(&o.opsAddr, "ops-addr", host+":8082", "address of /livez, /readyz, /metrics and /posture/watermark")
	f.StringVar(&o.dashboardAddr, "dashboard-addr", host+":8083", "address of the dashboard")
	registerStaleness(f, &o.maxStaleness)
	f.DurationVar(&o.targetWait, "preflight-target-wait", 30*time.Second,
		"time within which every open preflight job should begin; printmarket_preflight_workers_desired follows from it")
	o.mutual.register(f)
	o.masterData.register(f)
	registerTraces(f, &o.otlpEndpoint)
}

func registerStaleness(f *pflag.FlagSet, value *time.Duration) {
	f.DurationVar(value, "gates-max-staleness", posture.DefaultMaxStaleness, "age of the posture from which on every gate closes")
}

// sockets are the listeners, opened before anything refers to their addresses.
// Those for mutual TLS and for the dashboard of operators are nil if there are none.
type sockets struct{ api, registry, ops, dashboard, mutual, operators net.Listener }

func (o *apiOptions) listen(ctx context.Context) (s sockets, err error) {
	for _, l := range []struct {
		socket *net.Listener
		flag   string
		addr   string
	}{{&s.api, "api-addr", o.apiAddr}, {&s.registry, "registry-addr", o.registryAddr}, {&s.ops, "ops-addr", o.opsAddr}, {&s.dashboard, "dashboard-addr", o.dashboardAddr}} {
		if *l.socket, err = listen(ctx, l.flag, l.addr); err != nil {
			s.close()
			return sockets{}, err
		}
	}
	if s.mutual, err = o.mutual.listen(ctx); err != nil {
		s.close()
		return sockets{}, err
	}
	return s, nil
}

func (s sockets) close() {
	for _, socket := range []net.Listener{s.api, s.registry, s.ops, s.dashboard, s.mutual, s.operators} {
		if socket != nil {
			_ = socket.Close()
		}
	}
}

// apiListeners are that of the API and, if there is one, that for mutual TLS,
// which serves the same.
func (s *api) apiListeners(work preflights) ([]apiserver.Listener, error) {
	served, err := s.served(work)
	if err != nil {
		return nil, err
	}
	handler, err := served.Handler()
	if err != nil {
		return nil, err
	}
	listeners := []apiserver.Listener{{Name: "api", Socket: s.sockets.api, Handler: handler, Problems: s.problems()}}
	if s.sockets.mutual == nil {
		return listeners, nil
	}
	mutual, err := s.mutualListener(served)
	return append(listeners, mutual), err
}

// mutualListener serves an API with mutual TLS, with limits of its own.
func (s *api) mutualListener(served apiserver.API) (l apiserver.Listener, err error) {
	proxies, err := s.options.mutual.proxies.read()
	if err != nil {
		return l, err
	}
	certificate, err := apiserver.NewCertificate(s.options.mutual.cert, s.options.mutual.key, s.log)
	if err != nil {
		return l, err
	}
	mutualMetrics(s.metrics, certificate, s.now)
	served.Listener = "mtls"
	handler, err := served.Handler()
	if err != nil {
		return l, err
	}
	socket := apiserver.Mutual{Certificate: certificate, Proxies: proxies, Log: s.log, Now: s.now}.Listen(s.sockets.mutual)
	return apiserver.Listener{Name: "mtls", Socket: socket, Handler: handler, Problems: s.problems()}, nil
}
