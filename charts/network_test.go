// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// paths returns the paths of a contract.
func paths(t *testing.T, file string) []string {
	t.Helper()
	var contract struct {
		Paths map[string]any `json:"paths"`
	}
	if err := yaml.Unmarshal([]byte(source(t, file)), &contract); err != nil || len(contract.Paths) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	var out []string
	for path := range contract.Paths {
		out = append(out, path)
	}
	return out
}

// route is a path of an Ingress or of an HTTPRoute.
type route struct {
	path  string
	exact bool
}

// leads reports whether a request for the path gets through. Prefixes are of whole
// segments.
func (r route) leads(path string) bool {
	return path == r.path || !r.exact && strings.HasPrefix(path, strings.TrimSuffix(r.path, "/")+"/")
}

// publicRoutes returns the paths of everything that routes requests of partners to the
// API, by kind and name.
func publicRoutes(t *testing.T, stream string) map[string][]route {
	t.Helper()
	out := map[string][]route{}
	for _, name := range []string{"printmarket-api", "printmarket-mtls"} {
		for _, path := range strict[networkingv1.Ingress](t, one(t, stream, "Ingress", name).text).Spec.Rules[0].HTTP.Paths {
			out["Ingress/"+name] = append(out["Ingress/"+name], route{path.Path, *path.PathType == networkingv1.PathTypeExact})
		}
	}
	for _, rule := range strict[httpRoute](t, one(t, stream, "HTTPRoute", "printmarket-api").text).Spec.Rules {
		for _, match := range rule.Matches {
			out["HTTPRoute/printmarket-api"] = append(out["HTTPRoute/printmarket-api"], route{match.Path.Value, match.Path.Type == "Exact"})
		}
	}
	return out
}

func TestPartnersReachTheirRoutesAndNeitherThePlatformsNorTheBridges(t *testing.T) {
	t.Parallel()
	open := []string{"/docs/api/openapi.yaml", "/shared/token", "/.well-known/api-catalog", "/api/v1/estimate", "/api/v1/orders", "/api/v1/orders/batch", "/api/v1/rfq/a/quotes/b/accept"}
	contracts, err := filepath.Glob("../docs/api/*openapi.yaml")
	if err != nil || len(contracts) != 4 {
		t.Fatalf("contracts: %v, %v; want 4", contracts, err)
	}
	for _, contract := range contracts {
		if filepath.Base(contract) == "registry-openapi.yaml" {
			continue // the registry has a listener of its own
		}
		open = append(open, paths(t, strings.TrimPrefix(contract, "../"))...)
	}
	open = append(open, paths(t, "docs/internal/webhooks-openapi.yaml")...)
	closed := slices.Concat(paths(t, "docs/internal/platform-openapi.yaml"), paths(t, "docs/internal/bridge-openapi.yaml"),
		[]string{"/", "/metrics", "/readyz", "/posture/watermark", "/api", "/api/v1", "/api/v1/platform", "/api/v1/platforms"})
	for name, routes := range publicRoutes(t, render(t, platformChart, everything)) {
		leads := func(path string) bool {
			return slices.ContainsFunc(routes, func(r route) bool { return r.leads(path) })
		}
		for _, path := range open {
			if !leads(path) {
				t.Errorf("%s: %s is not routed", name, path)
			}
		}
		for _, path := range closed {
			if leads(path) {
				t.Errorf("%s: %s is routed", name, path)
			}
		}
		for _, r := range routes {
			if !slices.ContainsFunc(open, r.leads) {
				t.Errorf("%s: nothing is behind %s", name, r.path)
			}
		}
	}
}

