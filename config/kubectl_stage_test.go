// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// noon is the current time of the controllers.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// control starts the controllers in a namespace that has the Roles, with the
// rights of their service account. The only replica of the API server reports that
// it has compiled every version.
func control(t *testing.T, namespace string) {
	t.Helper()
	account := kubetest.ServiceAccount(namespace, "printmarket-controller")
	reviewer(t, namespace).AwaitRole(t, account)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const latest = "999999999999"
		_ = json.NewEncoder(w).Encode(posture.Watermark{Enforcing: true, Compiled: map[string]string{
			v1alpha1.KindCapabilityRollout: latest, v1alpha1.KindPartnerEntitlement: latest, v1alpha1.KindPreflightProfile: latest, v1alpha1.KindXJMFSender: latest, posture.KindSecret: latest,
		}})
	}))
	t.Cleanup(server.Close)
	admin(namespace).mustApply(t, "cluster", replicaSlice)
	scheme, err := controllers.Scheme()
	if err != nil {
		t.Fatalf("controllers.Scheme: %v", err)
	}
	manager, err := ctrl.NewManager(plane.NewUser(t, account).Config(), ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(namespace, "printmarket-api"),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: controllerconfig.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		t.Fatalf("ctrl.NewManager: %v", err)
	}
	if err := controllers.Setup(manager, controllers.Options{
		Namespace: namespace, GateSecret: "printmarket-gate-api", WebhookSecret: "printmarket-gate-webhooks", Service: "printmarket-api",
		Now: func() time.Time { return noon }, Registerer: prometheus.NewRegistry(),
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}); err != nil {
		t.Fatalf("controllers.Setup: %v", err)
	}
	run(t, manager.Start)
}

// replicaSlice contains the only replica of the API server.
const replicaSlice = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: printmarket-api, labels: {kubernetes.io/service-name: printmarket-api}}
addressType: IPv4
ports: [{name: ops, port: 8082}]
endpoints: [{addresses: [192.0.2.1], conditions: {ready: true, serving: true}}]
`

// run runs something until the test ends, and waits for it.
func run(t *testing.T, start func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the controllers ended with: %v", err)
		}
	})
}

// settle waits until every object of a namespace has the status of its present
// generation.
func settle(t *testing.T, namespace string) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		for _, kind := range []string{v1alpha1.KindCapabilityRollout, v1alpha1.KindPartnerEntitlement, v1alpha1.KindPreflightProfile, v1alpha1.KindXJMFSender} {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
			if err := plane.Client(t).List(t.Context(), list, client.InNamespace(namespace)); err != nil {
				return err
			}
			for _, o := range list.Items {
				if err := settled(o); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// settled is an error while a condition speaks of an earlier generation, or the
// object is on its way to the gates.
func settled(o unstructured.Unstructured) error {
	conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil || len(conditions) == 0 {
		return fmt.Errorf("%s %s has no conditions (%v)", o.GetKind(), o.GetName(), err)
	}
	for _, each := range conditions {
		c := each.(map[string]any)
		if c["observedGeneration"] != o.GetGeneration() || c["reason"] == v1alpha1.ReasonProgressing {
			return fmt.Errorf("%s %s of generation %d: %v", o.GetKind(), o.GetName(), o.GetGeneration(), c)
		}
	}
	return nil
}
