// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutSources returns the rendered objects without the names of the templates.
func withoutSources(stream string) string {
	return regexp.MustCompile(`(?m)^# Source: .*\n`).ReplaceAllString(stream, "")
}

// only is a part of what was rendered: the objects whose kind/name match one of
// the patterns.
func only(t *testing.T, stream string, patterns ...string) string {
	t.Helper()
	var out []string
	for _, d := range documents(t, withoutSources(stream)) {
		if slices.ContainsFunc(patterns, func(p string) bool { return matches(t, p, d.kind+"/"+d.name) }) {
			out = append(out, strings.TrimSpace(string(d.text))+"\n")
		}
	}
	return strings.Join(out, "---\n")
}

func matches(t *testing.T, pattern, name string) bool {
	t.Helper()
	matched, err := path.Match(pattern, name)
	if err != nil {
		t.Fatalf("path.Match %v: %v", name, err)
	}
	return matched
}

// Each switch is compared with the objects that it adds or removes, as files of testdata.
func TestEverySwitchHasItsEffect(t *testing.T) {
	t.Parallel()
	for file, test := range map[string]struct {
		values string
		show   []string
	}{
		"deployments":              {"", []string{"Deployment/*"}},
		"services":                 {"", []string{"Service/*", "ServiceAccount/*"}},
		"network-policies":         {"", []string{"NetworkPolicy/*"}},
		"network-policies-open":    {"networkPolicy: {ingressFrom: [], monitoringFrom: [], dnsTo: [], kubernetesAPI: {to: []}, open: [ingressFrom, monitoringFrom, dnsTo, kubernetesAPI, database, redis]}", []string{"NetworkPolicy/*"}},
		"network-policies-trial":   {trials, []string{"NetworkPolicy/*"}},
		"network-policies-named":   {everythingNamed, []string{"NetworkPolicy/*"}},
		"migration-hook":           {"", []string{"Job/*"}},
		"migration-trial":          {trials, []string{"Job/*"}},
		"autoscaling":              {"api: {autoscaling: {enabled: true, maxReplicas: 40}}", []string{"HorizontalPodAutoscaler/*"}},
		"keda":                     {"worker: {keda: {enabled: true}}", []string{"ScaledObject/*"}},
		"worker-large":             {"worker: {slots: 8, drainSeconds: 90, allowFetch: [10.0.0.0/8], allowWideRanges: true}", []string{"Deployment/*worker*", "NetworkPolicy/*worker*"}},
		"worker-own-limits":        {"worker: {resources: {limits: {memory: 4Gi}}}", []string{"Deployment/*worker*"}},
		"operators":                {"api: {operators: {enabled: true}}", []string{"Deployment/*api", "Service/*operators", "NetworkPolicy/*api"}},
		"operators-from-inside":    {"api: {operators: {enabled: true, from: [{namespaceSelector: {matchLabels: {team: ops}}}], service: {annotations: {a: b}}}}", []string{"Service/*operators", "NetworkPolicy/*api"}},
		"operators-oidc":           {oidc("existingSecret: printmarket-oidc, scopes: [profile, groups], caSecret: company-ca"), []string{"Deployment/*api", "NetworkPolicy/*api"}},
		"operators-oidc-public":    {oidc("groupsClaim: roles"), []string{"Deployment/*api"}},
		"mtls":                     {"api: {mtls: {enabled: true, secretName: api-tls, service: {type: LoadBalancer}}}\nnetworkPolicy: {open: [database, redis, mtls]}", []string{"Deployment/*api", "Service/*", "NetworkPolicy/*api"}},
		"connections":              {"api: {connections: {max: 20000, maxPerAddress: 500, proxies: [10.2.0.0/16, 'fd00::/64']}}", []string{"Deployment/*api"}},
		"mtls-internal":            {"api: {mtls: {enabled: true, secretName: api-tls, internal: true}}", []string{"Deployment/*api"}},
		"mtls-proxies":             {"api: {mtls: {enabled: true, secretName: api-tls, proxies: {addresses: [10.1.0.0/16, 'fd00::/64'], pins: [" + strings.Repeat("a", 64) + "], field: Ssl-Client-Cert}}}", []string{"Deployment/*api"}},
		"ingress":                  {"ingress: {api: {enabled: true, className: nginx, tlsSecret: api-public}, registry: {enabled: true}, dashboard: {enabled: true, host: d.example}}", []string{"Ingress/*"}},
		"ingress-platform":         {"ingress: {platform: {enabled: true, host: ops.example}}", []string{"Ingress/*"}},
		"ingress-mtls":             {"ingress: {mtls: {enabled: true, host: mtls.example, annotations: {pass: through}}}\napi: {mtls: {enabled: true, secretName: api-tls}}", []string{"Ingress/*"}},
		"gateway":                  {"gateway: {parentRefs: [{name: public, namespace: gateways}], api: {enabled: true}, registry: {enabled: true}, dashboard: {enabled: true, host: d.example}}", []string{"HTTPRoute/*"}},
		"monitors":                 {"monitoring: {monitors: {enabled: true, labels: {release: prometheus}}}", []string{"*Monitor/*"}},
		"trial-database":           {"database: {trial: {enabled: true, storage: {className: fast}}}", []string{"StatefulSet/*", "ConfigMap/*", "Service/*trial*"}},
		"trial-redis":              {"redis: {trial: {enabled: true, maxMemory: 512mb, image: {digest: 'sha256:" + strings.Repeat("1", 64) + "'}}}", []string{"StatefulSet/*", "Service/*trial*"}},
		"test":                     {"", []string{"Pod/*"}},
		"test-with-key":            {"tests: {keySecret: printmarket-test-key, fileURL: 'https://files.example/a.pdf'}\nnetworkPolicy: {open: [database, redis, tests]}", []string{"Pod/*", "NetworkPolicy/*test"}},
		"image":                    {"image: {repository: mirror/printmarket, tag: 1.2.3, digest: 'sha256:" + strings.Repeat("0", 64) + "', pullPolicy: Always, pullSecrets: [mirror]}", []string{"Deployment/*controller"}},
		"placement":                {"controller: {pod: {annotations: {a: b}, labels: {team: prepress}, nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], affinity: {podAntiAffinity: {}}, priorityClassName: high}}", []string{"Deployment/*controller"}},
		"secrets-of-ones-own":      {"database: {external: {ownerSecret: printmarket-o, apiSecret: printmarket-a, workerSecret: printmarket-w}, roles: {api: api, worker: worker}}\nredis: {external: {secret: printmarket-r, workerSecret: printmarket-rw}}", []string{"Deployment/*api", "Deployment/*worker*", "Job/*"}},
		"admission-policy":         {"", []string{"ValidatingAdmissionPolicy*/*", "ClusterRole/*"}},
		"people":                   {"rbac: {operations: true}", []string{"Role/*viewer", "Role/*on-call", "Role/*manager", "Role/*operations", "Role/*administrator"}},
		"server-ca":                {"database: {urlKey: uri, ca: {secretName: database-ca}}\nredis: {ca: {configMapName: redis-ca, key: ca-bundle.crt}}\nwebhooks: {enabled: true}", []string{"Deployment/*", "Job/*"}},
		"insecure":                 {"database: {insecure: true}\nredis: {insecure: true}\nwebhooks: {enabled: true}", []string{"Deployment/*", "Job/*"}},
		"files":                    {"files: {existingClaim: uploads, lifetimeHours: 48, maxStoredBytes: 8589934592, scanCommand: /opt/scan, scanTimeoutSeconds: 90}", []string{"Deployment/*api", "Deployment/*worker*"}},
		"webhooks":                 {"webhooks: {enabled: true}", []string{"*/*webhooks", "Job/*"}},
		"webhooks-of-ones-own":     {"webhooks: {enabled: true, replicas: 3, drainSeconds: 60, databaseConnections: 6, gatesMaxStaleness: 10m, allowWebhooks: [10.0.0.0/8], allowWideRanges: true, disruptionBudget: {enabled: false}, pod: {priorityClassName: high}}\ndatabase: {external: {webhooksSecret: printmarket-w}, roles: {webhooks: events}}\nmonitoring: {monitors: {enabled: true}}", []string{"*/*webhooks", "Job/*", "PodMonitor/*webhooks"}},
		"traces":                   {everywhere + "webhooks: {enabled: true}", []string{"Deployment/*", "NetworkPolicy/*api", "NetworkPolicy/*worker*"}},
		"prometheus":               {"controller: {prometheus: {url: 'https://prometheus.monitoring:9090', caFile: /etc/prometheus/ca.crt, tokenFile: /etc/prometheus/token}}\nnetworkPolicy: {prometheus: {to: [{ipBlock: {cidr: 10.5.0.0/24}}]}}", []string{"Deployment/*controller", "NetworkPolicy/*controller"}},
		"budgets":                  {"worker: {disruptionBudget: {maxUnavailable: 25%}}\ncontroller: {disruptionBudget: {enabled: false}}", []string{"PodDisruptionBudget/*"}},
		"nothing-that-can-be-left": {leanest, []string{"NetworkPolicy/*", "PodDisruptionBudget/*", "Job/*", "Pod/*", "Role/*", "CustomResourceDefinition/*"}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			golden(t, file+".yaml", only(t, render(t, platformChart, origins+test.values), test.show...))
		})
	}
}

