// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/nodes/tree"
)

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

// plan returns two nested spaces with links, mounts and programs. One of the programs leaves
// orphans. All programs have the directory of the test in their command lines.
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
	// The addresses are reserved for tests of networks.
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
				{Name: "inner", Args: append(loop, "inner-loop")},
				{Name: "orphan", Args: []string{
					"sh", "-c", "setsid sh -c 'sleep 0.1' & touch /mnt/made && echo again >>" + p.Work + "/starts", directory,
				}},
			},
		}},
	}
	for _, made := range []string{p.Work, p.Logs} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatalf("os.MkdirAll(%q): %v", made, err)
		}
	}
	return p
}

// left returns an error that lists the remains of a plan on this machine.
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

// processes returns the processes that have a directory in their command line.
func processes(directory string) map[string]string {
	found := map[string]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		// A process may end during the search.
		line, err := os.ReadFile(file)
		if pid := filepath.Base(filepath.Dir(file)); err == nil && strings.Contains(string(line), directory) {
			found[pid] = string(line)
		}
	}
	return found
}

// running returns an error until all programs of the plan run.
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
		t.Fatalf("tree.Start: %v", err)
	}
	t.Cleanup(func() { _ = started.Stop() })
	return started
}

func supervisorLog(p *tree.Plan) string {
	content, _ := os.ReadFile(filepath.Join(p.Logs, tree.SupervisorLog))
	return string(content)
}
