// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/kubetest"
)

// The test runs kubectl itself, like the completion scripts of shells.
func TestKubectlCompletesThePlugin(t *testing.T) {
	t.Parallel()
	assets, err := controlplane.FindAssets()
	if err != nil && !kubetest.Required() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	for _, name := range []string{"kubectl-printmarket", "kubectl_complete-printmarket"} {
		if err := os.Symlink(filepath.Join(binaries, "printmarket"), filepath.Join(directory, name)); err != nil {
			t.Fatalf("os.Symlink: %v", err)
		}
	}
	for sentence, tc := range map[string]struct {
		args []string
		want []string
	}{
		"the plugin itself":                  {[]string{"printm"}, []string{"printmarket"}},
		"a command by its beginning":         {[]string{"printmarket", "post"}, []string{"posture"}},
		"commands below one":                 {[]string{"printmarket", "keys", "ro"}, []string{"rotate"}},
		"what a flag takes":                  {[]string{"printmarket", "queue", "stats", "-o", ""}, []string{"table", "wide", "yaml", "json"}},
		"flags, not those of kubectl":        {[]string{"printmarket", "queue", "stats", "--out"}, []string{"--output"}},
		"a word that begins the inspector's": {[]string{"printmarket", "inspector"}, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), filepath.Join(string(assets), "kubectl"), append([]string{"__complete"}, tc.args...)...)
			command.Env = append(os.Environ(), "PATH="+directory, "HOME="+directory, "KUBECONFIG=", "KUBERC=off")
			out, err := command.Output()
			if err != nil {
				t.Fatalf("command.Output: %v", err)
			}
			var offered []string
			for line := range strings.Lines(string(out)) {
				word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
				if !strings.HasPrefix(word, ":") && word != "" {
					offered = append(offered, word)
				}
			}
			if !slices.Equal(offered, tc.want) {
				t.Errorf("kubectl offers %q, want %q of\n%s", offered, tc.want, out)
			}
		})
	}
}
