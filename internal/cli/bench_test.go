// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkDevStart measures the time from starting `printmarket dev` on an existing data
// directory to its first successful readiness check. The design limits it to 2 s.
func BenchmarkDevStart(b *testing.B) {
	data, ops := b.TempDir(), "127.0.0.1:28082"
	for b.Loop() {
		process := exec.Command(filepath.Join(binaries, "printmarket"), "dev", "--data", data, "--ops-addr", ops,
			"--api-addr", "127.0.0.1:0", "--registry-addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0")
		if err := process.Start(); err != nil {
			b.Fatalf("process.Start: %v", err)
		}
		for deadline := time.Now().Add(10 * time.Second); !ready("http://" + ops + "/readyz"); {
			if time.Now().After(deadline) {
				b.Fatal("not ready within 10 s")
			}
		}
		b.StopTimer()
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
		b.StartTimer()
	}
}

func ready(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
