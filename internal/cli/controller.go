// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// leaseName is the Lease of the leader, which the controllers' Role names.
const leaseName = "printmarket-controller"

// controllerOptions holds the flags of `printmarket controller`.
type controllerOptions struct {
	clusterOptions
	webhookSecret, service, metricsAddr, healthAddr, dialReplicas, otlpEndpoint string
	leaderElect                                                                 bool
	diagnostics                                                                 telemetry.Diagnostics
}

func controllerCommand() *cobra.Command {
	var o controllerOptions
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Write the status of custom resources and maintain the gate Secrets",
		Long: `Write the status of custom resources, maintain the gate Secrets, and probe every
replica of the API server for the changes that it has compiled. You can run several
controllers: one leads, the others wait. The gates do not depend on the controller: a
kill switch also takes effect while no controller runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runController(cmd.Context(), o, cmd.ErrOrStderr()) },
	}
	f := cmd.Flags()
	o.register(f)
	f.StringVar(&o.webhookSecret, "webhook-secret", "printmarket-gate-webhooks", "name of the Secret with the signing secrets of webhooks")
	f.StringVar(&o.service, "api-service", "printmarket-api", "Service of the API server, whose endpoints are probed at the port ops")
	f.StringVar(&o.metricsAddr, "metrics-addr", ":8080", "address of /metrics and /loglevel")
	f.StringVar(&o.healthAddr, "health-addr", ":8081", "address of /healthz and /readyz")
	registerTraces(f, &o.otlpEndpoint)
	registerDiagnostics(f, &o.diagnostics)
	f.BoolVar(&o.leaderElect, "leader-elect", true, "lead only while holding the Lease "+leaseName)
	f.StringVar(&o.dialReplicas, "dial-replicas", "", "connect to this address instead of the address of each endpoint, if the cluster network is unreachable")
	return cmd
}
