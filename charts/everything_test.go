// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/test/kubetest"
)

// everything enables every switch. everythingExternal enables the switches that the trial
// servers exclude.
const (
	everything = everythingElse + `
database: {trial: {enabled: true, storage: {className: fast}}}
redis: {trial: {enabled: true}}
`
	everythingExternal = everythingElse + `
redis: {external: {workerSecret: printmarket-redis-worker}}
`
	everythingElse = origins + `
image: {tag: 1.2.3, digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000", pullSecrets: [registry]}
controller:
  prometheus: {url: "https://prometheus.monitoring:9090", caFile: /etc/prometheus/ca.crt, tokenFile: /etc/prometheus/token}
  pod: {annotations: {a: b}, labels: {team: prepress}, priorityClassName: system-cluster-critical}
api:
  autoscaling: {enabled: true}
  databaseConnections: 30
  gatesMaxStaleness: 30m
  catalogMaxStaleness: 10m
  connections: {max: 20000, maxPerAddress: 500, proxies: [10.2.0.0/16]}
  preflightTargetWait: 1m
  masterDataSecondApprover: true
  demoMasterData: true
  service: {annotations: {a: b}}
  operators:
    enabled: true
    from: [{namespaceSelector: {matchLabels: {team: ops}}}]
    service: {annotations: {a: b}}
    oidc:
      issuer: https://id.example.com/realms/staff
      clientID: printmarket-operators
      existingSecret: printmarket-oidc
      redirectURL: https://ops.example.com/sign-in/oidc/callback
      groups: [print-operators, "CN=On call,OU=Groups"]
      caSecret: company-ca
  mtls:
    enabled: true
    secretName: api-tls
    service: {type: LoadBalancer, annotations: {a: b}}
    proxies: {addresses: [10.1.0.0/16], pins: ["0000000000000000000000000000000000000000000000000000000000000000"], field: Ssl-Client-Cert}
  pod: {nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], affinity: {podAntiAffinity: {}}}
worker:
  slots: 3
  databaseConnections: 2
  allowFetch: [10.1.0.0/16]
  keda: {enabled: true}
webhooks: {enabled: true, allowWebhooks: [10.1.0.0/16], gatesMaxStaleness: 30m}
ingress:
  api: {enabled: true, className: nginx, tlsSecret: api-public, annotations: {a: b}}
  registry: {enabled: true}
  dashboard: {enabled: true, host: dashboard.printmarket.example}
  platform: {enabled: true, host: platform.printmarket.example}
  mtls: {enabled: true, host: mtls.printmarket.example}
gateway:
  parentRefs: [{name: public, namespace: gateways}]
  annotations: {a: b}
  api: {enabled: true}
  registry: {enabled: true}
  dashboard: {enabled: true, host: dashboard.printmarket.example}
backup: {enabled: true, existingClaim: backups, command: [/bin/upload], uploadTo: [{ipBlock: {cidr: 10.9.0.0/24}}]}
diagnostics: {tokenSecret: printmarket-metrics, pprof: true}
files: {existingClaim: uploads, lifetimeHours: 48, maxStoredBytes: 8589934592, scanCommand: /opt/scan, scanTimeoutSeconds: 90}
networkPolicy:
  open: [mtls, tests]
  kubernetesAPI: {to: [{ipBlock: {cidr: 10.96.0.1/32}}]}
  database: {to: [{ipBlock: {cidr: 10.2.0.0/24}}]}
  redis: {to: [{namespaceSelector: {matchLabels: {name: redis}}, podSelector: {}}]}
  collector: {to: [{namespaceSelector: {matchLabels: {name: observability}}}], ports: [4317, 4318]}
  identityProvider: {to: [{ipBlock: {cidr: 10.4.0.0/24}}]}
  prometheus: {to: [{namespaceSelector: {matchLabels: {name: monitoring}}}]}
telemetry: {otlp: {endpoint: "http://collector.observability:4318", headersSecret: printmarket-collector, ratio: 0.5}}
rbac: {operations: true, serviceAccountAnnotations: {a: b}}
monitoring:
  monitors: {enabled: true, labels: {release: prometheus}}
  rules: {enabled: true, labels: {release: prometheus}, runbookURL: "https://runbooks.example/printmarket/"}
  dashboard: {enabled: true, annotations: {grafana_folder: printmarket}}
tests: {keySecret: printmarket-test-key, fileURL: "https://files.printmarket.example/one.pdf"}
`
)

