// SPDX-License-Identifier: Apache-2.0

package edit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/internal/posture/edit"
)

// FuzzEditOfAManifest engages the kill switch in any manifest: an edit that fails leaves the file as it
// was, and one that succeeds sets the switch.
func FuzzEditOfAManifest(f *testing.F) {
	for _, seed := range []string{
		rolloutManifest, partnerManifest, "", "---\n---\n", "spec: *a\n", "kind: CapabilityRollout\r\nmetadata: {name: rfq-create}\r\nspec:\r\n  stage: Live\r\n",
		"kind: CapabilityRollout\nmetadata: {name: rfq-create}\nspec:\n  killSwitch: |\n    text\n", "a: &a {b: *a}\n", "kind: CapabilityRollout\nmetadata: {name: rfq-create}\nspec: {}",
	} {
		f.Add([]byte(seed))
	}
	path := f.TempDir()
	directory, err := edit.OpenDirectory(path)
	if err != nil {
		f.Fatalf("OpenDirectory: %v", err)
	}
	file := filepath.Join(path, "rollout.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		if _, err := directory.Edit(t.Context(), edit.Rollout("rfq-create"), edit.Kill("INC-7"), false); err != nil {
			if got, _ := os.ReadFile(file); string(got) != string(text) {
				t.Errorf("a failed edit changed the file from %q to %q: %v", text, got, err)
			}
			return
		}
		object, err := directory.Get(t.Context(), edit.Rollout("rfq-create"))
		if err != nil {
			t.Fatalf("Get after the edit of %q: %v", text, err)
		}
		spec, _ := object["spec"].(map[string]any)
		if killSwitch, _ := spec["killSwitch"].(map[string]any); killSwitch["state"] != "Engaged" {
			t.Errorf("the edit of %q results in %v", text, spec)
		}
	})
}
