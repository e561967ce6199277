// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/kubetest"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	plane  *kubetest.Plane
)

// TestMain starts a control plane. On a machine without one, the tests that only read files
// run all the same.
func TestMain(m *testing.M) {
	_, err := controlplane.FindAssets()
	if errors.Is(err, controlplane.ErrNoAssets) && os.Getenv(kubetest.RequiredVariable) == "" {
		os.Exit(m.Run())
	}
	os.Exit(kubetest.Run(m, &plane))
}

func requirePlane(t *testing.T) {
	t.Helper()
	if plane == nil {
		t.Skip(controlplane.ErrNoAssets)
	}
	published.Do(func() {
		if err := plane.AwaitSchemas(t.Context()); err != nil {
			t.Fatalf("plane.AwaitSchemas: %v", err)
		}
		admin("default").must(t, "", "apply", "--server-side", "--kustomize=policy", "--warnings-as-errors")
	})
}

// published runs once: it waits until kubectl finds the kinds, and applies the policies of
// config/default.
var published sync.Once

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	kubetest.Golden(t, filepath.Join("testdata", name), got, *update)
}

// person is a user at a terminal.
type person struct {
	user      controlplane.User
	namespace string
}

func admin(namespace string) person { return person{plane.Admin(), namespace} }

// commandOutput holds the output of kubectl.
type commandOutput struct {
	stdout, stderr string
	err            error
}

// kubectl runs the plane's kubectl in this directory, with input as its standard
// input. Unlike that of kubetest it keeps warnings.
func (p person) kubectl(t *testing.T, input string, arguments ...string) commandOutput {
	t.Helper()
	arguments = append([]string{"--kubeconfig=" + p.user.Kubeconfig(), "--namespace=" + p.namespace}, arguments...)
	command := exec.CommandContext(t.Context(), filepath.Join(string(plane.Assets()), "kubectl"), arguments...)
	// Neither the developer's kubeconfig nor a kuberc may play a part. The home
	// is the plane's directory, for the cache of what the server can do.
	command.Env = append(os.Environ(), "HOME="+filepath.Dir(p.user.Kubeconfig()), "KUBECONFIG=", "KUBERC=off")
	command.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return commandOutput{stdout.String(), stderr.String(), err}
}

// must runs kubectl and fails the test for an error or a warning.
func (p person) must(t *testing.T, input string, arguments ...string) string {
	t.Helper()
	out := p.kubectl(t, input, arguments...)
	if out.err != nil || out.stderr != "" {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), out.err, out.stderr)
	}
	return out.stdout
}

// apply applies manifests as a field manager.
func (p person) apply(t *testing.T, manager, manifests string) commandOutput {
	t.Helper()
	return p.kubectl(t, manifests, "apply", "--server-side", "--field-manager="+manager, "--filename=-")
}

func (p person) mustApply(t *testing.T, manager, manifests string) {
	t.Helper()
	if out := p.apply(t, manager, manifests); out.err != nil {
		t.Fatalf("apply as %s: %s", manager, out.stderr)
	}
}
