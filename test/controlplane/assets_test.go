// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// root is the root of the repository, relative to this package.
const root = "../.."

func TestVersionsMatchTheBuilds(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"kubernetes/go.mod": "k8s.io/kubernetes " + KubernetesVersion + " ",
		"etcd/go.mod":       "go.etcd.io/etcd/server/v3 " + EtcdVersion + " ",
	} {
		content, err := os.ReadFile(filepath.Join(root, "tools", "controlplane", file))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if !strings.Contains(strings.ReplaceAll(string(content), "\n", " "), want) {
			t.Errorf("%s does not require %q", file, want)
		}
	}
}

func TestFindAssetsSearchesTheDirectoryOfTheBuild(t *testing.T) {
	t.Parallel()
	toolchain, _, _ := strings.Cut(runtime.Version(), " ")
	name := "printmarket/controlplane/kubernetes-" + KubernetesVersion + "-etcd-" + EtcdVersion + "-" + toolchain + "-" + runtime.GOARCH
	tests := map[string]struct {
		environment map[string]string
		want        string
	}{
		"the home directory has the cache":  {map[string]string{"HOME": "/home/a"}, "/home/a/.cache/" + name},
		"the cache can be moved":            {map[string]string{"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/" + name},
		"a directory that is named is used": {map[string]string{"HOME": "/home/a", "KUBEBUILDER_ASSETS": "/b"}, "/b"},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got, err := assetDirectory(func(name string) string { return test.environment[name] })
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
	t.Run("without a home there is no guess", func(t *testing.T) {
		t.Parallel()
		if got, err := assetDirectory(func(string) string { return "" }); !errors.Is(err, ErrNoAssets) {
			t.Errorf("got %q, %v; want ErrNoAssets", got, err)
		}
	})
}
