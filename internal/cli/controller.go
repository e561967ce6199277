// SPDX-License-Identifier: Apache-2.0

package cli

import "github.com/spf13/cobra"

// leaseName is the Lease of the leader, which the controllers' Role names.
const leaseName = "printmarket-controller"

// controllerOptions holds the flags of `printmarket controller`.
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
