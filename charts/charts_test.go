// SPDX-License-Identifier: Apache-2.0

// Package charts_test holds the Helm charts against the rest of the repository:
// the kustomize tree, the binary's flags, the contracts, the guides, and a real
// kube-apiserver that real helm installs them on.
package charts_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/programs"
)

// requiredVariable names the environment variable that, when it is not empty,
// makes a missing helm a failure and not a reason to skip.
const requiredVariable = "PRINTMARKET_HELM_REQUIRED"

const (
	platformChart     = "printmarket"
	capabilitiesChart = "printmarket-capabilities"
)

var (
	update = flag.Bool("update", false, "write the golden files, README.md and the templates of the CRDs")
	plane  *kubetest.Plane
)

// TestMain starts a control plane. On a machine without one, the tests that need none run all
// the same.
func TestMain(m *testing.M) {
	_, err := controlplane.FindAssets()
	if errors.Is(err, controlplane.ErrNoAssets) && !kubetest.Required() {
		os.Exit(m.Run())
	}
	os.Exit(kubetest.Run(m, &plane))
}

func requirePlane(t *testing.T) {
	t.Helper()
	if plane == nil {
		t.Skip(controlplane.ErrNoAssets)
	}
}

// requireHelm returns the helm that tools/helm/build.sh builds.
func requireHelm(t *testing.T) string {
	t.Helper()
	return programs.Built(t, "..", "helm", "helm.sh/helm/v4", "helm", "helm", requiredVariable)
}

// commandOutput holds the output of a command.
type commandOutput struct {
	stdout, stderr string
	err            error
}

// helm runs helm in this directory, with a home of its own, so that neither a
// developer's plugins nor a kubeconfig play a part.
func helm(t *testing.T, arguments ...string) commandOutput {
	t.Helper()
	// Tests name the peers that have no default; their own values follow.
	if at := slices.IndexFunc(arguments, func(argument string) bool { return filepath.Base(argument) == platformChart }); at >= 0 {
		arguments = slices.Insert(slices.Clone(arguments), at+1, "--values="+valuesFile(t, networks))
	}
	return helmAlone(t, arguments...)
}

// helmAlone runs helm without the values that tests of the platform chart share.
func helmAlone(t *testing.T, arguments ...string) commandOutput {
	t.Helper()
	command := exec.CommandContext(t.Context(), requireHelm(t), arguments...)
	home := t.TempDir()
	command.Env = append(os.Environ(), "HOME="+home, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home, "KUBECONFIG=")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return commandOutput{stdout.String(), stderr.String(), err}
}

// origins are the values that have no default, as the kustomize tree has them.
const origins = "publicURL: {api: https://api.printmarket.example, registry: https://problems.printmarket.example}\n"

// networks are the values of networkPolicy without which nothing is rendered.
const networks = `networkPolicy: {kubernetesAPI: {to: [{ipBlock: {cidr: 10.96.0.1/32}}]}, open: [database, redis]}`

// valuesFile writes values where helm can read them.
func valuesFile(t *testing.T, values string) string {
	t.Helper()
	// Not t.TempDir, whose path has the test's name: helm splits at commas.
	file, err := os.CreateTemp("", "values-*.yaml") //nolint:usetesting // see above
	if err != nil {
		t.Fatalf("os.CreateTemp  values-*.yaml: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(file.Name()) })
	if _, err := file.WriteString(values); err != nil {
		t.Fatalf("file.WriteString: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Fatalf("file.Close: %v", err)
	}
	return file.Name()
}

// renders keeps what helm has rendered, because many tests look at the same manifests.
var renders sync.Map // of [2]string, chart and values, to func() commandOutput

// render returns the manifests that helm renders from a chart, without a cluster.
func render(t *testing.T, chart, values string) string {
	t.Helper()
	once, _ := renders.LoadOrStore([2]string{chart, values}, sync.OnceValue(func() commandOutput {
		return helm(t, "template", "market", chart, "--namespace=printmarket", "--values="+valuesFile(t, values))
	}))
	out := once.(func() commandOutput)()
	if out.err != nil {
		t.Fatalf("helm template: %s", out.stderr)
	}
	return out.stdout
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	current(t, filepath.Join("testdata", name), got)
}

// current fails the test unless a file equals the output of its generator.
func current(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("os.MkdirAll: %v", err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatalf("os.WriteFile %v: %v", path, err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", path, err)
	}
	if diff := cmp.Diff(string(have), want); diff != "" {
		t.Errorf("%s (-file +got; go test ./charts -update writes it):\n%s", path, diff)
	}
}

// source is a file of the repository.
func source(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return string(content)
}
