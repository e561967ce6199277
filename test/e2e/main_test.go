// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/nodes"
)

var cluster *nodes.Cluster

func TestMain(m *testing.M) {
	nodes.Enter()
	options := nodes.Options{Nodes: 2}
	if os.Getenv(neighboursVariable) != "" {
		built, err := exec.CommandContext(context.Background(), root+"/tools/neighbours/kube-router/build.sh").Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, "build kube-router:", err)
			os.Exit(1)
		}
		options.PolicyEngine = filepath.Join(strings.TrimSpace(string(built)), "kube-router")
	}
	os.Exit(nodes.Run(m, options, &cluster))
}
