// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// The matrix lists which pods reach which by the policies of the chart, for reviews. An
// evaluator of the standard judges here, and no kernel: whether the network of a
// cluster enforces policies, and how it sees node addresses and load balancers, is
// not tested.
func TestNetworkPoliciesAllowOnlyTheListedConnections(t *testing.T) {
	t.Parallel()
	for file, values := range map[string]string{
		"reach":          origins,
		"reach-webhooks": origins + "webhooks: {enabled: true}\n",
		"reach-trial":    origins + trials + "networkPolicy: {open: [tests]}\ntests: {keySecret: printmarket-test-key}\nwebhooks: {enabled: true}\n",
		"reach-named":    origins + everythingNamed + "webhooks: {enabled: true}\n",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			golden(t, file+".txt", reach(t, render(t, platformChart, values)))
		})
	}
}

// No pod is open because a policy omits it.
func TestEveryPodOfTheChartIsClosedUnlessAPolicyOpensIt(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, everything)
	policies := networkPolicies(ofKind[networkingv1.NetworkPolicy](t, stream, "NetworkPolicy"))
	stranger := networkEnd{Namespace: "elsewhere", Labels: map[string]string{"app": "stranger"}}
	for name, pod := range templates(t, stream) {
		e := networkEnd{Namespace: "printmarket", Labels: pod.Labels}
		for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
			if len(policies.Isolating(e, direction)) == 0 {
				t.Errorf("%s is open for %s", name, direction)
			}
		}
		for _, c := range []networkConnection{
			{From: stranger, To: e, Protocol: corev1.ProtocolTCP, Port: 22},
			{From: e, To: stranger, Protocol: corev1.ProtocolTCP, Port: 22},
			{From: stranger, To: e, Protocol: corev1.ProtocolUDP, Port: 8080},
		} {
			if policies.Allow(c) {
				t.Errorf("%s: %v is allowed", name, c)
			}
		}
	}
}

// others returns ends outside the release: pods of other namespaces, and addresses.
func others() map[string]networkEnd {
	address := func(text string) networkEnd { return networkEnd{Address: netip.MustParseAddr(text)} }
	return map[string]networkEnd{
		"Prometheus":            {Namespace: "monitoring", Labels: map[string]string{"app": "prometheus"}},
		"ingress controller":    {Namespace: "ingress", Labels: map[string]string{"app": "ingress"}},
		"stranger beside it":    {Namespace: "printmarket", Labels: map[string]string{"app": "stranger"}},
		"stranger elsewhere":    {Namespace: "elsewhere", Labels: map[string]string{"app": "stranger"}},
		"DNS cache of the node": address("169.254.20.10"),
		"DNS":                   {Namespace: "kube-system", Labels: map[string]string{"k8s-app": "kube-dns"}},
		"the internet":          address("93.184.216.34"),
		"the internet by IPv6":  address("2606:2800:220:1::1"),
		"10.0.0.9":              address("10.0.0.9"),
		"172.16.0.9":            address("172.16.0.9"),
		"192.168.0.9":           address("192.168.0.9"),
		"100.64.0.9":            address("100.64.0.9"),
		"169.254.169.254":       address("169.254.169.254"),
		"fd00::9":               address("fd00::9"),
		"fe80::9":               address("fe80::9"),
		"fd00:ec2::254":         address("fd00:ec2::254"),
		"the database's range":  address("10.2.0.9"),
		"Redis' range":          address("10.3.0.9"),
		"kube-apiserver":        address("10.96.0.1"),
	}
}

// reach is a line for each pair of which one is of the release, with the ports
// that are open between them.
func reach(t *testing.T, stream string) string {
	t.Helper()
	policies := networkPolicies(ofKind[networkingv1.NetworkPolicy](t, stream, "NetworkPolicy"))
	ends := others()
	ours := map[string]bool{}
	for name, pod := range templates(t, stream) {
		kind, name, _ := strings.Cut(name, "/")
		if kind == "Job" {
			name = "printmarket-migrate"
		}
		ours[name] = true
		ends[name] = networkEnd{Namespace: "printmarket", Labels: pod.Labels}
	}
	var out strings.Builder
	out.WriteString("Permitted connections and ports, by an evaluator of the NetworkPolicy standard.\n")
	for _, from := range slices.Sorted(maps.Keys(ends)) {
		for _, to := range slices.Sorted(maps.Keys(ends)) {
			if from == to || !ours[from] && !ours[to] {
				continue
			}
			if open := openPorts(policies, ends[from], ends[to]); open != "" {
				fmt.Fprintf(&out, "%-28s -> %-28s %s\n", from, to, open)
			}
		}
	}
	return out.String()
}

// tried are the ports in the matrix.
var tried = []int32{22, 53, 80, 443, 5432, 5433, 6379, 6380, 6443, 8080, 8081, 8082, 8083, 8084, 8443, 26379}

func openPorts(policies networkPolicies, from, to networkEnd) string {
	var open []string
	for _, protocol := range []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP} {
		for _, port := range tried {
			if policies.Allow(networkConnection{From: from, To: to, Protocol: protocol, Port: port}) {
				open = append(open, strings.TrimPrefix(fmt.Sprintf("%s/%d", strings.ToLower(string(protocol)), port), "tcp/"))
			}
		}
	}
	return strings.Join(open, " ")
}