// shapes are the values that tests of the whole go through.
func shapes() map[string]string {
	return map[string]string{"the defaults": origins, "everything, with trial servers": everything, "everything, with servers elsewhere": everythingExternal}
}

// unknownThere are the kinds that a bare cluster does not have.
var unknownThere = []string{"ScaledObject", "ServiceMonitor", "PodMonitor", "PrometheusRule", "HTTPRoute"}

func TestKubeAPIServerAcceptsEverythingAsRestricted(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	for name, values := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := restricted(t)
			var known, pods []string
			for _, d := range documents(t, renderIn(t, namespace, values)) {
				if !slices.Contains(unknownThere, d.kind) {
					known = append(known, string(d.text))
				}
			}
			for name, pod := range templates(t, renderIn(t, namespace, values)) {
				pods = append(pods, podOf(t, name, pod))
			}
			kubectl(t, namespace, known, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "--warnings-as-errors", "--filename=-")
			kubectl(t, namespace, pods, "create", "--dry-run=server", "--warnings-as-errors", "--filename=-")
		})
	}
}

// podOf returns the pod that a controller would create from a template. Service accounts and
// classes are removed, because they do not exist in the test cluster.
func podOf(t *testing.T, name string, template corev1.PodTemplateSpec) string {
	t.Helper()
	template.Spec.ServiceAccountName, template.Spec.PriorityClassName = "", ""
	template.Spec.Volumes = slices.Clone(template.Spec.Volumes)
	for _, mount := range template.Spec.Containers[0].VolumeMounts {
		if !slices.ContainsFunc(template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }) {
			template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: mount.Name}) // a claim's
		}
	}
	pod := corev1.Pod{Spec: template.Spec}
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.Name = strings.ToLower(strings.ReplaceAll(name, "/", "-"))
	text, err := yaml.Marshal(pod)
	if err != nil {
		t.Fatalf("yaml.Marshal: %v", err)
	}
	return string(text)
}

// restricted is a namespace that refuses pods that are not, and warns of what
// would make some.
func restricted(t *testing.T) string {
	t.Helper()
	namespace := plane.Namespace(t)
	kubectl(t, namespace, nil, "label", "namespace", namespace,
		"pod-security.kubernetes.io/enforce=restricted", "pod-security.kubernetes.io/warn=restricted")
	return namespace
}

func kubectl(t *testing.T, namespace string, manifests []string, arguments ...string) string {
	t.Helper()
	return kubectlOf(t, plane, namespace, manifests, arguments...)
}

// kubectlOf runs kubectl as the administrator of a plane.
func kubectlOf(t *testing.T, p *kubetest.Plane, namespace string, manifests []string, arguments ...string) string {
	t.Helper()
	arguments = append([]string{"--kubeconfig=" + p.Admin().Kubeconfig(), "--namespace=" + namespace, "--cache-dir=" + t.TempDir()}, arguments...)
	command := exec.CommandContext(t.Context(), filepath.Join(string(p.Assets()), "kubectl"), arguments...)
	command.Stdin = strings.NewReader(strings.Join(manifests, "\n---\n"))
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), err, stderr.String())
	}
	return stdout.String()
}

func renderIn(t *testing.T, namespace, values string) string {
	t.Helper()
	out := helm(t, "template", "market", platformChart, "--namespace="+namespace, "--values="+valuesFile(t, values))
	if out.err != nil {
		t.Fatalf("helm template: %s", out.stderr)
	}
	return out.stdout
}

func TestEveryCommandOfAPodExists(t *testing.T) {
	t.Parallel()
	for name, values := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, pod := range templates(t, render(t, platformChart, values)) {
				container := pod.Spec.Containers[0]
				if !strings.HasPrefix(container.Image, "printmarket:") {
					continue // a trial server
				}
				var stderr bytes.Buffer
				// With --help the flags are read, and nothing is done.
				if code := cli.Main(t.Context(), append(slices.Clone(container.Args), "--help"), &bytes.Buffer{}, &stderr); code != 0 || len(container.Command) > 0 {
					t.Errorf("%s: command %q, arguments %q: exit %d: %s", name, container.Command, container.Args, code, stderr.String())
				}
				for _, argument := range container.Args[1:] {
					if !strings.HasPrefix(argument, "--") {
						t.Errorf("%s: %q is no flag", name, argument)
					}
				}
			}
		})
	}
}
