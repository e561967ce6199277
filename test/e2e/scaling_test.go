// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/printmarket/printmarket/test/nodes"
)

// scaling lets KEDA scale the workers by the metrics of the API servers: to zero without jobs, to
// one for one job, to the maximum for many jobs, and back to zero.
func (p *platform) scaling() {
	p.installKEDA()
	values := filepath.Join(p.TempDir(), "scaling.yaml")
	p.must(os.WriteFile(values, fmt.Appendf(nil, `
api: {preflightTargetWait: 2s}
worker:
  keda:
    enabled: true
    minReplicas: 0
    maxReplicas: 4
    pollingSeconds: 2
    cooldownSeconds: 5
    prometheus: {serverAddress: "http://%s"}
`, p.startPrometheus()), 0o600))
	p.helm("upgrade", "market", p.chart("printmarket"), "--values="+p.values, "--values="+values, "--wait", "--timeout=5m")
	p.kubectl("", "wait", "scaledobject/printmarket-worker-preflight", "--for=condition=Ready", "--timeout=60s")

	p.awaitWorkers(0, "without jobs")
	p.scaleToOne(func() {})
	slow := *p
	slow.fileURL = "http://" + p.serve(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(3 * time.Second)
		sendFile(w)
	})
	var jobs []string
	for range 200 {
		jobs = append(jobs, slow.submit())
	}
	p.awaitWorkers(4, "for two hundred jobs")
	for _, job := range jobs {
		p.awaitSuccess(job)
	}
	p.awaitWorkers(0, "after the last job")
	p.scaleToOne(p.pausedScaling)

	// In the order of docs/guides/queue.md: KEDA must not scale after Helm.
	p.kubectl("", "delete", "scaledobject/printmarket-worker-preflight", "--timeout=60s")
	p.helm("upgrade", "market", p.chart("printmarket"), "--values="+p.values, "--wait", "--timeout=5m")
	p.awaitWorkers(2, "without KEDA")
}

// pausedScaling follows docs/guides/restore.md: while KEDA is paused, workers scale to zero
// despite an open job; afterwards they scale up again.
func (p *platform) pausedScaling() {
	p.Helper()
	const pause = "autoscaling.keda.sh/paused-replicas"
	p.kubectl("", "annotate", "scaledobject/printmarket-worker-preflight", pause+"=0")
	p.awaitWorkers(0, "while KEDA is paused")
	p.kubectl("", "annotate", "scaledobject/printmarket-worker-preflight", pause+"-")
	p.awaitWorkers(1, "after KEDA resumes")
}

// scaleToOne submits a job whose file is served only after one worker is ready and meanwhile has
// returned.
func (p *platform) scaleToOne(meanwhile func()) {
	p.Helper()
	released := make(chan struct{})
	one := *p
	one.fileURL = "http://" + p.serve(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
			sendFile(w)
		case <-r.Context().Done():
		}
	})
	job := one.submit()
	p.awaitWorkers(1, "for one job")
	meanwhile()
	close(released)
	p.awaitSuccess(job)
}

// awaitWorkers waits until the deployment has exactly the given number of ready workers.
func (p *platform) awaitWorkers(want int, when string) {
	p.Helper()
	await(p.T, fmt.Sprintf("there are %d workers %s", want, when), func() error {
		got := p.kubectl("", "get", "deployment", "printmarket-worker-preflight",
			"--output=go-template={{.spec.replicas}} wanted, {{or .status.replicas 0}} there, {{or .status.readyReplicas 0}} ready")
		if got != fmt.Sprintf("%d wanted, %[1]d there, %[1]d ready", want) {
			return errors.New(got)
		}
		return nil
	})
}