// The policy repeats the restrictions of the workers as a second line of defence. For webhook
// workers this requires the address of the kube-apiserver in the values.
func TestNetworkPolicyBlocksEveryRangeThatWorkersReject(t *testing.T) {
	t.Parallel()
	want := map[string][]string{"0.0.0.0/0": texts(ssrf.IPv4DeniedPrefixes), ssrf.IPv6GlobalUnicast.String(): texts(ssrf.IPv6DeniedPrefixes)}
	stream := render(t, platformChart, origins+"webhooks: {enabled: true}\nnetworkPolicy: {kubernetesAPI: {to: [{namespaceSelector: {}}]}}")
	for _, name := range []string{"printmarket-worker-preflight", "printmarket-worker-webhooks"} {
		policy := strict[networkingv1.NetworkPolicy](t, one(t, stream, "NetworkPolicy", name).text)
		got := map[string][]string{}
		for _, rule := range policy.Spec.Egress {
			for _, peer := range rule.To {
				if peer.IPBlock != nil {
					got[peer.IPBlock.CIDR] = peer.IPBlock.Except
					if len(rule.Ports) != 1 || rule.Ports[0].Port.IntValue() != 443 {
						t.Errorf("%s: ports %v towards %s, want 443", name, rule.Ports, peer.IPBlock.CIDR)
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: ranges (-refused by the worker +by the policy):\n%s", name, diff)
		}
	}
}

func texts(prefixes []netip.Prefix) []string {
	var out []string
	for _, prefix := range prefixes {
		out = append(out, prefix.String())
	}
	return out
}

// The notes report a policy that allows any address of kube-apiserver.
func TestNotesReportThatEgressToKubeAPIServerIsUnrestricted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		values string
		want   bool
	}{
		"no address of kube-apiserver": {"networkPolicy: {kubernetesAPI: {to: []}, open: [kubernetesAPI, database, redis]}", true},
		"an address":                   {"networkPolicy: {kubernetesAPI: {to: [{ipBlock: {cidr: 192.0.2.10/32}}]}}\n", false},
		"no policies":                  {"networkPolicy: {enabled: false}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := helm(t, "install", "market", platformChart, "--dry-run=client", "--values="+valuesFile(t, origins+tc.values))
			if out.err != nil {
				t.Fatalf("helm install: %s", out.stderr)
			}
			if got := strings.Contains(out.stdout, "networkPolicy.kubernetesAPI.to is empty"); got != tc.want {
				t.Errorf("notes report the open address: %t, want %t; notes:\n%s", got, tc.want, out.stdout)
			}
		})
	}
}

// A NetworkPolicy must not allow any peer unless the values request it.
func TestRenderingFailsWhereANetworkPolicyWouldBeOpen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ values, want string }{
		"no address of kube-apiserver": {"networkPolicy: {kubernetesAPI: {to: []}}", "networkPolicy.kubernetesAPI.to: the policy would allow any peer: set addresses, or add kubernetesAPI to networkPolicy.open"},
		"no address of PostgreSQL":     {"networkPolicy: {open: [redis]}", "networkPolicy.database.to: the policy would allow any peer"},
		"no address of Redis":          {"networkPolicy: {open: [database]}", "networkPolicy.redis.to: the policy would allow any peer"},
		"no address of DNS":            {"networkPolicy: {dnsTo: []}", "networkPolicy.dnsTo: the policy would allow any peer"},
		"mutual TLS from outside":      {"api: {mtls: {enabled: true, secretName: api-tls, service: {type: LoadBalancer}}}", "api.mtls.service.type is LoadBalancer: the policy would allow any peer"},
		"internal paths behind an ingress": {
			"api: {mtls: {enabled: true, secretName: api-tls, internal: true}}\ningress: {mtls: {enabled: true, host: m.example}}",
			"api.mtls.internal: the Ingress for mutual TLS would lead to the bridge and the platform API",
		},
		"a test at the public address":    {"tests: {keySecret: printmarket-test-key}", "tests.keySecret: the policy would allow any peer"},
		"webhooks without kube-apiserver": {"webhooks: {enabled: true}\nnetworkPolicy: {kubernetesAPI: {to: []}, open: [kubernetesAPI, database, redis]}", "networkPolicy.kubernetesAPI.to: webhook workers connect to addresses of partners"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := helm(t, "template", "market", platformChart, "--values="+valuesFile(t, origins+test.values))
			if out.err == nil || !strings.Contains(out.stderr, test.want) {
				t.Errorf("%v, %q; want an error that says %q", out.err, out.stderr, test.want)
			}
		})
	}
}

// Without ingressFrom only the pods of the release reach the API.
func TestAPIIsReachableOnlyForPeersOfTheValues(t *testing.T) {
	t.Parallel()
	policy := strict[networkingv1.NetworkPolicy](t, one(t, render(t, platformChart, origins), "NetworkPolicy", "printmarket-api").text)
	for _, rule := range policy.Spec.Ingress {
		if len(rule.From) == 0 {
			t.Errorf("any peer may connect: %v", rule)
		}
		for _, port := range rule.Ports {
			if port.Port.IntValue() == 8080 || port.Port.IntValue() == 8083 {
				t.Errorf("%v may connect to port %v", rule.From, port.Port)
			}
		}
	}
}

