// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/printmarket/printmarket/test/nodes/tree"
)

// WantedVariable names the environment variable that enables clusters in tests. A cluster requires
// root, a minute and half the machine.
const WantedVariable = "PRINTMARKET_E2E"

// Enter must be the first call of a program that calls [Start]. The program starts itself again as
// the guard of the cluster; in the guard Enter does not return.
func Enter() { tree.Enter() }

// Run runs the tests of a package with one cluster and returns the exit code for os.Exit in
// TestMain. If clusters are disabled or unavailable, it prints the reason, runs no test and
// returns 0. If a test fails, it keeps the logs and prints their directory.
func Run(m *testing.M, options Options, cluster **Cluster) int {
	Enter()
	if os.Getenv(WantedVariable) == "" {
		fmt.Fprintf(os.Stderr, "kubenode: no test of this package runs: %s is not set\n", WantedVariable)
		return 0
	}
	started, err := Start(context.Background(), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubenode: no test of this package runs:", err)
		if errors.Is(err, ErrUnavailable) {
			return 0
		}
		return 1
	}
	*cluster = started
	code := m.Run()
	err = started.Stop()
	if err == nil && code == 0 {
		err = started.RemoveLogs()
	} else {
		fmt.Fprintln(os.Stderr, "kubenode: the logs of the cluster are in", started.Logs())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubenode:", err)
		return max(code, 1)
	}
	return code
}
