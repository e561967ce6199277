// SPDX-License-Identifier: Apache-2.0

//go:build linux

package kubenode

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/printmarket/printmarket/internal/kubetest/controlplane"
)

// CoreDNSVersion is the one that tools/node builds; a test compares it with its
// go.mod file. The version of Kubernetes is that of package controlplane.
const CoreDNSVersion = "v1.15.0"

// assets are the programs of a cluster.
type assets struct {
	control controlplane.Assets
	node    string
	// plugins is the directory of Debian's network plugins.
	plugins string
}

// built are the programs that tools/node/build.sh makes.
func built() []string {
	return []string{"kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "coredns", "pause"}
}

// installed are the programs that tools/node/setup.sh installs, and what the
// programs above run.
func installed() []string {
	return []string{"containerd", "containerd-shim-runc-v2", "ctr", "runc", "nft", "ip", "mount", "umount"}
}

func findAssets() (assets, error) {
	control, err := controlplane.FindAssets()
	if err != nil {
		return assets{}, err
	}
	node, err := nodeDirectory(os.Getenv)
	if err != nil {
		return assets{}, err
	}
	for _, program := range built() {
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

// pluginDirectory is Debian's or the one that everybody else uses.
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

// nodeDirectory computes the same path as tools/node/build.sh.
func nodeDirectory(getenv func(string) string) (string, error) {
	cache, err := cacheDirectory(getenv)
	toolchain, _, _ := strings.Cut(runtime.Version(), " ")
	name := fmt.Sprintf("kubernetes-%s-coredns-%s-%s-%s",
		controlplane.KubernetesVersion, CoreDNSVersion, toolchain, runtime.GOARCH)
	return filepath.Join(cache, "node", name), err
}

// cacheDirectory is where all that is built for tests lies.
func cacheDirectory(getenv func(string) string) (string, error) {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" {
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("neither XDG_CACHE_HOME nor HOME is set")
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "printmarket"), nil
}

func (a assets) controlProgram(name string) string { return filepath.Join(string(a.control), name) }
func (a assets) nodeProgram(name string) string    { return filepath.Join(a.node, name) }
