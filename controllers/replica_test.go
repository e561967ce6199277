// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// api simulates a replica of the API server for the controllers: an endpoint that reports its
// compiled versions. It reports the latest versions until a test holds it.
type api struct {
	installation *installation
	slice        *discoveryv1.EndpointSlice

	// mu is held while a response is made, so that a response from before a hold contains
	// no later version.
	mu   sync.Mutex
	held *posture.Watermark
	mute bool
}

// serve starts a replica and adds it to the Service.
func (s *installation) serve(address, uid string) *api {
	s.t.Helper()
	return s.serveAs(sliceOf(address, uid))
}

// serveWorker starts a webhook worker that is not ready and adds it to its Service.
func (s *installation) serveWorker(address, uid string) *api {
	s.t.Helper()
	return s.serveAs(workerSliceOf(address, uid))
}

// preflightSliceOf returns the EndpointSlice of a preflight worker that is not ready.
func preflightSliceOf(address, uid string) *discoveryv1.EndpointSlice {
	slice := workerSliceOf(address, uid)
	slice.GenerateName, slice.Labels[discoveryv1.LabelServiceName] = preflightService+"-", preflightService
	return slice
}

// serveAs starts a replica for an EndpointSlice with one endpoint.
func (s *installation) serveAs(slice *discoveryv1.EndpointSlice) *api {
	s.t.Helper()
	a := &api{installation: s}
	server := httptest.NewServer(a)
	s.t.Cleanup(server.Close)
	s.network.route(net.JoinHostPort(slice.Endpoints[0].Addresses[0], "8082"), server.Listener.Addr().String())
	a.slice = slice
	s.create(a.slice)
	return a
}

// sliceOf returns the EndpointSlice that a cluster would write for one pod of the Service.
func sliceOf(address, uid string) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{GenerateName: serviceName + "-", Labels: map[string]string{discoveryv1.LabelServiceName: serviceName}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: new("ops"), Port: new(int32(8082))}},
		Endpoints: []discoveryv1.Endpoint{{
			Addresses: []string{address}, Conditions: discoveryv1.EndpointConditions{Ready: new(true), Serving: new(true)},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: uid, UID: types.UID(uid)},
		}},
	}
}

// workerSliceOf returns the EndpointSlice of a webhook worker that is not ready.
func workerSliceOf(address, uid string) *discoveryv1.EndpointSlice {
	slice := sliceOf(address, uid)
	slice.GenerateName, slice.Labels[discoveryv1.LabelServiceName] = workerService+"-", workerService
	slice.Endpoints[0].Conditions = discoveryv1.EndpointConditions{Ready: new(false), Serving: new(false)}
	return slice
}

// ServeHTTP responds like the operations listener.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mark, mute, err := a.answer(r.Context())
	switch {
	case mute:
		<-r.Context().Done()
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		_ = json.NewEncoder(w).Encode(mark)
	}
}

func (a *api) answer(ctx context.Context) (mark posture.Watermark, mute bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.mute:
		return mark, true, nil
	case a.held != nil:
		return *a.held, false, nil
	}
	mark, err = a.installation.watermark(ctx)
	return mark, false, err
}

// hold stops the replica at its current state.
func (a *api) hold() {
	a.installation.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	mark, err := a.installation.watermark(a.installation.t.Context())
	if err != nil {
		a.installation.t.Fatalf("a.installation.watermark: %v", err)
	}
	a.held = &mark
}

// follow lets the replica catch up.
func (a *api) follow() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = nil
}

func (a *api) setMute(mute bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mute = mute
}

// leave removes the replica from the Service.
func (a *api) leave() {
	a.installation.t.Helper()
	a.installation.edit(a.slice, func() { a.slice.Endpoints[0].Conditions.Serving = new(false) })
}

// watermark returns the watermark of a replica that has compiled all objects.
func (s *installation) watermark(ctx context.Context) (posture.Watermark, error) {
	mark := posture.Watermark{Revision: "test", Enforcing: true, Compiled: map[string]string{}}
	for kind, list := range map[string]client.ObjectList{
		v1alpha1.KindCapabilityRollout:  &v1alpha1.CapabilityRolloutList{},
		v1alpha1.KindPartnerEntitlement: &v1alpha1.PartnerEntitlementList{},
		v1alpha1.KindXJMFSender:         &v1alpha1.XJMFSenderList{},
		v1alpha1.KindPreflightProfile:   &v1alpha1.PreflightProfileList{},
		posture.KindSecret:              &corev1.SecretList{},
	} {
		// One object is enough: the list has the version of all.
		if err := s.admin.List(ctx, list, client.InNamespace(s.namespace), client.Limit(1)); err != nil {
			return mark, err
		}
		mark.Compiled[kind] = list.GetResourceVersion()
	}
	return mark, nil
}
