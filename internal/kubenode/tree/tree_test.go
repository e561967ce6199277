// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/kubenode/tree"
)

// planVariable turns the test binary into a process that starts the plan of a
// file, and endVariable says how it ends.
const (
	planVariable = "TREE_TEST_PLAN"
	endVariable  = "TREE_TEST_END"
)

func TestMain(m *testing.M) {
	// Spaces live long enough to collect garbage; those of tests must hurry.
	if os.Getenv("KUBENODE_ROLE") != "" {
		debug.SetMemoryLimit(1)
	}
	tree.Enter()
	if file := os.Getenv(planVariable); file != "" {
		abandon(file, os.Getenv(endVariable))
	}
	os.Exit(m.Run())
}

// abandon starts a tree and ends without stopping it.
func abandon(file, end string) {
	content, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var plan tree.Plan
	if err := json.Unmarshal(content, &plan); err != nil {
		panic(err)
	}
	if _, err := tree.Start(&plan); err != nil {
		panic(err)
	}
	if end == "panic" {
		panic("with a tree")
	}
	select {}
}

// eventually polls for up to 30 seconds.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
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

func requireRights(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("namespaces need root")
	}
	if err := tree.CgroupsUnavailable(); err != nil {
		t.Skip(err)
	}
	if err := exec.CommandContext(t.Context(), "unshare", "--mount", "--net", "--pid", "--fork", "true").Run(); err != nil {
		t.Skipf("namespaces cannot be made: %v", err)
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip(err)
	}
}

// plan is two nested spaces with links, mounts and programs, of which one leaves
// orphans. All have the directory of the test in their command lines.
func plan(t *testing.T, number int) *tree.Plan {
	t.Helper()
	directory := t.TempDir()
	loop := []string{"sh", "-c", "while sleep 1; do :; done", directory}
	p := &tree.Plan{
		Name:    fmt.Sprintf("tree%d-%d", os.Getpid()%100000, number),
		Work:    filepath.Join(directory, "work"),
		Logs:    filepath.Join(directory, "logs"),
		Cgroups: []string{"inner"},
	}
	// Addresses of a range for tests of networks.
	p.Host = [][]string{
		{"ip", "address", "add", fmt.Sprintf("198.18.%d.1/24", number), "dev", p.Name},
		{"ip", "link", "set", p.Name, "up"},
	}
	p.Root = tree.Space{
		Name:      "outer",
		Link:      tree.Link{Outside: p.Name, Inside: "up"},
		Setup:     [][]string{{"ip", "link", "set", "inner", "up"}},
		Processes: []tree.Process{{Name: "outer", Args: loop}},
		Spaces: []tree.Space{{
			Name:   "inner",
			Link:   tree.Link{Outside: "inner", Inside: "eth0"},
			Mounts: []tree.Mount{{Source: "tmpfs", Target: "/mnt", Type: "tmpfs"}},
			Processes: []tree.Process{
				{Name: "inner", Args: loop},
				{Name: "orphan", Args: []string{
					"sh", "-c", "setsid sh -c 'sleep 0.1' & touch /mnt/made && echo again >>" + p.Work + "/starts", directory,
				}},
			},
		}},
	}
	for _, made := range []string{p.Work, p.Logs} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// left is an error that names what is left of a plan on this machine.
func left(p *tree.Plan) error {
	var all []error
	if _, err := net.InterfaceByName(p.Name); err == nil {
		all = append(all, errors.New("the link"))
	}
	if _, err := os.Stat(p.Work); !errors.Is(err, fs.ErrNotExist) {
		all = append(all, fmt.Errorf("the files: %w", err))
	}
	for what, pattern := range map[string]string{"cgroup": "/sys/fs/cgroup/" + p.Name, "cgroups": "/sys/fs/cgroup/*/" + p.Name} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			all = append(all, fmt.Errorf("%s %q", what, found))
		}
	}
	for _, file := range []string{"/proc/self/mountinfo", "/proc/net/route"} {
		content, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(content), p.Name) || strings.Contains(string(content), p.Work) {
			all = append(all, fmt.Errorf("something in %s: %w", file, err))
		}
	}
	for pid, line := range processes(filepath.Dir(p.Work)) {
		all = append(all, fmt.Errorf("process %s: %q", pid, line))
	}
	return errors.Join(all...)
}

// processes finds those that have a directory in their command line.
func processes(directory string) map[string]string {
	found := map[string]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		// A process may end while we look.
		line, err := os.ReadFile(file)
		if pid := filepath.Base(filepath.Dir(file)); err == nil && strings.Contains(string(line), directory) {
			found[pid] = string(line)
		}
	}
	return found
}

