// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e_test

import (
	"os"
	"testing"

	"github.com/printmarket/printmarket/internal/kubenode"
)

var cluster *kubenode.Cluster

func TestMain(m *testing.M) {
	os.Exit(kubenode.Run(m, kubenode.Options{Nodes: 2}, &cluster))
}
