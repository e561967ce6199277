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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// end is one end of a connection: a pod of some namespace, or an address outside
// of the cluster.
type end struct {
	// namespace is empty for an address. Of a namespace policies see its name, as
	// the label that Kubernetes gives it.
	namespace string
	labels    map[string]string
	// named are the ports of the pod that have a name.
	named   map[string]int32
	address netip.Addr
}

// connection is what somebody tries to open.
type connection struct {
	from, to end
	protocol corev1.Protocol
	port     int32
}

// allows judges a connection by the rules of networking.k8s.io/v1: a pod that no
// policy selects for a direction is open in that direction; one that some select
// is open to what one of them names. A connection needs both directions. A block
// is held against addresses outside of the cluster alone: networks differ in what
// they do with those of pods.
func allows(policies []networkingv1.NetworkPolicy, c connection) bool {
	return allowsEgress(policies, c) && allowsIngress(policies, c)
}

func allowsEgress(policies []networkingv1.NetworkPolicy, c connection) bool {
	isolated := false
	for _, p := range selecting(policies, c.from, networkingv1.PolicyTypeEgress) {
		isolated = true
		for _, rule := range p.Spec.Egress {
			if anyPort(rule.Ports, c) && anyPeer(rule.To, p.Namespace, c.to) {
				return true
			}
		}
	}
	return !isolated
}

func allowsIngress(policies []networkingv1.NetworkPolicy, c connection) bool {
	isolated := false
	for _, p := range selecting(policies, c.to, networkingv1.PolicyTypeIngress) {
		isolated = true
		for _, rule := range p.Spec.Ingress {
			if anyPort(rule.Ports, c) && anyPeer(rule.From, p.Namespace, c.from) {
				return true
			}
		}
	}
	return !isolated
}

// selecting are the policies that isolate an end in a direction. Without
// policyTypes a policy is about ingress, and about egress if it has a rule for it.
func selecting(policies []networkingv1.NetworkPolicy, e end, direction networkingv1.PolicyType) []networkingv1.NetworkPolicy {
	var out []networkingv1.NetworkPolicy
	for _, p := range policies {
		types := p.Spec.PolicyTypes
		if len(types) == 0 {
			types = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
			if len(p.Spec.Egress) > 0 {
				types = append(types, networkingv1.PolicyTypeEgress)
			}
		}
		if e.namespace == p.Namespace && slices.Contains(types, direction) && matchesLabels(&p.Spec.PodSelector, e.labels) {
			out = append(out, p)
		}
	}
	return out
}

// anyPort reports whether a rule names the port; one that names none means all.
func anyPort(ports []networkingv1.NetworkPolicyPort, c connection) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		protocol := corev1.ProtocolTCP
		if p.Protocol != nil {
			protocol = *p.Protocol
		}
		switch {
		case protocol != c.protocol:
			return false
		case p.Port == nil:
			return true
		case p.Port.StrVal != "":
			return c.to.named[p.Port.StrVal] == c.port
		case p.EndPort != nil:
			return p.Port.IntVal <= c.port && c.port <= *p.EndPort
		}
		return p.Port.IntVal == c.port
	})
}

// anyPeer reports whether a rule of a policy names an end; one that names none
// means all. Selectors find pods; a block finds addresses outside of the cluster.
func anyPeer(peers []networkingv1.NetworkPolicyPeer, namespace string, e end) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		switch {
		case p.IPBlock != nil:
			return e.namespace == "" && inBlock(p.IPBlock, e.address)
		case e.namespace == "":
			return false
		case p.NamespaceSelector == nil && e.namespace != namespace:
			return false
		case p.NamespaceSelector != nil && !matchesLabels(p.NamespaceSelector, map[string]string{corev1.LabelMetadataName: e.namespace}):
			return false
		}
		return p.PodSelector == nil || matchesLabels(p.PodSelector, e.labels)
	})
}

