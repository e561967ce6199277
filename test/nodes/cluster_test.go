// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/nodes"
)

var cluster *nodes.Cluster

func TestMain(m *testing.M) {
	nodes.Enter()
	if end := os.Getenv(childVariable); end != "" {
		endWithCluster(end)
	}
	if os.Getenv(nodes.WantedVariable) == "" {
		// Many tests of the package need no cluster.
		os.Exit(m.Run())
	}
	os.Exit(nodes.Run(m, nodes.Options{Nodes: 2}, &cluster))
}

func requireCluster(t *testing.T) {
	t.Helper()
	if cluster == nil {
		t.Skipf("%s is not set", nodes.WantedVariable)
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
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		answer, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		if err != nil {
			return err
		}
		seen[answer] = true
		if len(seen) < len(nodes) {
			return fmt.Errorf("%d of %d pods responded", len(seen), len(nodes))
		}
		return nil
	})
}

func TestPodsReachOnlyTheHostOutsideTheCluster(t *testing.T) {
	t.Parallel()
	d := deploy(t, "host")
	listener, err := net.Listen("tcp", net.JoinHostPort(cluster.Host().String(), "0"))
	if err != nil {
		t.Fatalf(`net.Listen("tcp"): %v`, err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.RemoteAddr)
	}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)

	from, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/fetch/"+listener.Addr().String())
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	ips := d.each(t, ".status.podIP")
	if ip, _, err := net.SplitHostPort(from); err != nil || !slices.Contains(ips, ip) {
		t.Errorf("request from %s, want one of the pods %q", from, ips)
	}
	// TEST-NET-1 is reserved for documentation; no host has this address.
	if answer, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/fetch/203.0.113.1"); err == nil ||
		!strings.Contains(err.Error(), "unreachable") {
		t.Errorf("address outside of the cluster: %q, %v; want unreachable", answer, err)
	}
}

func TestDNSResolvesOnlyNamesOfTheCluster(t *testing.T) {
	t.Parallel()
	d := deploy(t, "names")
	for name, want := range map[string]string{
		"server":                         d.address,
		"server." + d.namespace + ".svc": d.address,
		"server." + d.namespace + ".svc.cluster.local": d.address,
	} {
		eventually.SucceedsWithin(t, 2*time.Minute, func() error {
			got, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/lookup/"+name)
			if err == nil && got != want {
				err = fmt.Errorf("%s resolves to %s, want %s", name, got, want)
			}
			return err
		})
	}
	if got, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address+"/lookup/example.org"); err == nil {
		t.Errorf("example.org resolves to %s, want an error", got)
	} else if !strings.Contains(err.Error(), "no such host") {
		t.Errorf("example.org: %v, want no such host", err)
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
		t.Fatalf("forward.StdoutPipe: %v", err)
	}
	if err := forward.Start(); err != nil {
		t.Fatalf("forward.Start: %v", err)
	}
	t.Cleanup(func() { cancel(); _ = forward.Wait() })
	var port int
	if _, err := fmt.Fscanf(output, "Forwarding from 127.0.0.1:%d", &port); err != nil {
		t.Fatalf("fmt.Fscanf: %v", err)
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
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		answer, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address)
		if err == nil && !strings.HasPrefix(answer, "two ") {
			err = fmt.Errorf("answer %q", answer)
		}
		return err
	})
	load.check(t)
}

func TestContainerAboveItsMemoryLimitIsKilled(t *testing.T) {
	t.Parallel()
	d := deploy(t, "memory")
	pod := d.pods(t)[0]
	ip := d.kubectl(t, "get", "pod", pod, "--output=jsonpath={.status.podIP}")
	if answer, err := get(t.Context(), newConnections(), http.MethodPost, "http://"+ip+":8080/eat/256"); err == nil {
		t.Errorf("allocation above the limit succeeded: %q", answer)
	}
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		ended := d.kubectl(t, "get", "pod", pod,
			"--output=jsonpath={.status.containerStatuses[0].lastState.terminated.reason} {.status.containerStatuses[0].lastState.terminated.exitCode}")
		if ended != "OOMKilled 137" {
			return fmt.Errorf("reason of termination: %q", ended)
		}
		return nil
	})
	d.rolledOut(t)
}

func TestFrozenContainerRespondsOnlyAfterItResumes(t *testing.T) {
	t.Parallel()
	d := deploy(t, "frozen")
	pod := d.pods(t)[0]
	container, err := cluster.Container(t.Context(), d.namespace, pod)
	if err != nil {
		t.Fatalf("cluster.Container(%q, %q): %v", d.namespace, pod, err)
	}
	if name, err := os.ReadFile(container.File("/etc/hostname")); err != nil || strings.TrimSpace(string(name)) != pod {
		t.Fatalf("container of %s has the hostname %q, %v", pod, name, err)
	}
	ip := d.kubectl(t, "get", "pod", pod, "--output=jsonpath={.status.podIP}")
	ask := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := get(ctx, newConnections(), http.MethodGet, "http://"+ip+":8080")
		return err
	}
	if err := container.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatalf("container.Process.Signal: %v", err)
	}
	// The signal may arrive after the first request.
	eventually.SucceedsWithin(t, time.Minute, func() error {
		err := ask()
		switch {
		case err == nil:
			return errors.New("the frozen container responds")
		case errors.Is(err, context.DeadlineExceeded):
			return nil
		}
		return err
	})
	if err := container.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatalf("container.Process.Signal: %v", err)
	}
	eventually.SucceedsWithin(t, 2*time.Minute, ask)

	d.kubectl(t, "scale", "deployment/server", "--replicas=0")
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		_, err := cluster.Container(t.Context(), d.namespace, pod)
		if err == nil {
			return errors.New("a deleted pod still has a container")
		}
		return nil
	})
}

func TestPodsServeWhileKubeAPIServerIsDown(t *testing.T) {
	// Not parallel, because other tests need kube-apiserver.
	d := deploy(t, "outage")
	load := start(t, d)
	if err := cluster.StopServer(t.Context()); err != nil {
		t.Fatalf("cluster.StopServer: %v", err)
	}
	t.Cleanup(func() {
		if err := cluster.RestartServer(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("cluster.RestartServer: %v", err)
		}
	})
	if output, err := cluster.Kubectl(t.Context(), "", "get", "nodes"); err == nil {
		t.Errorf("stopped kube-apiserver responds %q", output)
	}
	if _, err := get(t.Context(), newConnections(), http.MethodGet, "http://"+d.address); err != nil {
		t.Errorf("get: %v", err)
	}
	load.check(t)
}

func TestNoRequestFailsWhenANodeIsDrained(t *testing.T) {
	// Not parallel, because other tests need the node.
	d := deploy(t, "drain")
	load := start(t, d)
	t.Cleanup(func() {
		if _, err := cluster.Kubectl(context.WithoutCancel(t.Context()), "", "uncordon", "node-2"); err != nil {
			t.Errorf(`cluster.Kubectl("uncordon", "node-2"): %v`, err)
		}
	})
	// The scheduler may still place an evicted pod on the node before it observes the cordon. Like
	// an administrator, the test then drains again.
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		d.kubectl(t, "drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s")
		d.rolledOut(t)
		for _, node := range d.each(t, ".spec.nodeName") {
			if node != "node-1" {
				return fmt.Errorf("a pod is still on %s", node)
			}
		}
		return nil
	})
	load.check(t)
}
