// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// guide is the page with the figures. Its mutex serializes the scenarios that update the page.
var guide = struct {
	sync.Mutex
	path string
}{path: filepath.Join("..", "..", "..", "docs", "reference", "queue-simulation.md")}

// show prints the figures of a large scenario and compares them with the block of the same name in
// the guide.
func show(t *testing.T, name, figures string) {
	t.Helper()
	if mode() == "" {
		return
	}
	t.Logf("%s:\n%s", name, figures)
	guide.Lock()
	defer guide.Unlock()
	page, err := os.ReadFile(guide.path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", guide.path, err)
	}
	before, rest, found := strings.Cut(string(page), "<!-- "+name+" -->\n```text\n")
	old, after, closed := strings.Cut(rest, "```\n")
	switch {
	case !found || !closed:
		t.Errorf("the guide has no block %s", name)
	case old == figures:
	case mode() == "update":
		text := before + "<!-- " + name + " -->\n```text\n" + figures + "```\n" + after
		if err := os.WriteFile(guide.path, []byte(text), 0o644); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", guide.path, err)
		}
	default:
		t.Errorf("the figures of %s in the guide differ; PRINTMARKET_SIMULATE=update writes these", name)
	}
}