// running is an error until everything in the plan runs.
func running(p *tree.Plan) error {
	if _, err := net.InterfaceByName(p.Name); err != nil {
		return err
	}
	if found := processes(filepath.Dir(p.Work)); len(found) < 2 {
		return fmt.Errorf("running: %q", found)
	}
	_, err := os.Stat(filepath.Join(p.Work, "starts"))
	return err
}

func start(t *testing.T, p *tree.Plan) *tree.Tree {
	t.Helper()
	started, err := tree.Start(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = started.Stop() })
	return started
}

func warden(p *tree.Plan) string {
	content, _ := os.ReadFile(filepath.Join(p.Logs, tree.WardenLog))
	return string(content)
}

func TestNothingIsLeftWhenATreeIsStopped(t *testing.T) {
	t.Parallel()
	requireRights(t)
	p := plan(t, 1)
	started := start(t, p)
	eventually(t, func() error { return running(p) })

	if err := started.Stop(); err != nil {
		t.Errorf("stop: %v\n%s", err, warden(p))
	}
	// The kernel takes links apart in its own time.
	eventually(t, func() error { return left(p) })
}

func TestNothingIsLeftWhenTheProcessThatStartedATreeDies(t *testing.T) {
	t.Parallel()
	requireRights(t)
	for end, number := range map[string]int{"killed": 2, "panic": 3} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			p := plan(t, number)
			content, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(p.Logs, "plan.json")
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), self)
			child.Env = append(os.Environ(), planVariable+"="+file, endVariable+"="+end)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			if end == "killed" {
				eventually(t, func() error { return running(p) })
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			if err := child.Wait(); err == nil {
				t.Error("the child ended well")
			}
			eventually(t, func() error { return left(p) })
		})
	}
}

func TestAProgramThatEndsIsStartedAgainAndItsOrphansAreReaped(t *testing.T) {
	t.Parallel()
	requireRights(t)
	p := plan(t, 4)
	start(t, p)
	eventually(t, func() error {
		content, err := os.ReadFile(filepath.Join(p.Work, "starts"))
		if err == nil && strings.Count(string(content), "again") < 3 {
			err = fmt.Errorf("started %q", content)
		}
		return err
	})
	eventually(t, func() error { return zombies(p) })
}

// zombies is an error that names the dead of the inner space, whose programs are
// siblings of one of which the command line is known.
func zombies(p *tree.Plan) error {
	for pid := range processes(filepath.Dir(p.Work)) {
		namespace, err := os.Readlink("/proc/" + pid + "/ns/pid")
		if err != nil {
			continue
		}
		files, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, file := range files {
			stat, err := os.ReadFile(file)
			other, _ := os.Readlink(filepath.Join(filepath.Dir(file), "ns/pid"))
			if err == nil && other == namespace && strings.Contains(string(stat), ") Z ") {
				return fmt.Errorf("a zombie: %s", stat)
			}
		}
	}
	return nil
}

func TestATreeThatCannotBeSetUpEndsAndSaysWhy(t *testing.T) {
	t.Parallel()
	requireRights(t)
	tests := map[string]struct {
		number int
		spoil  func(*tree.Plan)
		want   string
	}{
		"a command of the host fails":   {5, func(p *tree.Plan) { p.Host = [][]string{{"false", "host"}} }, "host"},
		"a command of a space fails":    {6, func(p *tree.Plan) { p.Root.Setup = [][]string{{"false", "outer"}} }, "outer"},
		"an inner space cannot be made": {7, func(p *tree.Plan) { p.Root.Spaces[0].Setup = [][]string{{"false", "deep"}} }, "deep"},
		"a program is missing": {8, func(p *tree.Plan) {
			p.Root.Spaces[0].Processes = []tree.Process{{Name: "none", Args: []string{"no-such-program"}}}
		}, "no-such-program"},
		"a mount has no target": {9, func(p *tree.Plan) { p.Root.Spaces[0].Mounts[0].Target = "/no/such/target" }, "/no/such/target"},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			p := plan(t, test.number)
			test.spoil(p)
			started := start(t, p)
			eventually(t, func() error {
				select {
				case <-started.Ended():
					return nil
				default:
					return errors.New("it runs")
				}
			})
			if err := started.Stop(); err == nil {
				t.Error("the warden is content")
			}
			if log := warden(p); !strings.Contains(log, test.want) {
				t.Errorf("the log does not name %q:\n%s", test.want, log)
			}
			eventually(t, func() error { return left(p) })
		})
	}
}

func TestAProgramThatDoesNotEnterCannotStartTrees(t *testing.T) {
	// Not parallel: it changes the environment.
	t.Setenv("KUBENODE_ROLE", "space")
	if _, err := tree.Start(&tree.Plan{}); !errors.Is(err, tree.ErrNotEntered) {
		t.Errorf("got %v", err)
	}
}