func TestEveryFlowInsideIsAllowedAtBothEnds(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, everything)
	policies := ofKind[networkingv1.NetworkPolicy](t, stream, "NetworkPolicy")
	pods := templates(t, stream)
	flows := 0
	for from, sender := range pods {
		for to, receiver := range pods {
			for _, port := range receiver.Spec.Containers[0].Ports {
				sends, takes := false, false
				for _, policy := range policies {
					if matchesLabels(&policy.Spec.PodSelector, sender.Labels) {
						sends = sends || slices.ContainsFunc(policy.Spec.Egress, func(r networkingv1.NetworkPolicyEgressRule) bool { return meets(r.To, r.Ports, receiver, port) })
					}
					if matchesLabels(&policy.Spec.PodSelector, receiver.Labels) {
						takes = takes || slices.ContainsFunc(policy.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool { return meets(r.From, r.Ports, sender, port) })
					}
				}
				if sends != takes {
					t.Errorf("%s to %s at %s: may send %v, is taken %v", from, to, port.Name, sends, takes)
				}
				if sends {
					flows++
				}
			}
		}
	}
	// Controller to API and to both workers; test to API twice; API, both workers and migration to the
	// database; API and the worker for preflight to Redis.
	if flows != 11 {
		t.Errorf("%d flows, want 11", flows)
	}
}

func matchesLabels(selector *metav1.LabelSelector, of map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(of))
}

// meets reports whether a rule names a pod of the release and a port of it.
func meets(peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, pod corev1.PodTemplateSpec, port corev1.ContainerPort) bool {
	return slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		return p.NamespaceSelector == nil && p.PodSelector != nil && len(p.PodSelector.MatchLabels) > 0 && matchesLabels(p.PodSelector, pod.Labels)
	}) && slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntValue() == int(port.ContainerPort) })
}

// The users of the trial Redis have the access rights that the guide recommends.
func TestUsersOfTheTrialRedisEqualThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	guide := regexp.MustCompile(`\n {2}`).ReplaceAllString(source(t, "docs/guides/queue.md"), " ")
	for _, user := range []string{"api", "worker"} {
		match := regexp.MustCompile(`(?m)^user ` + user + ` on >\.\.\. (.*)$`).FindStringSubmatch(guide)
		if match == nil {
			t.Fatalf("the guide has no user %s", user)
		}
		rights, err := os.ReadFile(filepath.Join(platformChart, "files", "redis-"+user+".acl"))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if diff := cmp.Diff(match[1], strings.TrimSpace(string(rights))); diff != "" {
			t.Errorf("rights of %s (-guide +chart):\n%s", user, diff)
		}
	}
}

// httpRoute has the fields of the Gateway API's kind that are used.
type httpRoute struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParentRefs []struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"parentRefs"`
		Hostnames []string `json:"hostnames"`
		Rules     []struct {
			Matches []struct {
				Path struct {
					Type  string `json:"type"`
					Value string `json:"value"`
				} `json:"path"`
			} `json:"matches"`
			BackendRefs []struct {
				Name string `json:"name"`
				Port int32  `json:"port"`
			} `json:"backendRefs"`
		} `json:"rules"`
	} `json:"spec"`
}

func TestHTTPRoutesAndIngressesHaveTheSameBackends(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, everything)
	service := strict[corev1.Service](t, one(t, stream, "Service", "printmarket-api").text)
	for _, name := range []string{"printmarket-api", "printmarket-registry", "printmarket-dashboard"} {
		ingress := strict[networkingv1.Ingress](t, one(t, stream, "Ingress", name).text)
		route := strict[httpRoute](t, one(t, stream, "HTTPRoute", name).text)
		var want, got []string
		for _, path := range ingress.Spec.Rules[0].HTTP.Paths {
			want = append(want, path.Path+" "+path.Backend.Service.Port.Name)
		}
		for _, rule := range route.Spec.Rules {
			if len(rule.Matches) > 8 {
				t.Errorf("%s: %d matches in one rule", name, len(rule.Matches))
			}
			at := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == rule.BackendRefs[0].Port })
			for _, match := range rule.Matches {
				got = append(got, match.Path.Value+" "+service.Spec.Ports[at].Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-ingress +route):\n%s", name, diff)
		}
		if hosts := route.Spec.Hostnames; len(hosts) != 1 || hosts[0] != ingress.Spec.Rules[0].Host {
			t.Errorf("%s: hosts %v, want %s", name, hosts, ingress.Spec.Rules[0].Host)
		}
	}
}
