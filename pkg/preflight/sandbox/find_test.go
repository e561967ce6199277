// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Parallel()
	fallback := []string{"hidden", "inspect"}
	tests := map[string]struct {
		beside func(t *testing.T, path string)
		want   func(dir string) Inspector
	}{
		"the inspector beside the executable is taken": {
			beside: func(t *testing.T, path string) { write(t, path, 0o755) },
			want:   func(dir string) Inspector { return Inspector{Path: filepath.Join(dir, "inspector")} },
		},
		"without one the executable is started again": {
			beside: func(*testing.T, string) {},
			want:   func(dir string) Inspector { return Inspector{Path: filepath.Join(dir, "self"), Args: fallback} },
		},
		"a file that cannot be executed is not an inspector": {
			beside: func(t *testing.T, path string) { write(t, path, 0o644) },
			want:   func(dir string) Inspector { return Inspector{Path: filepath.Join(dir, "self"), Args: fallback} },
		},
		"a directory is not an inspector": {
			beside: func(t *testing.T, path string) {
				if err := os.Mkdir(path, 0o755); err != nil {
					t.Fatalf("os.Mkdir: %v", err)
				}
			},
			want: func(dir string) Inspector { return Inspector{Path: filepath.Join(dir, "self"), Args: fallback} },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tc.beside(t, filepath.Join(dir, "inspector"))
			if diff := cmp.Diff(tc.want(dir), find(filepath.Join(dir, "self"), fallback)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func write(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), mode); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
}
