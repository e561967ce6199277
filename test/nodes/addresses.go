// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"fmt"
	"net/netip"
)

// slots bounds the clusters of a machine, maxNodes the nodes of a cluster.
const (
	slots    = 16
	maxNodes = 9
)

// addresses computes the addresses of one cluster: a private /16 for each slot. The host is in the
// network of the nodes, so that its tests reach everything by plain routes.
type addresses struct{ second byte }

func addressesOf(slot int) addresses { return addresses{second: byte(192 + slot)} }

// clusterName returns the name of a cluster's cgroups and of the host's end of its link.
func clusterName(slot int) string { return fmt.Sprintf("kubenode-%d", slot) }

func (a addresses) at(third, fourth int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, a.second, byte(third), byte(fourth)})
}

func (a addresses) all() netip.Prefix      { return netip.PrefixFrom(a.at(0, 0), 16) }
func (a addresses) links() netip.Prefix    { return netip.PrefixFrom(a.at(0, 0), 24) }
func (a addresses) services() netip.Prefix { return netip.PrefixFrom(a.at(16, 0), 20) }
func (a addresses) pods() netip.Prefix     { return netip.PrefixFrom(a.at(64, 0), 18) }

func (a addresses) host() netip.Addr       { return a.at(0, 1) }
func (a addresses) control() netip.Addr    { return a.at(0, 2) }
func (a addresses) kubernetes() netip.Addr { return a.at(16, 1) }
func (a addresses) dns() netip.Addr        { return a.at(16, 10) }

// Nodes are numbered from 1.
func (a addresses) node(n int) netip.Addr     { return a.at(0, 10+n) }
func (a addresses) podsOf(n int) netip.Prefix { return netip.PrefixFrom(a.at(64+n, 0), 24) }
func (a addresses) link(ip netip.Addr) string { return netip.PrefixFrom(ip, a.links().Bits()).String() }
func (a addresses) server() string            { return "https://" + a.authority() }
func (a addresses) authority() string         { return netip.AddrPortFrom(a.control(), 6443).String() }
func nodeName(n int) string                   { return fmt.Sprintf("node-%d", n) }

// routes returns the routes to pods and Services for hosts in the network of the nodes. Services
// are reached through the first node: kube-proxy hides the sender, so responses return through
// that node.
func (a addresses) routes(nodes int) [][]string {
	routes := [][]string{{"ip", "route", "add", a.services().String(), "via", a.node(1).String()}}
	for n := 1; n <= nodes; n++ {
		routes = append(routes, a.routeTo(n))
	}
	return routes
}

func (a addresses) routeTo(n int) []string {
	return []string{"ip", "route", "add", a.podsOf(n).String(), "via", a.node(n).String()}
}
