// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"net/netip"
	"testing"
)

func TestAddressesOfAllClustersAreDistinct(t *testing.T) {
	t.Parallel()
	var taken []netip.Prefix
	for slot := range slots {
		a := addressesOf(slot)
		own := []netip.Prefix{a.links(), a.services()}
		for n := 1; n <= maxNodes; n++ {
			own = append(own, a.podsOf(n))
			if !a.links().Contains(a.node(n)) || !a.pods().Overlaps(a.podsOf(n)) {
				t.Errorf("node %d of slot %d has %v and pods in %v", n, slot, a.node(n), a.podsOf(n))
			}
		}
		for _, network := range own {
			if !a.all().Contains(network.Addr()) || !network.Addr().IsPrivate() {
				t.Errorf("%v is not in %v, or not private", network, a.all())
			}
			for _, other := range taken {
				if network.Overlaps(other) {
					t.Errorf("slot %d: %v overlaps %v", slot, network, other)
				}
			}
			taken = append(taken, network)
		}
	}
}

func TestKubernetesServiceHasTheFirstServiceAddress(t *testing.T) {
	t.Parallel()
	a := addressesOf(0)
	if got := a.services().Addr().Next(); got != a.kubernetes() {
		t.Errorf("kube-apiserver assigns %v; its certificate contains %v", got, a.kubernetes())
	}
}
