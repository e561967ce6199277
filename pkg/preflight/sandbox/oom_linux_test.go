// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An operator reads why an inspector was killed, and whether that is known.
func TestKilledInspectorIsOutOfMemoryOnlyIfTheKernelSaysSo(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "/bin/sh", "-c", "kill -9 $$")
	if err := command.Run(); err == nil || !killed(command.ProcessState) {
		t.Fatalf("the process ended with %v, want SIGKILL", err)
	}
	// A child of this process counts as at least as large as the process itself.
	small, large := Limits{Memory: 1 << 40, CPU: time.Hour}, Limits{Memory: 1 << 20, CPU: time.Hour}
	for name, tc := range map[string]struct {
		memory shortage
		limits Limits
		reason error
		detail string
	}{
		"the kernel counted a kill":                           {someShortage, small, ErrMemoryLimit, "the kernel killed it for lack of memory"},
		"the kernel counted none":                             {noShortage, small, ErrCrash, "another process killed it (SIGKILL); the kernel reports no lack of memory"},
		"the kernel counted none, and the child is large":     {noShortage, large, ErrCrash, "another process killed it"},
		"the count is unknown":                                {shortageUnknown, small, ErrCrash, "it is unknown whether the memory ran out"},
		"the count is unknown, and the child used its memory": {shortageUnknown, large, ErrMemoryLimit, "it is unknown whether the memory ran out"},
	} {
		c := &child{cmd: command, waited: errors.New("signal: killed"), memory: tc.memory}
		if err := c.failure(t.Context(), tc.limits); !errors.Is(err, tc.reason) || !strings.Contains(err.Detail, tc.detail) {
			t.Errorf("%s: %v, want %v with %q", name, err, tc.reason, tc.detail)
		}
	}
}

func TestKillsForLackOfMemoryAreCounted(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "memory.events")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return path
	}
	group, machine := file("low 0\noom 4\noom_kill 3\noom_group_kill 1\n"), file("pgfault 9\noom_kill 8\n")
	for name, tc := range map[string]struct {
		files []string
		want  int
	}{
		"the cgroup precedes the machine": {[]string{group, machine}, 3},
		"without a cgroup":                {[]string{"/none", machine}, 8},
		"an old kernel":                   {[]string{"/none", file("pgfault 9\n")}, -1},
		"another format":                  {[]string{file("oom_kill many\n")}, -1},
	} {
		if got := oomKillsIn(tc.files...); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
	if _, err := os.Stat("/proc/vmstat"); err == nil && oomKills() < 0 {
		t.Error("the kernel of this machine shows no count")
	}
	for name, tc := range map[string]struct {
		before, after int
		want          shortage
	}{
		"one more":        {2, 3, someShortage},
		"as many":         {2, 2, noShortage},
		"unknown":         {-1, -1, shortageUnknown},
		"unknown at last": {2, -1, shortageUnknown},
	} {
		if got := shortageBetween(tc.before, tc.after); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
