// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/controlplane"
)

// tools is the directory of the builds, relative to this package.
const tools = "../../tools"

func TestVersionsMatchTheBuilds(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"controlplane/kubernetes/go.mod": "k8s.io/kubernetes " + controlplane.KubernetesVersion + " ",
		"node/coredns/go.mod":            "github.com/coredns/coredns " + CoreDNSVersion + " ",
	} {
		content, err := os.ReadFile(filepath.Join(tools, file))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if !strings.Contains(strings.ReplaceAll(string(content), "\n", " "), want) {
			t.Errorf("%s does not require %q", file, want)
		}
	}
}