// installKEDA installs the build of tools/keda with KEDA's own manifests.
func (p *platform) installKEDA() {
	p.Helper()
	built := p.built("keda")
	directory := p.TempDir()
	// The minimal installation has no webhooks.
	patches := `
- target: {kind: Deployment, name: keda-operator}
  patch: "- {op: add, path: /spec/template/spec/containers/0/args/-, value: --enable-webhook-patching=false}"`
	for _, part := range []struct{ deployment, program string }{{"keda-operator", "keda"}, {"keda-metrics-apiserver", "keda-adapter"}} {
		file := filepath.Join(directory, part.program+".tar")
		p.must(nodes.WriteImage(file, nodes.Image{
			Name: "localhost/" + part.program + ":e2e", User: "65532:65532", Entrypoint: []string{"/" + part.program},
			Layers: [][]nodes.ImageFile{{{Path: "/" + part.program, Source: filepath.Join(built, part.program), Mode: 0o755}}},
		}))
		p.must(cluster.LoadImage(p.Context(), file))
		patches += fmt.Sprintf(`
- target: {kind: Deployment, name: %s}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/image, value: "localhost/%s:e2e"}
    - {op: replace, path: /spec/template/spec/containers/0/imagePullPolicy, value: Never}
    - {op: remove, path: /spec/template/spec/containers/0/resources}`, part.deployment, part.program)
	}
	p.must(os.CopyFS(filepath.Join(directory, "keda"), os.DirFS(filepath.Join(built, "config"))))
	p.must(os.WriteFile(filepath.Join(directory, "kustomization.yaml"), []byte("resources: [keda/minimal]\npatches:"+patches+"\n"), 0o600))
	// Apply server-side, because one CRD is too large for the annotation of a client-side apply.
	for _, arguments := range [][]string{
		{"apply", "--server-side", "--kustomize=" + directory},
		{"rollout", "status", "deployment/keda-operator", "--namespace=keda", "--timeout=120s"},
		{"rollout", "status", "deployment/keda-metrics-apiserver", "--namespace=keda", "--timeout=120s"},
		{"wait", "apiservice/v1beta1.external.metrics.k8s.io", "--for=condition=Available", "--timeout=60s"},
	} {
		_, err := cluster.Kubectl(p.Context(), "", arguments...)
		p.must(err)
	}
}

// startPrometheus starts Prometheus on this machine at an address that pods reach, and returns the
// address. Prometheus scrapes every API server.
func (p *platform) startPrometheus() string {
	p.Helper()
	listener := p.listen()
	address := listener.Addr().String()
	p.must(listener.Close())
	directory := p.TempDir()
	config := filepath.Join(directory, "prometheus.yaml")
	p.must(os.WriteFile(config, fmt.Appendf(nil, `
global: {scrape_interval: 1s}
scrape_configs:
- {job_name: api, http_sd_configs: [{url: "http://%s/", refresh_interval: 1s}]}
`, p.serveTargets()), 0o600))
	log, err := os.Create(filepath.Join(directory, "prometheus.log"))
	p.must(err)
	command := exec.Command("prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(directory, "data"), "--web.listen-address="+address)
	command.Stdout, command.Stderr = log, log
	p.must(command.Start())
	p.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = log.Close()
		if p.Failed() {
			text, _ := os.ReadFile(log.Name())
			p.Logf("output of Prometheus:\n%s", text)
		}
	})
	await(p.T, "Prometheus is ready", func() error {
		got, err := call(p.Context(), http.DefaultClient, http.MethodGet, address, "/-/ready", "", "")
		if err == nil && got.status != http.StatusOK {
			err = errors.New(got.String())
		}
		return err
	})
	return address
}

// serveTargets serves the list of API servers to Prometheus, because Debian's build has no
// Kubernetes service discovery.
func (p *platform) serveTargets() string {
	p.Helper()
	return p.serve(func(w http.ResponseWriter, r *http.Request) {
		servers, err := p.listServers(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		targets := []string{}
		for _, pod := range servers {
			if pod.Status.PodIP != "" {
				targets = append(targets, net.JoinHostPort(pod.Status.PodIP, "8082"))
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode([]map[string]any{{"targets": targets, "labels": map[string]string{"namespace": p.namespace}}})
	})
}
