// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"os"
	"strings"
	"testing"
)

func TestCacheInvisibleToNodesIsRejected(t *testing.T) {
	// Not parallel, because the test changes the environment.
	for directory, refused := range map[string]bool{
		"/var/lib/ci/cache": true,
		"/run/cache":        true,
		"/home/a/.cache":    false,
		"/var/library":      false,
	} {
		t.Setenv("XDG_CACHE_HOME", directory)
		if err := visibleCache(); (err != nil) != refused {
			t.Errorf("%s: %v", directory, err)
		}
	}
}

func TestClusterRequiresRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("this is root")
	}
	if reason := Unavailable(); !strings.Contains(reason, "root") {
		t.Errorf("reason: %q", reason)
	}
}
