// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

// Receivers reject signatures of another time, so a webhook worker compares its clock with that of
// the database.
func TestWebhookWorkerChecksItsClock(t *testing.T) {
	t.Parallel()
	plane, ops := shared.Plane(t), freeAddr(t)
	environment := append(os.Environ(), "PRINTMARKET_DATABASE_URL="+pgtest.Start(t).URL("postgres"))
	migrate := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "migrate")
	migrate.Env = environment
	if output, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v\n%s", err, output)
	}
	worker := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "worker", "--role=webhooks",
		"--kubeconfig="+plane.Admin().Kubeconfig(), "--namespace="+plane.Namespace(t), "--ops-addr="+ops)
	worker.Env = environment
	if err := worker.Start(); err != nil {
		t.Fatalf("start the worker: %v", err)
	}
	defer func() { _ = worker.Process.Signal(syscall.SIGTERM); _ = worker.Wait() }()
	eventually.Succeeds(t, func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ops+"/readyz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		var ready struct{ Checks map[string]string }
		if err := json.NewDecoder(response.Body).Decode(&ready); err != nil {
			return err
		}
		if ready.Checks["clock"] != "ok" {
			return fmt.Errorf("the checks are %v, want a check clock that is ok", ready.Checks)
		}
		return nil
	})
}
