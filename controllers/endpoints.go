// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"net"
	"slices"
	"strconv"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// endpoint is where one serving replica answers questions.
type endpoint struct {
	// id is the UID of the pod, where there is one: a pod that takes over the
	// address of another is another replica.
	id string
	// address is host and port; empty if the Service has no such port.
	address string
}

// servingEndpoints are the endpoints to which a Service sends requests, those
// that are about to end included, each once however many slices it is in.
func servingEndpoints(slices_ []discoveryv1.EndpointSlice, port string) []endpoint {
	ordered := slices.Clone(slices_)
	slices.SortFunc(ordered, func(a, b discoveryv1.EndpointSlice) int {
		return cmp.Or(cmp.Compare(a.AddressType, b.AddressType), cmp.Compare(a.Name, b.Name))
	})
	var out []endpoint
	seen := map[string]bool{}
	for i := range ordered {
		number := portNumber(ordered[i].Ports, port)
		for j := range ordered[i].Endpoints {
			one := newEndpoint(&ordered[i].Endpoints[j], number)
			if one.id == "" || seen[one.id] || !serving(ordered[i].Endpoints[j].Conditions) {
				continue
			}
			seen[one.id] = true
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b endpoint) int { return cmp.Compare(a.id, b.id) })
	return out
}

func newEndpoint(e *discoveryv1.Endpoint, port int32) endpoint {
	if len(e.Addresses) == 0 {
		return endpoint{}
	}
	// The addresses of one endpoint are interchangeable.
	out := endpoint{id: e.Addresses[0]}
	if port != 0 {
		out.address = net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(port)))
		out.id = out.address
	}
	if e.TargetRef != nil && e.TargetRef.UID != "" {
		out.id = string(e.TargetRef.UID)
	}
	return out
}

// serving reads the conditions as the API defines them: what is not said of
// serving is said of ready, and what is not said of ready is true.
func serving(c discoveryv1.EndpointConditions) bool {
	if c.Serving != nil {
		return *c.Serving
	}
	return c.Ready == nil || *c.Ready
}

func portNumber(ports []discoveryv1.EndpointPort, name string) int32 {
	for _, p := range ports {
		if p.Name != nil && *p.Name == name && p.Port != nil {
			return *p.Port
		}
	}
	return 0
}
