// SPDX-License-Identifier: Apache-2.0

//go:build linux

package kubenode_test

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

	"github.com/printmarket/printmarket/internal/kubenode"
	"github.com/printmarket/printmarket/internal/kubenode/archive"
)

var cluster *kubenode.Cluster

func TestMain(m *testing.M) {
	kubenode.Enter()
	if end := os.Getenv(childVariable); end != "" {
		endWithCluster(end)
	}
	if os.Getenv(kubenode.WantedVariable) == "" {
		// There is much to test without a cluster.
		os.Exit(m.Run())
	}
	os.Exit(kubenode.Run(m, kubenode.Options{Nodes: 2}, &cluster))
}

func requireCluster(t *testing.T) {
	t.Helper()
	if cluster == nil {
		t.Skipf("%s is not set", kubenode.WantedVariable)
	}
}

// deployed is the server of testdata in a namespace of its own.
type deployed struct {
	namespace string
	address   string
}

// deploy deploys the server and waits until all of its pods serve and its Service
// answers.
func deploy(t *testing.T, purpose string) deployed {
	t.Helper()
	requireCluster(t)
	// A test that is repeated gets another one: the last may still be ending.
	namespace := purpose + "-" + strings.ToLower(rand.Text()[:6])
	loadServer(t)
	manifests, err := os.ReadFile("testdata/server.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Kubectl(t.Context(), strings.ReplaceAll(string(manifests), "NAMESPACE", namespace),
		"apply", "--server-side", "--filename=-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			tell(t, namespace)
		}
		_, _ = cluster.Kubectl(context.WithoutCancel(t.Context()), "", "delete", "namespace", namespace, "--wait=false")
	})
	d := deployed{namespace: namespace}
	d.rolledOut(t)
	d.address = d.kubectl(t, "get", "service", "server", "--output=jsonpath={.spec.clusterIP}")
	// kube-proxy hears of a Service in its own time.
	eventually(t, func() error {
		_, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		return err
	})
	return d
}

// tell logs what a reader of a failure asks first.
func tell(t *testing.T, namespace string) {
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
		t.Fatal(err)
	}
	return output
}

func (d deployed) rolledOut(t *testing.T) {
	t.Helper()
	d.kubectl(t, "rollout", "status", "--timeout=180s", "deployment/server")
}

// each is a field of every pod that does not end.
func (d deployed) each(t *testing.T, field string) []string {
	t.Helper()
	return strings.Fields(d.kubectl(t, "get", "pods",
		"--output=go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{"+field+"}} {{end}}{{end}}"))
}

// pods are the names of pods that do not end.
func (d deployed) pods(t *testing.T) []string {
	t.Helper()
	return d.each(t, ".metadata.name")
}

// loadServer builds the server and packs it, for each test again: images are
// known by their digests, so that costs nothing.
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
	if err := archive.Write(image, archive.Image{
		Name: "localhost/testserver:1", Entrypoint: []string{"/testserver"}, User: "65532:65532",
		Layers: [][]archive.File{{{Path: "/testserver", Source: program, Mode: 0o755}}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := cluster.LoadImage(t.Context(), image); err != nil {
		t.Fatal(err)
	}
}

// get answers with the body of a 200.
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

// newConnections is a client that dials for each request, so that kube-proxy
// chooses each time.
func newConnections() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

// eventually polls for up to two minutes: nodes are slow beside other tests.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still not: %v", err)
		case <-ticker.C:
		}
	}
}

func TestServicesReachPodsOfEveryNodeFromTheHost(t *testing.T) {
	t.Parallel()
	d := deploy(t, "reach")
	nodes := d.each(t, ".spec.nodeName")
	if joined := strings.Join(nodes, " "); !strings.Contains(joined, "node-1") || !strings.Contains(joined, "node-2") {
		t.Errorf("pods are on %q; want both nodes", nodes)
	}
	seen := map[string]bool{}
	eventually(t, func() error {
		answer, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		if err != nil {
			return err
		}
		seen[answer] = true
		if len(seen) < len(nodes) {
			return fmt.Errorf("seen %d of %d pods", len(seen), len(nodes))
		}
		return nil
	})
}

