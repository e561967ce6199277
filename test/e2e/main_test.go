// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"os"
	"testing"

	"github.com/printmarket/printmarket/test/nodes"
)

var cluster *nodes.Cluster

func TestMain(m *testing.M) {
	os.Exit(nodes.Run(m, nodes.Options{Nodes: 2}, &cluster))
}