func inBlock(block *networkingv1.IPBlock, address netip.Addr) bool {
	return netip.MustParsePrefix(block.CIDR).Contains(address) &&
		!slices.ContainsFunc(block.Except, func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(address) })
}

func matchesLabels(selector *metav1.LabelSelector, of map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(of))
}

// The evaluator itself, against the sentences of the API's documentation.
func TestTheEvaluatorReadsPoliciesAsTheirDocumentationDoes(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: here}\nspec: "
	pod := func(namespace, app string) end {
		return end{namespace: namespace, labels: map[string]string{"app": app}, named: map[string]int32{"web": 80}}
	}
	outside := func(address string) end { return end{address: netip.MustParseAddr(address)} }
	for name, test := range map[string]struct {
		spec     string
		from, to end
		port     int32
		want     bool
	}{
		"a pod that nothing selects is open":                {"{podSelector: {matchLabels: {app: b}}}", pod("here", "x"), pod("here", "a"), 80, true},
		"a pod that is selected is closed":                  {"{podSelector: {matchLabels: {app: a}}}", pod("here", "x"), pod("here", "a"), 80, false},
		"a policy of another namespace selects nothing":     {"{podSelector: {}}", pod("here", "x"), pod("there", "a"), 80, true},
		"an empty selector selects all":                     {"{podSelector: {}}", outside("192.0.2.1"), pod("here", "a"), 80, false},
		"without types it leaves egress open":               {"{podSelector: {}}", pod("here", "a"), outside("192.0.2.1"), 80, true},
		"without types an egress rule closes the rest":      {"{podSelector: {}, egress: [{ports: [{port: 443}]}]}", pod("here", "a"), outside("192.0.2.1"), 80, false},
		"an empty rule allows everything":                   {"{podSelector: {}, ingress: [{}]}", outside("192.0.2.1"), pod("here", "a"), 80, true},
		"a selector of pods means this namespace":           {"{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: x}}}]}]}", pod("there", "x"), pod("here", "a"), 80, false},
		"a selector of namespaces means all their pods":     {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: there}}}]}]}", pod("there", "x"), pod("here", "a"), 80, true},
		"both selectors of one peer must match":             {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: y}}}]}]}", pod("there", "x"), pod("here", "a"), 80, false},
		"one of two peers is enough":                        {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}, {podSelector: {matchLabels: {app: y}}}]}]}", pod("there", "x"), pod("here", "a"), 80, true},
		"all namespaces are not the world":                  {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}", outside("192.0.2.1"), pod("here", "a"), 80, false},
		"a block holds its addresses":                       {"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 192.0.2.0/24}}]}]}", pod("here", "a"), outside("192.0.2.1"), 80, true},
		"a block does not hold its exceptions":              {"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.0/28]}}]}]}", pod("here", "a"), outside("192.0.2.1"), 80, false},
		"a port is of TCP unless it says so":                {"{podSelector: {}, ingress: [{ports: [{port: 80}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a port of UDP is none of TCP":                      {"{podSelector: {}, ingress: [{ports: [{port: 80, protocol: UDP}]}]}", pod("here", "x"), pod("here", "a"), 80, false},
		"a port may be named":                               {"{podSelector: {}, ingress: [{ports: [{port: web}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a name means the port of the pod that has it":      {"{podSelector: {}, ingress: [{ports: [{port: web}]}]}", pod("here", "x"), pod("here", "a"), 81, false},
		"ports may be a range":                              {"{podSelector: {}, ingress: [{ports: [{port: 79, endPort: 81}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a connection needs the sender's leave as well":     {"{podSelector: {matchLabels: {app: x}}, policyTypes: [Egress]}", pod("here", "x"), pod("here", "a"), 80, false},
		"what only isolates egress leaves ingress as it is": {"{podSelector: {matchLabels: {app: a}}, policyTypes: [Egress]}", pod("here", "x"), pod("here", "a"), 80, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := strict[networkingv1.NetworkPolicy](t, []byte(head+test.spec))
			if got := allows([]networkingv1.NetworkPolicy{policy}, connection{test.from, test.to, corev1.ProtocolTCP, test.port}); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// Who reaches whom by the policies of the chart, as a matrix that is reviewed. An
// evaluator of the standard judges here, and no kernel: whether the network of a
// cluster enforces policies, and how it sees node addresses and load balancers, is
// not tested.
func TestWhoReachesWhomByThePolicies(t *testing.T) {
	t.Parallel()
	for file, values := range map[string]string{
		"reach":       origins,
		"reach-trial": origins + trials + "tests: {keySecret: printmarket-test-key}\n",
		"reach-named": origins + everythingNamed,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			golden(t, file+".txt", reach(t, render(t, platformChart, values)))
		})
	}
}

// Nobody is open because a policy forgot it.
func TestEveryPodOfTheChartIsClosedUnlessAPolicyOpensIt(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, everything)
	policies := ofKind[networkingv1.NetworkPolicy](t, stream, "NetworkPolicy")
	stranger := end{namespace: "elsewhere", labels: map[string]string{"app": "stranger"}}
	for name, pod := range templates(t, stream) {
		e := end{namespace: "printmarket", labels: pod.Labels}
		for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
			if len(selecting(policies, e, direction)) == 0 {
				t.Errorf("%s is open for %s", name, direction)
			}
		}
		for _, c := range []connection{{stranger, e, corev1.ProtocolTCP, 22}, {e, stranger, corev1.ProtocolTCP, 22}, {stranger, e, corev1.ProtocolUDP, 8080}} {
			if allows(policies, c) {
				t.Errorf("%s: %v is allowed", name, c)
			}
		}
	}
}

