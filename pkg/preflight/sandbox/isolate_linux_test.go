// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// TestIsolatedInspectorReachesNothingOutside runs a program in place of the inspector that
// tries to reach its parent, files, the network and other processes. Without isolation the
// same attempts succeed.
func TestIsolatedInspectorReachesNothingOutside(t *testing.T) {
	t.Parallel()
	// A descriptor that the worker leaks, because it is not closed on exec. Those of the protocol would replace
	// it if it were one of the first.
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatalf("os.Open: %v", err)
	}
	defer func() { _ = null.Close() }()
	leaked, err := unix.FcntlInt(null.Fd(), unix.F_DUPFD, 100)
	if err != nil {
		t.Fatalf("F_DUPFD: %v", err)
	}
	t.Cleanup(func() { _ = unix.Close(leaked) })
	for mode, want := range map[string][]string{
		"escape": nil,
		"roam": {
			"fork", "list a directory", "map executable memory", "open a TCP socket", "open a Unix socket", "open a netlink socket",
			"own a pipe's signals", "read a file", "read the parent's environment", "signal the parent", "start a process", "use another descriptor", "write a file",
		},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave(mode), File: pdf(t, nil)})
			var failure *sandbox.Error
			if !errors.As(err, &failure) {
				t.Fatalf("Run in mode %s: error %v, want a sandbox.Error", mode, err)
			}
			var got []string
			for line := range strings.Lines(failure.Tail) {
				got = append(got, strings.TrimSpace(line))
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("attempts that succeeded in mode %s (-want +got):\n%s", mode, diff)
			}
		})
	}
}

// TestProcessesAreForbidden runs without the filter, so that only the limit of processes
// counts. The Go runtime has the threads it needs.
func TestProcessesAreForbidden(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave("alone"), File: pdf(t, nil)})
	var failure *sandbox.Error
	if !errors.As(err, &failure) || strings.TrimSpace(failure.Tail) != "fork: "+unix.EAGAIN.Error() {
		t.Errorf("Run: error %v, want one of the sandbox that ends with the failure to fork", err)
	}
}

// TestInspectorThatCannotBeIsolatedFailsToStart: the fault is not the file's.
func TestInspectorThatCannotBeIsolatedFailsToStart(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave("bare"), File: pdf(t, nil)})
	var failure *sandbox.Error
	if err == nil || errors.As(err, &failure) || !strings.Contains(err.Error(), "isolate: on purpose") {
		t.Errorf("Run: error %v, want one of the start that names the cause", err)
	}
}
