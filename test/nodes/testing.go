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

// WantedVariable names the environment variable without which no cluster is
// started for tests: it takes root, a minute and half the machine.
const WantedVariable = "PRINTMARKET_E2E"

// Enter must come first in a program that calls [Start]: the program runs itself
// again to guard the cluster, and then does not return from here.
func Enter() { tree.Enter() }

// Run runs the tests of a package with one cluster, for os.Exit in TestMain.
// Where clusters are not wanted, or the machine cannot run them, it runs no test,
// says why, and succeeds. Logs are kept, and their place is printed, if a test
// failed.
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
