// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// Each sentence is one of the API's documentation.
func TestNetworkPoliciesHaveTheirDocumentedMeaning(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: here}\nspec: "
	pod := func(namespace, app string) networkEnd {
		return networkEnd{Namespace: namespace, Labels: map[string]string{"app": app}, Ports: map[string]int32{"web": 80}}
	}
	outside := func(address string) networkEnd { return networkEnd{Address: netip.MustParseAddr(address)} }
	for name, test := range map[string]struct {
		spec     string
		from, to networkEnd
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
		"all namespaces are not all addresses":              {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}", outside("192.0.2.1"), pod("here", "a"), 80, false},
		"a block holds its addresses":                       {"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 192.0.2.0/24}}]}]}", pod("here", "a"), outside("192.0.2.1"), 80, true},
		"a block does not hold its exceptions":              {"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.0/28]}}]}]}", pod("here", "a"), outside("192.0.2.1"), 80, false},
		"a port is of TCP unless it says so":                {"{podSelector: {}, ingress: [{ports: [{port: 80}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a UDP port does not open the TCP port":             {"{podSelector: {}, ingress: [{ports: [{port: 80, protocol: UDP}]}]}", pod("here", "x"), pod("here", "a"), 80, false},
		"a port may be named":                               {"{podSelector: {}, ingress: [{ports: [{port: web}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a name means the port of the pod that has it":      {"{podSelector: {}, ingress: [{ports: [{port: web}]}]}", pod("here", "x"), pod("here", "a"), 81, false},
		"ports may be a range":                              {"{podSelector: {}, ingress: [{ports: [{port: 79, endPort: 81}]}]}", pod("here", "x"), pod("here", "a"), 80, true},
		"a connection needs the sender's leave as well":     {"{podSelector: {matchLabels: {app: x}}, policyTypes: [Egress]}", pod("here", "x"), pod("here", "a"), 80, false},
		"what only isolates egress leaves ingress as it is": {"{podSelector: {matchLabels: {app: a}}, policyTypes: [Egress]}", pod("here", "x"), pod("here", "a"), 80, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var policy networkingv1.NetworkPolicy
			if err := yaml.UnmarshalStrict([]byte(head+test.spec), &policy); err != nil {
				t.Fatalf("yaml.UnmarshalStrict: %v", err)
			}
			tried := networkConnection{From: test.from, To: test.to, Protocol: corev1.ProtocolTCP, Port: test.port}
			if got := (networkPolicies{policy}).Allow(tried); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
