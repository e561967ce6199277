// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/programs"
)

// CoreDNSVersion is the version that tools/node builds; a test compares it with its go.mod file.
// Package controlplane declares the version of Kubernetes.
const CoreDNSVersion = "v1.15.0"

// assets holds the paths of the programs of a cluster.
type assets struct {
	control controlplane.Assets
	node    string
	// plugins is the directory of Debian's network plugins.
	plugins string
}

// made lists the programs that tools/node/build.sh builds.
func made() []string {
	return []string{"kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "coredns", "pause"}
}

// installed lists the programs that tools/node/setup.sh installs: the container runtime, and
// programs that the built programs execute.
func installed() []string {
	return []string{"containerd", "containerd-shim-runc-v2", "ctr", "runc", "nft", "ip", "mount", "umount"}
}

func findAssets() (assets, error) {
	control, err := controlplane.FindAssets()
	if err != nil {
		return assets{}, err
	}
	node, err := programs.Directory(os.Getenv, "node", "kubernetes-"+controlplane.KubernetesVersion+"-coredns-"+CoreDNSVersion)
	if err != nil {
		return assets{}, err
	}
	for _, program := range made() {
		if _, err := os.Stat(filepath.Join(node, program)); err != nil {
			return assets{}, fmt.Errorf("build it with tools/node/build.sh: %w", err)
		}
	}
	for _, program := range installed() {
		if _, err := exec.LookPath(program); err != nil {
			return assets{}, fmt.Errorf("install it with tools/node/setup.sh: %w", err)
		}
	}
	plugins, err := pluginDirectory()
	return assets{control: control, node: node, plugins: plugins}, err
}

// pluginDirectory returns the directory of Debian's network plugins, or else the usual directory.
func pluginDirectory() (string, error) {
	var missing error
	for _, directory := range []string{"/usr/lib/cni", "/opt/cni/bin"} {
		_, err := os.Stat(filepath.Join(directory, "ptp"))
		if err == nil {
			return directory, nil
		}
		missing = err
	}
	return "", fmt.Errorf("install network plugins with tools/node/setup.sh: %w", missing)
}

func (a assets) controlProgram(name string) string { return filepath.Join(string(a.control), name) }
func (a assets) nodeProgram(name string) string    { return filepath.Join(a.node, name) }
