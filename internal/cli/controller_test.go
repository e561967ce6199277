// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// operateController reads the metrics of a controller, and changes its log level: with the token, and
// without it or with another one.
func operateController(t *testing.T, origin string) {
	t.Helper()
	for name, test := range map[string]struct {
		method, path, token, body string
		status                    int
		contains                  string
	}{
		"metrics without a token":         {http.MethodGet, "/metrics", "", "", 401, ""},
		"metrics with another token":      {http.MethodGet, "/metrics", "a-token-of-strangers", "", 401, ""},
		"metrics with the token":          {http.MethodGet, "/metrics", "a-token-of-operators", "", 200, "printmarket_controller_objects"},
		"the log level without a token":   {http.MethodPut, "/loglevel", "", "debug", 401, ""},
		"an unknown log level":            {http.MethodPut, "/loglevel", "a-token-of-operators", "trace", 400, ""},
		"the log level with the token":    {http.MethodPut, "/loglevel", "a-token-of-operators", "debug", 200, "debug"},
		"profiles, which are not enabled": {http.MethodGet, "/debug/pprof/", "a-token-of-operators", "", 404, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, origin+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatalf("http.NewRequest: %v", err)
		}
		if test.token != "" {
			request.Header.Set("Authorization", "Bearer "+test.token)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(body), test.contains) {
			t.Errorf("%s: status %d, %.200q (%v), want %d with %q", name, response.StatusCode, body, err, test.status, test.contains)
		}
	}
}

// The executable leads, reconciles, serves metrics to holders of the token, changes its log level, logs in
// JSON, traces, and ends on SIGTERM.
func TestControllerRunsOnACluster(t *testing.T) {
	t.Parallel()
	plane := shared.Plane(t)
	namespace, admin := plane.Namespace(t), plane.Client(t)
	var logs bytes.Buffer
	collector := telemetrytest.New(t, nil)
	token, metrics := filepath.Join(t.TempDir(), "token"), freeAddr(t)
	if err := os.WriteFile(token, []byte("a-token-of-operators\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	process := exec.Command(filepath.Join(binaries, "printmarket"), "controller", "--otlp-endpoint", collector.URL,
		"--kubeconfig", plane.Admin().Kubeconfig(), "--namespace", namespace, "--metrics-addr", metrics, "--metrics-token-file", token, "--health-addr", "127.0.0.1:0")
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
	operateController(t, "http://"+metrics)
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("process.Process.Signal: %v", err)
	}
	err := process.Wait()
	ended = true
	if err != nil {
		t.Errorf("ended with %v\n%s", err, logs.Bytes())
	}
	if text := logs.String(); !strings.Contains(text, "the log level was changed") || !strings.Contains(text, `"level":"DEBUG`) {
		t.Errorf("log after PUT /loglevel with debug, want the change and lines of the level DEBUG:\n%s", text)
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
