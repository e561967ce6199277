// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func slice(family discoveryv1.AddressType, name string, ports []discoveryv1.EndpointPort, endpoints ...discoveryv1.Endpoint) discoveryv1.EndpointSlice {
	return discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, AddressType: family, Ports: ports, Endpoints: endpoints}
}

func pod(uid, address string, conditions discoveryv1.EndpointConditions) discoveryv1.Endpoint {
	e := discoveryv1.Endpoint{Addresses: []string{address}, Conditions: conditions}
	if uid != "" {
		e.TargetRef = &corev1.ObjectReference{UID: types.UID(uid)}
	}
	return e
}

func TestServingEndpointsAreProbed(t *testing.T) {
	t.Parallel()
	ports := []discoveryv1.EndpointPort{{Name: new("api"), Port: new(int32(8080))}, {Name: new("ops"), Port: new(int32(8082))}}
	yes, no := new(true), new(false)
	tests := map[string]struct {
		by     enforcer
		slices []discoveryv1.EndpointSlice
		want   []endpoint
	}{
		"a Service without endpoints": {apiServers, nil, nil},
		"webhook workers that are not ready": {
			webhookWorkers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports,
				pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Ready: no, Serving: no}),
				pod("u2", "10.0.0.2", discoveryv1.EndpointConditions{Ready: no, Serving: no, Terminating: yes}))},
			[]endpoint{{webhookWorkers, "u1", "10.0.0.1:8082"}, {webhookWorkers, "u2", "10.0.0.2:8082"}},
		},
		"only endpoints that serve": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports,
				pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Ready: yes, Serving: yes}),
				pod("u2", "10.0.0.2", discoveryv1.EndpointConditions{Ready: no, Serving: no}))},
			[]endpoint{{apiServers, "u1", "10.0.0.1:8082"}},
		},
		"an endpoint that terminates and still serves": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports,
				pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Ready: no, Serving: yes, Terminating: yes}),
				pod("u2", "10.0.0.2", discoveryv1.EndpointConditions{Ready: no, Serving: no, Terminating: yes}))},
			[]endpoint{{apiServers, "u1", "10.0.0.1:8082"}},
		},
		"an endpoint without conditions": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports,
				pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{}),
				pod("u2", "10.0.0.2", discoveryv1.EndpointConditions{Ready: no}))},
			[]endpoint{{apiServers, "u1", "10.0.0.1:8082"}},
		},
		"each pod once, with its first address family": {
			apiServers,
			[]discoveryv1.EndpointSlice{
				slice("IPv6", "a", ports, pod("u1", "fd00::1", discoveryv1.EndpointConditions{Serving: yes})),
				slice("IPv4", "c", ports, pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Serving: yes})),
				slice("IPv4", "b", ports, pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Serving: yes})),
			},
			[]endpoint{{apiServers, "u1", "10.0.0.1:8082"}},
		},
		"an IPv6 address": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv6", "a", ports, pod("u1", "fd00::1", discoveryv1.EndpointConditions{Serving: yes}))},
			[]endpoint{{apiServers, "u1", "[fd00::1]:8082"}},
		},
		"an endpoint that is not a pod": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports, pod("", "10.0.0.1", discoveryv1.EndpointConditions{Serving: yes}))},
			[]endpoint{{apiServers, "10.0.0.1:8082", "10.0.0.1:8082"}},
		},
		"an endpoint without the port counts but has no address": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports[:1], pod("u1", "10.0.0.1", discoveryv1.EndpointConditions{Serving: yes}))},
			[]endpoint{{apiServers, "u1", ""}},
		},
		"an endpoint without addresses is ignored": {
			apiServers,
			[]discoveryv1.EndpointSlice{slice("IPv4", "a", ports, discoveryv1.Endpoint{})},
			nil,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := servingEndpoints(tc.by, tc.slices, "ops")
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(endpoint{})); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
		})
	}
}
