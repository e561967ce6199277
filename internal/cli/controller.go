// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// leaseName is the Lease of the leader, which the controllers' Role names.
const leaseName = "printmarket-controller"

// controllerOptions are the flags of `printmarket controller`.
type controllerOptions struct {
	clusterOptions
	webhookSecret, service, metricsAddr, healthAddr, dialReplicas, otlpEndpoint string
	leaderElect                                                                 bool
}

func controllerCommand() *cobra.Command {
	var o controllerOptions
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Write the status of custom resources and keep the gate Secrets",
		Long: `Write the status of custom resources, keep the gate Secrets, and ask every replica
of the API server whether it has compiled a change. One of the running
controllers leads, the others wait. The gates do not depend on it: a kill switch
acts when it is away.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runController(cmd.Context(), o, cmd.ErrOrStderr()) },
	}
	f := cmd.Flags()
	o.register(f)
	f.StringVar(&o.webhookSecret, "webhook-secret", "printmarket-gate-webhooks", "Secret with what signs webhooks")
	f.StringVar(&o.service, "api-service", "printmarket-api", "Service of the API server, whose endpoints are asked at the port ops")
	f.StringVar(&o.metricsAddr, "metrics-addr", ":8080", "address of /metrics")
	f.StringVar(&o.healthAddr, "health-addr", ":8081", "address of /healthz and /readyz")
	registerTraces(f, &o.otlpEndpoint)
	f.BoolVar(&o.leaderElect, "leader-elect", true, "lead only while holding the Lease "+leaseName)
	f.StringVar(&o.dialReplicas, "dial-replicas", "", "dial this address in place of each endpoint's own, where the cluster's network cannot be reached")
	return cmd
}

func runController(ctx context.Context, o controllerOptions, logs io.Writer) error {
	p := newProcess(logs, telemetry.Reconciliations)
	defer p.close()
	if err := p.openTracer(ctx, "controller", o.otlpEndpoint); err != nil {
		return err
	}
	if err := p.metrics.RegisterSpans(metrics.Registry); err != nil {
		return fmt.Errorf("register the metric of spans: %w", err)
	}
	config, namespace, err := o.load(p.log)
	if err != nil {
		return err
	}
	options, err := o.managerOptions(namespace)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	if err := controllers.Setup(manager, controllers.Options{
		Namespace: namespace, GateSecret: o.gateSecret, WebhookSecret: o.webhookSecret, Service: o.service, Now: p.now, Dial: o.dial(),
		Tracer: p.tracer,
	}); err != nil {
		return err
	}
	p.log.Info("controllers start", "namespace", namespace, "version", Version)
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("run the controllers: %w", err)
	}
	return nil
}

func (o *controllerOptions) managerOptions(namespace string) (ctrl.Options, error) {
	scheme, err := controllers.Scheme()
	if err != nil {
		return ctrl.Options{}, err
	}
	return ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(namespace, o.service),
		Metrics: server.Options{BindAddress: o.metricsAddr}, HealthProbeBindAddress: o.healthAddr,
		LeaderElection: o.leaderElect, LeaderElectionID: leaseName, LeaderElectionNamespace: namespace,
		// The next leader need not wait for the Lease to run out: nothing runs
		// after the manager has stopped.
		LeaderElectionReleaseOnCancel: true,
	}, nil
}

// dial is how replicas are reached; nil for their own addresses.
func (o *controllerOptions) dial() func(context.Context, string, string) (net.Conn, error) {
	if o.dialReplicas == "" {
		return nil
	}
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, o.dialReplicas)
	}
}