// others are who is not of the release: pods elsewhere, and addresses.
func others() map[string]end {
	address := func(text string) end { return end{address: netip.MustParseAddr(text)} }
	return map[string]end{
		"Prometheus":            {namespace: "monitoring", labels: map[string]string{"app": "prometheus"}},
		"ingress controller":    {namespace: "ingress", labels: map[string]string{"app": "ingress"}},
		"stranger beside it":    {namespace: "printmarket", labels: map[string]string{"app": "stranger"}},
		"stranger elsewhere":    {namespace: "elsewhere", labels: map[string]string{"app": "stranger"}},
		"DNS cache of the node": address("169.254.20.10"),
		"DNS":                   {namespace: "kube-system", labels: map[string]string{"k8s-app": "kube-dns"}},
		"the world":             address("93.184.216.34"),
		"the world by IPv6":     address("2606:2800:220:1::1"),
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
	policies := ofKind[networkingv1.NetworkPolicy](t, stream, "NetworkPolicy")
	ends := others()
	ours := map[string]bool{}
	for name, pod := range templates(t, stream) {
		kind, name, _ := strings.Cut(name, "/")
		if kind == "Job" {
			name = "printmarket-migrate"
		}
		ours[name] = true
		ends[name] = end{namespace: "printmarket", labels: pod.Labels}
	}
	var out strings.Builder
	out.WriteString("Who may open a connection to whom, at which ports, as an evaluator of the standard reads the policies.\n")
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

// tried are the ports that the matrix tells of.
var tried = []int32{22, 53, 80, 443, 5432, 5433, 6379, 6380, 6443, 8080, 8081, 8082, 8083, 8443, 26379}

func openPorts(policies []networkingv1.NetworkPolicy, from, to end) string {
	var open []string
	for _, protocol := range []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP} {
		for _, port := range tried {
			if allows(policies, connection{from, to, protocol, port}) {
				open = append(open, strings.TrimPrefix(fmt.Sprintf("%s/%d", strings.ToLower(string(protocol)), port), "tcp/"))
			}
		}
	}
	return strings.Join(open, " ")
}
