// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// networkEnd is one end of a connection: a pod of some namespace, or an address outside
// of the cluster.
type networkEnd struct {
	// Namespace is that of the pod, and empty for an address. Policies see its name,
	// as the label that Kubernetes gives it, and no other label.
	Namespace string
	// Labels are those of the pod.
	Labels map[string]string
	// Ports are the numbers of the ports of the pod that have a name.
	Ports map[string]int32
	// Address is what it is without a namespace.
	Address netip.Addr
}

// networkConnection is an attempted connection.
type networkConnection struct {
	From, To networkEnd
	Protocol corev1.Protocol
	// Port is that of To.
	Port int32
}

// networkPolicies evaluates all policies of a cluster as the documentation of
// networking.k8s.io/v1 describes them, without a network that enforces them. It compares an
// ipBlock only with addresses outside of the cluster, because networks differ in how they
// treat the addresses of pods.
type networkPolicies []networkingv1.NetworkPolicy

// Allow reports whether a connection is open. A pod that no policy selects for a
// direction is open in that direction; one that some select is open to what one of
// them names. A connection needs both directions.
func (p networkPolicies) Allow(c networkConnection) bool {
	return p.allowEgress(c) && p.allowIngress(c)
}

func (p networkPolicies) allowEgress(c networkConnection) bool {
	isolating := p.Isolating(c.From, networkingv1.PolicyTypeEgress)
	for i := range isolating {
		for _, rule := range isolating[i].Spec.Egress {
			if anyPort(rule.Ports, c) && anyPeer(rule.To, isolating[i].Namespace, c.To) {
				return true
			}
		}
	}
	return len(isolating) == 0
}

func (p networkPolicies) allowIngress(c networkConnection) bool {
	isolating := p.Isolating(c.To, networkingv1.PolicyTypeIngress)
	for i := range isolating {
		for _, rule := range isolating[i].Spec.Ingress {
			if anyPort(rule.Ports, c) && anyPeer(rule.From, isolating[i].Namespace, c.From) {
				return true
			}
		}
	}
	return len(isolating) == 0
}

// Isolating are the policies that select an end for a direction; without any it is
// open there. A policy without policyTypes is about ingress, and about egress if it
// has a rule for it.
func (p networkPolicies) Isolating(e networkEnd, direction networkingv1.PolicyType) networkPolicies {
	var out networkPolicies
	for _, policy := range p {
		types := policy.Spec.PolicyTypes
		if len(types) == 0 {
			types = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
			if len(policy.Spec.Egress) > 0 {
				types = append(types, networkingv1.PolicyTypeEgress)
			}
		}
		if e.Namespace == policy.Namespace && slices.Contains(types, direction) && matchesLabels(&policy.Spec.PodSelector, e.Labels) {
			out = append(out, policy)
		}
	}
	return out
}

// anyPort reports whether a rule names the port; one that names none means all.
func anyPort(ports []networkingv1.NetworkPolicyPort, c networkConnection) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		protocol := corev1.ProtocolTCP
		if p.Protocol != nil {
			protocol = *p.Protocol
		}
		switch {
		case protocol != c.Protocol:
			return false
		case p.Port == nil:
			return true
		case p.Port.StrVal != "":
			return c.To.Ports[p.Port.StrVal] == c.Port
		case p.EndPort != nil:
			return p.Port.IntVal <= c.Port && c.Port <= *p.EndPort
		}
		return p.Port.IntVal == c.Port
	})
}

// anyPeer reports whether a rule of a policy names an end; one that names none
// means all. Selectors find pods; a block finds addresses outside of the cluster.
func anyPeer(peers []networkingv1.NetworkPolicyPeer, namespace string, e networkEnd) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		switch {
		case p.IPBlock != nil:
			return e.Namespace == "" && inBlock(p.IPBlock, e.Address)
		case e.Namespace == "":
			return false
		case p.NamespaceSelector == nil && e.Namespace != namespace:
			return false
		case p.NamespaceSelector != nil && !matchesLabels(p.NamespaceSelector, map[string]string{corev1.LabelMetadataName: e.Namespace}):
			return false
		}
		return p.PodSelector == nil || matchesLabels(p.PodSelector, e.Labels)
	})
}

func inBlock(block *networkingv1.IPBlock, address netip.Addr) bool {
	return netip.MustParsePrefix(block.CIDR).Contains(address) &&
		!slices.ContainsFunc(block.Except, func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(address) })
}
