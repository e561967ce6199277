// SPDX-License-Identifier: Apache-2.0

package process

import (
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// leaseName is the Lease of the leader, which the controllers' Role names.
const leaseName = "printmarket-controller"

// Prometheus is the address of the Prometheus API, with the files that connect to it.
type Prometheus struct{ URL, CAFile, TokenFile string }

// Controller is the process of `printmarket controller`, with its flags.
type Controller struct {
	Cluster
	webhookSecret, service, webhookService, preflightService, metricsAddr, healthAddr, dialReplicas, otlpEndpoint string
	leaderElect                                                                                                   bool
	prometheus                                                                                                    Prometheus
	diagnostics                                                                                                   telemetry.Diagnostics
}

// AddFlags adds the flags.
func (o *Controller) AddFlags(f *pflag.FlagSet) {
	o.addGateFlags(f, apiGate, apiGateUsage)
	f.StringVar(&o.webhookSecret, "webhook-secret", "printmarket-gate-webhooks", "name of the Secret with the signing secrets of webhooks")
	f.StringVar(&o.service, "api-service", "printmarket-api", "Service of the API server, whose endpoints are probed at the port ops")
	f.StringVar(&o.webhookService, "webhook-service", "", "Service of the webhook workers, whose endpoints are probed at the port ops; empty if there are no webhook workers")
	f.StringVar(&o.preflightService, "preflight-service", "", "Service of the preflight workers, whose endpoints are probed at the port ops; empty if there are no preflight workers")
	f.StringVar(&o.metricsAddr, "metrics-addr", ":8080", "address of /metrics and /loglevel")
	f.StringVar(&o.healthAddr, "health-addr", ":8081", "address of /healthz and /readyz")
	f.StringVar(&o.prometheus.URL, "prometheus-url", "", "address of the Prometheus API for the analysis of rollouts, without /api/v1; an analysis has no data without it")
	f.StringVar(&o.prometheus.CAFile, "prometheus-ca-file", "", "file with the certificates that are trusted for --prometheus-url, in PEM format; empty for those of the system")
	f.StringVar(&o.prometheus.TokenFile, "prometheus-token-file", "", "file with a bearer token for --prometheus-url; empty for none")
	registerTraces(f, &o.otlpEndpoint)
	registerDiagnostics(f, &o.diagnostics)
	f.BoolVar(&o.leaderElect, "leader-elect", true, "lead only while holding the Lease "+leaseName)
	f.StringVar(&o.dialReplicas, "dial-replicas", "", "connect to this host instead of the address of each endpoint, if the cluster network is unreachable")
}
