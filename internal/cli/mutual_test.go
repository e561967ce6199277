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

	"github.com/printmarket/printmarket/test/apitest"
)

func TestContradictoryFlagsOfMutualTLSAreRejected(t *testing.T) {
	t.Parallel()
	const (
		together = "--mtls-addr, --mtls-cert and --mtls-key must be set together"
		proven   = "--mtls-proxies and --mtls-proxy-pins must be set together, and need --mtls-addr"
	)
	pin := strings.Repeat("a", 64)
	tests := map[string]struct {
		flags []string
		want  string
	}{
		"an address alone":                 {[]string{"--mtls-addr=127.0.0.1:0"}, together},
		"a certificate without an address": {[]string{"--mtls-cert=a.crt", "--mtls-key=a.key"}, together},
		"a certificate without its key":    {[]string{"--mtls-addr=127.0.0.1:0", "--mtls-cert=a.crt"}, together},
		"a proxy that proves nothing":      {[]string{"--mtls-addr=127.0.0.1:0", "--mtls-cert=a.crt", "--mtls-key=a.key", "--mtls-proxies=10.1.0.0/16"}, proven},
		"a proxy from anywhere":            {[]string{"--mtls-addr=127.0.0.1:0", "--mtls-cert=a.crt", "--mtls-key=a.key", "--mtls-proxy-pins=" + pin}, proven},
		"proxies without the listener":     {[]string{"--mtls-proxies=10.1.0.0/16", "--mtls-proxy-pins=" + pin}, proven},
		"an address where a CIDR belongs":  {[]string{"--mtls-proxies=10.1.0.1", "--mtls-proxy-pins=" + pin}, "--mtls-proxies: "},
		"a pin that is no SHA-256":         {[]string{"--mtls-proxies=10.1.0.0/16", "--mtls-proxy-pins=abc"}, "--mtls-proxy-pins: "},
		"an unsupported proxy field":       {[]string{"--mtls-proxy-field=X-Client"}, `--mtls-proxy-field must be one of Client-Cert, `},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{
				"dev", "--data", t.TempDir(), "--api-addr", "127.0.0.1:0", "--registry-addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0",
			}, test.flags...)...).CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte(test.want)) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// guidesPin runs the command of the guide on a certificate.
func guidesPin(t *testing.T, identity apitest.Identity) string {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/mutual-tls.md")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	command := regexp.MustCompile("(?m)^openssl x509 .*$").Find(guide)
	dir := t.TempDir()
	certFile, _ := identity.Write(t, dir)
	if err := os.Rename(certFile, filepath.Join(dir, "client.crt")); err != nil {
		t.Fatalf("os.Rename(%q): %v", certFile, err)
	}
	run := exec.CommandContext(t.Context(), "sh", "-e", "-c", string(command))
	run.Dir = dir
	out, err := run.Output()
	if err != nil || len(out) < 64 {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out[:64])
}

// account requests the access of a key over a new connection, and returns the certificate of
// the server.
func account(t *testing.T, addr, key string, by *apitest.Identity, header ...string) (status int, served *x509.Certificate) {
	t.Helper()
	config := &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // the caller looks at it, and it changes on the way
		VerifyConnection:   func(state tls.ConnectionState) error { served = state.PeerCertificates[0]; return nil },
	}
	if by != nil {
		// Whatever issuers the server names.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &by.Certificate, nil }
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+addr+"/api/v1/account", nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}, Timeout: 20 * time.Second}).Do(r)
	if err != nil {
		t.Fatalf("Do: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, served
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
	mutual := func() (status int) {
		status, served = account(t, addr, p.env["ACME_LIVE_KEY"], &client)
		return status
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
		t.Fatalf("os.ReadFile(%q): %v", manifest, err)
	}
	apply := func(spec string) {
		t.Helper()
		if err := os.WriteFile(manifest, []byte(strings.Replace(string(original), "\nspec:\n", "\nspec:\n"+spec, 1)), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", manifest, err)
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
		t.Fatalf("p.client.Get: %v", err)
	}
	defer func() { _ = metrics.Body.Close() }()
	text, err := io.ReadAll(metrics.Body)
	if err != nil {
		t.Fatalf("io.ReadAll: %v", err)
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
