// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/apitest"
)

func TestTheFlagsOfMutualTLSNeedEachOther(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"--mtls-addr", "127.0.0.1:0"}, {"--mtls-cert", "a.crt", "--mtls-key", "a.key"}, {"--mtls-addr", "127.0.0.1:0", "--mtls-cert", "a.crt"},
	} {
		out, err := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{
			"dev", "--data", t.TempDir(), "--api-addr", "127.0.0.1:0", "--registry-addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0",
		}, flags...)...).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("--mtls-addr, --mtls-cert and --mtls-key need each other")) {
			t.Errorf("%v: %v\n%s", flags, err, out)
		}
	}
}

// guidesPin runs the command of the guide on a certificate.
func guidesPin(t *testing.T, identity apitest.Identity) string {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/mutual-tls.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("(?m)^openssl x509 .*$").Find(guide)
	dir := t.TempDir()
	certFile, _ := identity.Write(t, dir)
	if err := os.Rename(certFile, filepath.Join(dir, "client.crt")); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "sh", "-e", "-c", string(command))
	run.Dir = dir
	out, err := run.Output()
	if err != nil || len(out) < 64 {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out[:64])
}

// TestMutualTLSFromThePinToItsRemoval walks through the guide.
func TestMutualTLSFromThePinToItsRemoval(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	now := time.Now()
	server, client := apitest.NewIdentity(t, now.Add(-time.Hour), now.Add(time.Hour)), apitest.NewIdentity(t, now.Add(-time.Hour), now.Add(time.Hour))
	files := t.TempDir()
	certFile, keyFile := server.Write(t, files)
	addr := freeAddr(t)
	p := startDev(t, t.TempDir(), "--mtls-addr", addr, "--mtls-cert", certFile, "--mtls-key", keyFile)
	var served *x509.Certificate
	mutual := func() int {
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			Certificates: []tls.Certificate{client.Certificate}, MinVersion: tls.VersionTLS13,
			InsecureSkipVerify: true, // it changes on the way
			VerifyConnection:   func(state tls.ConnectionState) error { served = state.PeerCertificates[0]; return nil },
		}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+addr+"/api/v1/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+p.env["ACME_LIVE_KEY"])
		resp, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	plain := func() int { return p.call("GET", "/api/v1/account", "ACME_LIVE_KEY", nil).Status }
	answers := func(when string, wantPlain, wantMutual int) {
		t.Helper()
		p.until(when, func() error {
			if gotPlain, gotMutual := plain(), mutual(); gotPlain != wantPlain || gotMutual != wantMutual {
				return fmt.Errorf("plain %d, mutual %d; want %d and %d", gotPlain, gotMutual, wantPlain, wantMutual)
			}
			return nil
		})
	}
	manifest := filepath.Join(p.env["RESOURCES_DIR"], "partners", "acme.yaml")
	original, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(spec string) {
		t.Helper()
		if err := os.WriteFile(manifest, []byte(strings.Replace(string(original), "\nspec:\n", "\nspec:\n"+spec, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pins := "  clientCertificates:\n  - name: edi\n    spkiSHA256: " + guidesPin(t, client) + "\n"
	answers("before the pin", 200, 401)
	apply(pins)
	answers("pinned", 200, 200)
	apply("  requireClientCertificate: true\n" + pins)
	answers("required", 401, 200)

	next := apitest.NewIdentity(t, now.Add(-time.Hour), now.Add(100*time.Hour))
	next.Write(t, files)
	if status := mutual(); status != 200 || !served.Equal(next.Leaf) {
		t.Errorf("after its files have changed: answered %d, the new certificate is served: %t", status, served.Equal(next.Leaf))
	}
	metrics, err := p.client.Get(p.env["OPS_URL"] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = metrics.Body.Close() }()
	text, err := io.ReadAll(metrics.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`reason="CertificateMissing"`, `reason="CertificateUnpinned"`, `listener="mtls"`,
		"printmarket_mtls_certificate_remaining_seconds 3", "printmarket_mtls_certificate_fault 0",
	} {
		if !bytes.Contains(text, []byte(line)) {
			t.Errorf("the metrics have no %s", line)
		}
	}
	apply("  requireClientCertificate: true\n")
	answers("once the pin is removed", 401, 401)
}
