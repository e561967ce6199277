// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/printmarket/printmarket/test/programs"
)

// The versions that tools/controlplane builds. A test compares them with its go.mod files.
const (
	KubernetesVersion = "v1.37.1"
	EtcdVersion       = "v3.7.3"
)

// ErrNoAssets means that the programs of a control plane are missing. The error text contains the
// command that builds them.
var ErrNoAssets = errors.New("no control plane on this machine; build it with tools/controlplane/build.sh")

// Assets is a directory with the programs etcd, kube-apiserver and kubectl.
type Assets string

// FindAssets returns the directory that KUBEBUILDER_ASSETS names, or else the directory that
// tools/controlplane/build.sh fills.
func FindAssets() (Assets, error) {
	directory, err := assetDirectory(os.Getenv)
	if err != nil {
		return "", err
	}
	for _, program := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if _, err := os.Stat(filepath.Join(directory, program)); err != nil {
			return "", fmt.Errorf("%w (%w)", ErrNoAssets, err)
		}
	}
	return Assets(directory), nil
}

func assetDirectory(getenv func(string) string) (string, error) {
	if named := getenv("KUBEBUILDER_ASSETS"); named != "" {
		return named, nil
	}
	directory, err := programs.Directory(getenv, "controlplane", "kubernetes-"+KubernetesVersion+"-etcd-"+EtcdVersion)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNoAssets, err)
	}
	return directory, nil
}

func (a Assets) program(name string) string { return filepath.Join(string(a), name) }
