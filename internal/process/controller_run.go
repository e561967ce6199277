// SPDX-License-Identifier: Apache-2.0

//go:build !nocontroller

package process

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Run reconciles until ctx ends.
func (o *Controller) Run(ctx context.Context, logs io.Writer) error {
	p := newProcess(logs, telemetry.Reconciliations)
	defer p.close()
	if err := p.openTracer(ctx, "controller", o.otlpEndpoint); err != nil {
		return err
	}
	if err := p.metrics.RegisterSpans(metrics.Registry); err != nil {
		return fmt.Errorf("register the metric of spans: %w", err)
	}
	diagnostics, err := p.diagnostics(o.diagnostics)
	if err != nil {
		return err
	}
	config, namespace, err := o.Load(p.log)
	if err != nil {
		return err
	}
	// controller-runtime would print lines of its own, unredacted.
	ctrl.SetLogger(logr.FromSlogHandler(p.log.Handler()))
	scheme, err := controllers.Scheme()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(namespace, o.service, o.webhookService, o.preflightService),
		Metrics: server.Options{
			BindAddress: o.metricsAddr, ExtraHandlers: diagnostics.Pages(),
			FilterProvider: func(*rest.Config, *http.Client) (server.Filter, error) {
				return func(_ logr.Logger, next http.Handler) (http.Handler, error) { return diagnostics.Protect(next), nil }, nil
			},
		},
		HealthProbeBindAddress: o.healthAddr,
		LeaderElection:         o.leaderElect, LeaderElectionID: leaseName, LeaderElectionNamespace: namespace,
		// The next leader need not wait until the Lease expires: nothing runs after the
		// manager has stopped.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	var dial func(context.Context, string, string) (net.Conn, error) // nil dials the replicas' own addresses
	if o.dialReplicas != "" {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, net.JoinHostPort(o.dialReplicas, port))
		}
	}
	if err := controllers.Setup(manager, controllers.Options{
		Namespace: namespace, GateSecret: o.gateSecret, WebhookSecret: o.webhookSecret, Service: o.service, WebhookService: o.webhookService,
		PreflightService: o.preflightService,
		Now:              p.now, Dial: dial, Tracer: p.tracer, Prometheus: controllers.Prometheus(o.prometheus),
	}); err != nil {
		return err
	}
	// The library's limit.
	defer context.AfterFunc(ctx, func() { p.logStop("running reconciliations", 30*time.Second) })()
	p.log.Info("starting the controllers", "namespace", namespace, "version", Version)
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("run the controllers: %w", err)
	}
	return nil
}