func TestContractsLinkToTheDashboardOnlyIfItsOriginIsSet(t *testing.T) {
	t.Parallel()
	const flag = "--public-dashboard-url="
	if stream := render(t, platformChart, origins); strings.Contains(stream, flag) {
		t.Errorf("the default values render %s", flag)
	}
	values := strings.Replace(origins, "{", "{dashboard: https://partners.printmarket.example, ", 1)
	if stream := render(t, platformChart, values); !strings.Contains(stream, "- "+flag+"https://partners.printmarket.example\n") {
		t.Errorf("publicURL.dashboard does not render %s", flag)
	}
}

// oidc has an identity provider for operators, with more about it.
func oidc(more string) string {
	return `
api: {operators: {enabled: true, oidc: {issuer: https://id.example.com/realms/staff, clientID: printmarket-operators,
  redirectURL: https://ops.example.com/sign-in/oidc/callback, groups: [print-operators, "CN=On call,OU=Groups"], ` + more + `}}}
networkPolicy: {identityProvider: {to: [{ipBlock: {cidr: 10.4.0.0/24}}], ports: [443, 8443]}}
`
}

const (
	// everywhere has every process that makes spans send them.
	everywhere = `
telemetry: {otlp: {endpoint: "http://collector.observability:4318", headersSecret: printmarket-collector, sampler: parentbased_traceidratio, ratio: 0.01}}
networkPolicy: {collector: {to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: observability}}}]}}
`
	trials  = "database: {trial: {enabled: true}}\nredis: {trial: {enabled: true}}\n"
	leanest = `
crds: {enabled: false}
rbac: {people: false}
admissionPolicy: {enabled: false}
controller: {disruptionBudget: {enabled: false}}
api: {disruptionBudget: {enabled: false}}
worker: {disruptionBudget: {enabled: false}}
migrate: {enabled: false}
networkPolicy: {enabled: false}
tests: {enabled: false}
`
	everythingNamed = `
networkPolicy:
  open: [tests]
  ingressFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]
  monitoringFrom: []
  dnsTo: [{ipBlock: {cidr: 169.254.20.10/32}}]
  kubernetesAPI: {to: [{ipBlock: {cidr: 10.96.0.1/32}}], ports: [443]}
  database: {to: [{ipBlock: {cidr: 10.2.0.0/24}}], ports: [5433]}
  redis: {to: [{ipBlock: {cidr: 10.3.0.0/24}}], ports: [6380]}
tests: {keySecret: printmarket-test-key}
api: {mtls: {enabled: true, secretName: api-tls}}
`
)
