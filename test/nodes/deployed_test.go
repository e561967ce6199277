// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/nodes"
)

// deployed is the server of testdata, deployed in its own namespace.
type deployed struct {
	namespace string
	address   string
}

// deploy deploys the server and waits until all of its pods are ready and its Service responds.
func deploy(t *testing.T, purpose string) deployed {
	t.Helper()
	requireCluster(t)
	// A repeated test gets a new namespace, because the last one may still be terminating.
	namespace := purpose + "-" + strings.ToLower(rand.Text()[:6])
	loadServer(t)
	manifests, err := os.ReadFile("testdata/server.yaml")
	if err != nil {
		t.Fatalf(`os.ReadFile("testdata/server.yaml"): %v`, err)
	}
	if _, err := cluster.Kubectl(t.Context(), strings.ReplaceAll(string(manifests), "NAMESPACE", namespace),
		"apply", "--server-side", "--filename=-"); err != nil {
		t.Fatalf(`cluster.Kubectl("apply", "--server-side", "--filename=-"): %v`, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			logState(t, namespace)
		}
		_, _ = cluster.Kubectl(context.WithoutCancel(t.Context()), "", "delete", "namespace", namespace, "--wait=false")
	})
	d := deployed{namespace: namespace}
	d.rolledOut(t)
	d.address = d.kubectl(t, "get", "service", "server", "--output=jsonpath={.spec.clusterIP}")
	// kube-proxy processes a new Service with a delay.
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		_, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		return err
	})
	return d
}

// logState logs the state for the analysis of failures.
func logState(t *testing.T, namespace string) {
	t.Helper()
	for _, about := range [][]string{
		{"get", "pods", "--output=wide", "--namespace=" + namespace},
		{"get", "events", "--namespace=" + namespace},
		{"get", "nodes", "--output=wide"},
	} {
		output, err := cluster.Kubectl(context.WithoutCancel(t.Context()), "", about...)
		t.Logf("kubectl %v: %v\n%s", about, err, output)
	}
}

func (d deployed) kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	output, err := cluster.Kubectl(t.Context(), "", append([]string{"--namespace=" + d.namespace}, arguments...)...)
	if err != nil {
		t.Fatalf("cluster.Kubectl: %v", err)
	}
	return output
}

func (d deployed) rolledOut(t *testing.T) {
	t.Helper()
	d.kubectl(t, "rollout", "status", "--timeout=180s", "deployment/server")
}

// each returns a field of every pod that is not terminating.
func (d deployed) each(t *testing.T, field string) []string {
	t.Helper()
	return strings.Fields(d.kubectl(t, "get", "pods",
		"--output=go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{"+field+"}} {{end}}{{end}}"))
}

// pods returns the names of the pods that are not terminating.
func (d deployed) pods(t *testing.T) []string {
	t.Helper()
	return d.each(t, ".metadata.name")
}

// loadServer builds the server and loads its image into the nodes. Repeated loads cost little,
// because containerd identifies images by digest.
func loadServer(t *testing.T) {
	t.Helper()
	directory := t.TempDir()
	program := filepath.Join(directory, "testserver")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./testdata/server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, output)
	}
	image := filepath.Join(directory, "image.tar")
	if err := nodes.WriteImage(image, nodes.Image{
		Name: "localhost/testserver:1", Entrypoint: []string{"/testserver"}, User: "65532:65532",
		Layers: [][]nodes.ImageFile{{{Path: "/testserver", Source: program, Mode: 0o755}}},
	}); err != nil {
		t.Fatalf("nodes.WriteImage(%q): %v", image, err)
	}
	if err := cluster.LoadImage(t.Context(), image); err != nil {
		t.Fatalf("cluster.LoadImage(%q): %v", image, err)
	}
}

// get returns the body of a 200 response, and an error for any other response.
func get(ctx context.Context, client *http.Client, method, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return string(body), err
}

// newConnections returns a client that opens a connection for each request, so that kube-proxy
// chooses a pod each time.
func newConnections() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

// load sends requests to the Service from two clients and records the failures. One client keeps
// its connections open.
type load struct {
	answers atomic.Int64
	mu      sync.Mutex
	failed  []error
	stop    context.CancelFunc
	ended   sync.WaitGroup
}

func start(t *testing.T, d deployed) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{stop: cancel}
	for _, client := range []*http.Client{newConnections(), {Transport: &http.Transport{}}} {
		l.ended.Go(func() { l.run(ctx, client, "http://"+d.address) })
	}
	t.Cleanup(func() { cancel(); l.ended.Wait() })
	return l
}

func (l *load) run(ctx context.Context, client *http.Client, url string) {
	defer client.CloseIdleConnections()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		_, err := get(ctx, client, http.MethodGet, url)
		switch {
		case err == nil:
			l.answers.Add(1)
		case ctx.Err() == nil:
			l.mu.Lock()
			l.failed = append(l.failed, err)
			l.mu.Unlock()
		}
		<-ticker.C
	}
}

func (l *load) check(t *testing.T) {
	t.Helper()
	l.stop()
	l.ended.Wait()
	t.Logf("%d responses", l.answers.Load())
	if l.answers.Load() == 0 {
		t.Error("no request succeeded")
	}
	if err := errors.Join(l.failed...); err != nil {
		t.Errorf("%d requests failed: %v", len(l.failed), err)
	}
}
