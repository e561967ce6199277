// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/nodes/tree"
)

// planVariable turns the test binary into a process that starts the plan of a file. endVariable
// selects how the process ends.
const (
	planVariable = "TREE_TEST_PLAN"
	endVariable  = "TREE_TEST_END"
)

func TestMain(m *testing.M) {
	// Spaces of production tests run long enough to collect garbage; those of this test must
	// collect it often.
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

func TestStopRemovesTheTree(t *testing.T) {
	t.Parallel()
	requireRights(t)
	p := plan(t, 1)
	started := start(t, p)
	eventually.Succeeds(t, func() error { return running(p) })

	if err := started.Stop(); err != nil {
		t.Errorf("stop: %v\n%s", err, supervisorLog(p))
	}
	// The kernel removes links asynchronously.
	eventually.Succeeds(t, func() error { return left(p) })
}

func TestTreeIsRemovedWhenItsParentDies(t *testing.T) {
	t.Parallel()
	requireRights(t)
	for end, number := range map[string]int{"killed": 2, "panic": 3} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			p := plan(t, number)
			content, err := json.Marshal(p)
			if err != nil {
				t.Fatalf("json.Marshal: %v", err)
			}
			file := filepath.Join(p.Logs, "plan.json")
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", file, err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatalf("os.Executable: %v", err)
			}
			child := exec.CommandContext(t.Context(), self)
			child.Env = append(os.Environ(), planVariable+"="+file, endVariable+"="+end)
			if err := child.Start(); err != nil {
				t.Fatalf("child.Start: %v", err)
			}
			if end == "killed" {
				eventually.Succeeds(t, func() error { return running(p) })
				if err := child.Process.Kill(); err != nil {
					t.Fatalf("child.Process.Kill: %v", err)
				}
			}
			if err := child.Wait(); err == nil {
				t.Error("the child ended well")
			}
			eventually.Succeeds(t, func() error { return left(p) })
		})
	}
}

func TestEndedProgramIsRestartedAndItsOrphansAreReaped(t *testing.T) {
	t.Parallel()
	requireRights(t)
	p := plan(t, 4)
	start(t, p)
	eventually.Succeeds(t, func() error {
		if n := starts(p); n < 3 {
			return fmt.Errorf("started %d times", n)
		}
		return nil
	})
	eventually.Succeeds(t, func() error { return zombies(p) })
}

func TestHaltedProgramStaysStoppedUntilItIsResumed(t *testing.T) {
	t.Parallel()
	requireRights(t)
	p := plan(t, 10)
	started := start(t, p)
	// The process is in the innermost space, so that every space on the way passes on the call.
	const name = "inner"
	count := func() int {
		n := 0
		for _, line := range processes(filepath.Dir(p.Work)) {
			if strings.Contains(line, name+"-loop") {
				n++
			}
		}
		return n
	}
	for range 2 {
		eventually.Succeeds(t, func() error { return wantCount(count(), 1) })
		if err := started.Halt(name); err != nil {
			t.Fatalf("started.Halt: %v", err)
		}
		eventually.Succeeds(t, func() error { return wantCount(count(), 0) })
		// Another program of the space is restarted several times; the halted one would be
		// restarted as often.
		again := starts(p)
		eventually.Succeeds(t, func() error {
			if now := starts(p); now < again+3 {
				return fmt.Errorf("the other program was started %d times since", now-again)
			}
			return nil
		})
		if n := count(); n != 0 {
			t.Errorf("%d run although they are halted", n)
		}
		if err := started.Resume(name); err != nil {
			t.Fatalf("started.Resume: %v", err)
		}
	}
	eventually.Succeeds(t, func() error { return wantCount(count(), 1) })
	if err := started.Halt("unknown"); !errors.Is(err, tree.ErrNoProcess) {
		t.Errorf("halt a process that is not in the plan: %v", err)
	}
}

func wantCount(got, want int) error {
	if got != want {
		return fmt.Errorf("%d run, want %d", got, want)
	}
	return nil
}

// starts returns how many times the ending program was started.
func starts(p *tree.Plan) int {
	content, _ := os.ReadFile(filepath.Join(p.Work, "starts"))
	return strings.Count(string(content), "again")
}

// zombies returns an error that lists the zombies of the inner space, whose programs are siblings
// of a process with a known command line.
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

func TestTreeThatCannotBeSetUpReportsTheReason(t *testing.T) {
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
			eventually.Succeeds(t, func() error {
				select {
				case <-started.Ended():
					return nil
				default:
					return errors.New("it runs")
				}
			})
			if err := started.Stop(); err == nil {
				t.Error("the supervisor reported no error")
			}
			if log := supervisorLog(p); !strings.Contains(log, test.want) {
				t.Errorf("the log does not name %q:\n%s", test.want, log)
			}
			eventually.Succeeds(t, func() error { return left(p) })
		})
	}
}

func TestStartWithoutEnterFails(t *testing.T) {
	// Not parallel, because the test changes the environment.
	t.Setenv("KUBENODE_ROLE", "space")
	if _, err := tree.Start(&tree.Plan{}); !errors.Is(err, tree.ErrNotEntered) {
		t.Errorf("got %v", err)
	}
}