func TestPodsLookUpNamesOfTheClusterAndNoOthers(t *testing.T) {
	t.Parallel()
	d := deploy(t, "names")
	for name, want := range map[string]string{
		"server":                         d.address,
		"server." + d.namespace + ".svc": d.address,
		"server." + d.namespace + ".svc.cluster.local": d.address,
	} {
		eventually(t, func() error {
			got, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/lookup/"+name)
			if err == nil && got != want {
				err = fmt.Errorf("%s is %s; want %s", name, got, want)
			}
			return err
		})
	}
	if got, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/lookup/example.org"); err == nil {
		t.Errorf("example.org is %s", got)
	} else if !strings.Contains(err.Error(), "no such host") {
		t.Errorf("example.org: %v; want that there is no such host", err)
	}
}

func TestKubectlReachesIntoPods(t *testing.T) {
	t.Parallel()
	d := deploy(t, "into")
	pod := d.pods(t)[0]
	if log := d.kubectl(t, "logs", pod); !strings.Contains(log, "serving version one") {
		t.Errorf("log: %q", log)
	}
	echo, err := cluster.Kubectl(t.Context(), "a line", "exec", "--namespace="+d.namespace, "--stdin", pod, "--", "/testserver", "echo")
	if err != nil || echo != "a line" {
		t.Errorf("exec: %q, %v", echo, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	forward := cluster.Command(ctx, "port-forward", "--namespace="+d.namespace, "pod/"+pod, ":8080")
	output, err := forward.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := forward.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = forward.Wait() })
	var port int
	if _, err := fmt.Fscanf(output, "Forwarding from 127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	answer, err := get(t.Context(), newConnections(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/", port))
	if want := "one " + pod; err != nil || answer != want {
		t.Errorf("got %q, %v; want %q", answer, err, want)
	}
}

func TestNoRequestFailsDuringARollout(t *testing.T) {
	t.Parallel()
	d := deploy(t, "rollout")
	load := start(t, d)
	d.kubectl(t, "set", "env", "deployment/server", "VERSION=two")
	d.rolledOut(t)
	eventually(t, func() error {
		answer, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		if err == nil && !strings.HasPrefix(answer, "two ") {
			err = fmt.Errorf("answer %q", answer)
		}
		return err
	})
	load.check(t)
}

// load is what clients see, of whom some keep their connections.
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
	t.Logf("%d answers", l.answers.Load())
	if l.answers.Load() == 0 {
		t.Error("no request was answered")
	}
	if err := errors.Join(l.failed...); err != nil {
		t.Errorf("%d requests failed: %v", len(l.failed), err)
	}
}

func TestAContainerThatEatsMoreThanItsLimitIsKilled(t *testing.T) {
	t.Parallel()
	d := deploy(t, "memory")
	pod := d.pods(t)[0]
	ip := d.kubectl(t, "get", "pod", pod, "--output=jsonpath={.status.podIP}")
	if answer, err := get(t.Context(), newConnections(), http.MethodPost, "http://"+ip+":8080/eat/256"); err == nil {
		t.Errorf("it ate: %q", answer)
	}
	eventually(t, func() error {
		ended := d.kubectl(t, "get", "pod", pod,
			"--output=jsonpath={.status.containerStatuses[0].lastState.terminated.reason} {.status.containerStatuses[0].lastState.terminated.exitCode}")
		if ended != "OOMKilled 137" {
			return fmt.Errorf("it ended: %q", ended)
		}
		return nil
	})
	d.rolledOut(t)
}

func TestNoRequestFailsWhenANodeIsDrained(t *testing.T) {
	// Not parallel: others need the node.
	d := deploy(t, "drain")
	load := start(t, d)
	t.Cleanup(func() {
		if _, err := cluster.Kubectl(context.WithoutCancel(t.Context()), "", "uncordon", "node-2"); err != nil {
			t.Error(err)
		}
	})
	d.kubectl(t, "drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s")
	d.rolledOut(t)
	for _, node := range d.each(t, ".spec.nodeName") {
		if node != "node-1" {
			t.Errorf("a pod is on %s", node)
		}
	}
	load.check(t)
}
