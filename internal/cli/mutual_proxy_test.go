// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
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

// startHAProxy runs HAProxy until the test ends, as the guide has it but for its
// addresses and files.
func startHAProxy(t *testing.T, dir, addr, api string) {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/mutual-tls.md")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	block := regexp.MustCompile("(?s)```haproxy\n(.*?)```").FindSubmatch(guide)
	if block == nil {
		t.Fatal("the guide has no configuration of HAProxy")
	}
	config := "defaults\n  mode http\n  timeout connect 10s\n  timeout client 10s\n  timeout server 10s\n" +
		strings.NewReplacer("bind :443", "bind "+addr, "printmarket-api-mtls:443", api, "/etc/haproxy", dir).Replace(string(block[1]))
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	log, err := os.Create(filepath.Join(dir, "haproxy.log"))
	if err != nil {
		t.Fatalf("os.Create: %v", err)
	}
	command := exec.CommandContext(t.Context(), "haproxy", "-db", "-f", file)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatalf("command.Start: %v", err)
	}
	t.Cleanup(func() {
		_, _ = command.Process.Kill(), command.Wait()
		_ = log.Close()
		if output, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("output of HAProxy:\n%s", output)
		}
	})
}

func TestHAProxySpeaksForItsClientsAsTheGuideConfiguresIt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Skip("haproxy is not installed")
	}
	now := time.Now()
	identity := func() apitest.Identity { return apitest.NewIdentity(t, now.Add(-time.Hour), now.Add(time.Hour)) }
	server, proxy, client, stranger := identity(), identity(), identity(), identity()
	dir, own := t.TempDir(), t.TempDir()
	serverCert, serverKey := server.Write(t, own)
	api, front := freeAddr(t), freeAddr(t)
	p := startDev(t, t.TempDir(), "--mtls-addr", api, "--mtls-cert", serverCert, "--mtls-key", serverKey,
		"--mtls-proxies", "127.0.0.0/8", "--mtls-proxy-pins", proxy.Pin("").SPKISHA256)
	proxyCert, proxyKey := proxy.Write(t, dir)
	join(t, filepath.Join(dir, "proxy.pem"), proxyCert, proxyKey)
	join(t, filepath.Join(dir, "api.crt"), serverCert)
	startHAProxy(t, dir, front, api)
	p.until("HAProxy listens", func() error {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", front)
		if err != nil {
			return err
		}
		return conn.Close()
	})
	manifest := filepath.Join(p.env["RESOURCES_DIR"], "partners", "acme.yaml")
	original, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", manifest, err)
	}
	pinned := "\nspec:\n  requireClientCertificate: true\n  clientCertificates:\n  - name: edi\n    spkiSHA256: " + client.Pin("").SPKISHA256 + "\n"
	if err := os.WriteFile(manifest, []byte(strings.Replace(string(original), "\nspec:\n", pinned, 1)), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", manifest, err)
	}
	key := p.env["ACME_LIVE_KEY"]
	p.until("the pin counts", func() error {
		if status, _ := account(t, front, key, &client); status != 200 {
			return fmt.Errorf("answered %d", status)
		}
		return nil
	})
	forged := ":" + base64.StdEncoding.EncodeToString(client.Leaf.Raw) + ":"
	tests := map[string]struct {
		addr   string
		by     *apitest.Identity
		header []string
		want   int
	}{
		"its client":                                {front, &client, nil, 200},
		"another client":                            {front, &stranger, nil, 401},
		"another client that forges the field":      {front, &stranger, []string{"Client-Cert", forged}, 401},
		"no certificate":                            {front, nil, nil, 401},
		"no certificate, with a forged field":       {front, nil, []string{"Client-Cert", forged}, 401},
		"no certificate, with two forged fields":    {front, nil, []string{"Client-Cert", forged, "Client-Cert", forged}, 401},
		"a stranger that goes around it and forges": {api, &stranger, []string{"Client-Cert", forged}, 401},
	}
	t.Run("a body that arrives in chunks", func(t *testing.T) {
		body, write := io.Pipe()
		go func() {
			for part := range strings.SplitSeq(`{"catalogProductUid":"print:flyers:a5", "title":"First", "category":"commercial-print", "quantity":500, "deliveryCity":"Berlin"}`, " ") {
				time.Sleep(50 * time.Millisecond)
				_, _ = io.WriteString(write, part)
			}
			_ = write.Close()
		}()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+front+"/api/v1/rfq", body)
		if err != nil {
			t.Fatalf("http.NewRequestWithContext: %v", err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "chunks")
		config := &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, Certificates: []tls.Certificate{client.Certificate}}
		answer, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatalf("Do: %v", err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			t.Errorf("answered %s, want 201", answer.Status)
		}
	})
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got, _ := account(t, test.addr, key, test.by, test.header...); got != test.want {
				t.Errorf("answered %d, want %d", got, test.want)
			}
		})
	}
}

// join writes files behind each other into one.
func join(t *testing.T, into string, files ...string) {
	t.Helper()
	var all []byte
	for _, file := range files {
		part, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", file, err)
		}
		all = append(all, part...)
	}
	if err := os.WriteFile(into, all, 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", into, err)
	}
}
