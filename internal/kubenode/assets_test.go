// SPDX-License-Identifier: Apache-2.0

//go:build linux

package kubenode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/kubetest/controlplane"
)

// tools is the directory of the builds, seen from here.
const tools = "../../tools"

func TestVersionsAreThoseThatAreBuilt(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"controlplane/kubernetes/go.mod": "k8s.io/kubernetes " + controlplane.KubernetesVersion + " ",
		"node/coredns/go.mod":            "github.com/coredns/coredns " + CoreDNSVersion + " ",
	} {
		content, err := os.ReadFile(filepath.Join(tools, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ReplaceAll(string(content), "\n", " "), want) {
			t.Errorf("%s does not require %q", file, want)
		}
	}
}

func TestTheCacheIsWhereTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	for sentence, test := range map[string]struct {
		environment map[string]string
		want        string
	}{
		"the home directory has the cache": {map[string]string{"HOME": "/home/a"}, "/home/a/.cache/printmarket"},
		"the cache can be moved":           {map[string]string{"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/printmarket"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got, err := cacheDirectory(func(name string) string { return test.environment[name] })
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
	if got, err := cacheDirectory(func(string) string { return "" }); err == nil {
		t.Errorf("without a home it is %q", got)
	}
}
