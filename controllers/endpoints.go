// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"net"
	"slices"
	"strconv"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// enforcer is a kind of process that enforces objects.
type enforcer int

const (
	apiServers enforcer = iota
	webhookWorkers
	preflightWorkers
	enforcerCount
)

// enforcers name the processes in messages.
var enforcers = [enforcerCount]string{"API servers", "webhook workers", "preflight workers"} // constant

// endpoint is the operations listener of one serving replica.
type endpoint struct {
	by enforcer

	// id is the UID of the pod, or the address if there is no pod. A pod that has
	// the address of a former pod is another replica.
	id string
	// address is host and port; empty if the Service has no such port.
	address string
}

// servingEndpoints returns the endpoints of a Service at which processes enforce objects. Each is
// listed once, even if it is in several slices. An API server enforces only while the Service sends
// it requests, also while it is terminating. A worker works even if it is not ready, so all its
// endpoints count.
func servingEndpoints(by enforcer, slicesOfService []discoveryv1.EndpointSlice, portName string) []endpoint {
	ordered := slices.Clone(slicesOfService)
	slices.SortFunc(ordered, func(a, b discoveryv1.EndpointSlice) int {
		return cmp.Or(cmp.Compare(a.AddressType, b.AddressType), cmp.Compare(a.Name, b.Name))
	})
	var out []endpoint
	seen := map[string]bool{}
	for _, slice := range ordered {
		var port int32
		for _, p := range slice.Ports {
			if p.Name != nil && *p.Name == portName && p.Port != nil {
				port = *p.Port
				break
			}
		}
		for _, e := range slice.Endpoints {
			if len(e.Addresses) == 0 || by == apiServers && !serving(e.Conditions) {
				continue
			}
			// The addresses of one endpoint are interchangeable.
			found := endpoint{by: by, id: e.Addresses[0]}
			if port != 0 {
				found.address = net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(port)))
				found.id = found.address
			}
			if e.TargetRef != nil && e.TargetRef.UID != "" {
				found.id = string(e.TargetRef.UID)
			}
			if !seen[found.id] {
				seen[found.id] = true
				out = append(out, found)
			}
		}
	}
	slices.SortFunc(out, func(a, b endpoint) int { return cmp.Compare(a.id, b.id) })
	return out
}

// serving applies the defaults of the API: an unset condition Serving has the
// value of Ready, and an unset condition Ready is true.
func serving(c discoveryv1.EndpointConditions) bool {
	if c.Serving != nil {
		return *c.Serving
	}
	return c.Ready == nil || *c.Ready
}
