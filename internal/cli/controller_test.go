// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// The executable leads, reconciles, logs in JSON, traces, and ends on SIGTERM.
func TestControllerRunsOnACluster(t *testing.T) {
	t.Parallel()
	plane := kubetest.Start(t)
	namespace, admin := plane.Namespace(t), plane.Client(t)
	var logs bytes.Buffer
	collector := telemetrytest.New(t, nil)
	process := exec.Command(filepath.Join(binaries, "printmarket"), "controller", "--otlp-endpoint", collector.URL,
		"--kubeconfig", plane.Admin().Kubeconfig(), "--namespace", namespace, "--metrics-addr", "127.0.0.1:0", "--health-addr", "127.0.0.1:0")
	process.Stderr = &logs
	if err := process.Start(); err != nil {
		t.Fatalf("process.Start: %v", err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = process.Process.Kill()
			_ = process.Wait()
		}
	})
	capability := &v1alpha1.CapabilityRollout{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "rfq-create"},
		Spec:       v1alpha1.CapabilityRolloutSpec{Capability: "rfq-create", Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "REL-1"}},
	}
	if err := admin.Create(t.Context(), capability); err != nil {
		t.Fatalf("admin.Create: %v", err)
	}
	eventually.Succeeds(t, func() error {
		if err := admin.Get(t.Context(), client.ObjectKeyFromObject(capability), capability); err != nil {
			return err
		}
		// No API server runs, so nothing enforces the object.
		ready := meta.FindStatusCondition(capability.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Status != metav1.ConditionFalse || ready.Reason != v1alpha1.ReasonNoReplicas {
			return fmt.Errorf("conditions %+v", capability.Status.Conditions)
		}
		return nil
	})
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("process.Process.Signal: %v", err)
	}
	err := process.Wait()
	ended = true
	if err != nil {
		t.Errorf("ended with %v\n%s", err, logs.Bytes())
	}
	for name, object := range map[string]string{"reconcile compiler": "", "reconcile status-capabilityrollout": namespace + "/rfq-create"} {
		spans := collector.Named(name)
		if len(spans) == 0 || spans[0].Attributes["printmarket.object"] != object || spans[0].Attributes["service.name"] != "printmarket-controller" {
			t.Errorf("spans %s: %+v", name, spans)
		}
	}
	for _, line := range bytes.Split(bytes.TrimSpace(logs.Bytes()), []byte("\n")) {
		if !json.Valid(line) {
			t.Errorf("this line is no JSON: %s", line)
		}
	}
}
