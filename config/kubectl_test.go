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

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/kubetest"
	"github.com/printmarket/printmarket/internal/kubetest/controlplane"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	plane  *kubetest.Plane
)

// TestMain starts a control plane. Where there is none on the machine, the tests
// that read files run all the same.
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
			t.Fatal(err)
		}
	})
}

// published is done when kubectl knows the kinds.
var published sync.Once

// person is somebody at a terminal.
type person struct {
	user      controlplane.User
	namespace string
}

func admin(namespace string) person { return person{plane.Admin(), namespace} }

// said is what kubectl printed.
type said struct {
	stdout, stderr string
	err            error
}

// kubectl runs the plane's kubectl in this directory, with input as its standard
// input. Unlike that of kubetest it keeps warnings.
func (p person) kubectl(t *testing.T, input string, arguments ...string) said {
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
	return said{stdout.String(), stderr.String(), err}
}

// must is kubectl where it succeeds and has nothing to complain of.
func (p person) must(t *testing.T, input string, arguments ...string) string {
	t.Helper()
	out := p.kubectl(t, input, arguments...)
	if out.err != nil || out.stderr != "" {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), out.err, out.stderr)
	}
	return out.stdout
}

// apply applies manifests as a field manager.
func (p person) apply(t *testing.T, manager, manifests string) said {
	t.Helper()
	return p.kubectl(t, manifests, "apply", "--server-side", "--field-manager="+manager, "--filename=-")
}

func (p person) mustApply(t *testing.T, manager, manifests string) {
	t.Helper()
	if out := p.apply(t, manager, manifests); out.err != nil {
		t.Fatalf("apply as %s: %s", manager, out.stderr)
	}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-file +got; -update writes it):\n%s", path, diff)
	}
}

// transcript is a terminal session: each command with what it prints.
type transcript struct{ strings.Builder }

func (s *transcript) add(command, output string) {
	if s.Len() > 0 {
		s.WriteByte('\n')
	}
	s.WriteString("$ " + command + "\n" + trimmed(strings.TrimRight(output, "\n")))
}

// trimmed is a text without spaces at the ends of lines.
func trimmed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return out.String()
}

// ageless replaces the ages in what kubectl get prints. A blank line separates
// the tables of several kinds.
func ageless(tables string) string {
	var out strings.Builder
	from, to := -1, -1
	header := true
	for line := range strings.Lines(tables) {
		line = strings.TrimRight(line, "\n")
		if header {
			from, to = ageColumn(line)
		}
		header = line == ""
		out.WriteString(withoutAge(line, from, to, strings.HasPrefix(line, "NAME ")) + "\n")
	}
	return out.String()
}

// ageColumn is where the column begins and where the next one does, if any.
func ageColumn(header string) (from, to int) {
	from = strings.Index(header, " AGE") + 1
	if from == 0 {
		return -1, -1
	}
	rest := header[from+len("AGE"):]
	next := strings.TrimLeft(rest, " ")
	if next == "" {
		return from, -1
	}
	return from, len(header) - len(next)
}

func withoutAge(line string, from, to int, header bool) string {
	if from < 0 || len(line) < from {
		return line
	}
	age := "-  "
	if header {
		age = "AGE"
	}
	if to < 0 || len(line) < to {
		return line[:from] + strings.TrimRight(age, " ")
	}
	return line[:from] + age + "   " + line[to:]
}
