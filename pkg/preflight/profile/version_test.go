// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

var update = flag.Bool("update", false, "record the digests of new versions")

// TestGeneratedProfileVersions compares each profile with the digest that was
// recorded for its version. A report names the version of its profile, so a version
// must never change its meaning. Recorded lines are never edited.
func TestGeneratedProfileVersions(t *testing.T) {
	const file = "testdata/versions.txt"
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(string(text)) {
		var name, version, digest string
		if _, err := fmt.Sscan(line, &name, &version, &digest); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		recorded[name+" "+version] = digest
	}
	all, err := profile.All()
	if err != nil {
		t.Fatalf("profile.All: %v", err)
	}
	var added strings.Builder
	for _, p := range all {
		key := p.Name + " " + p.Version
		switch digest, known := recorded[key]; {
		case known && digest != p.Digest:
			t.Errorf("profile %s changed: its digest is %s, recorded is %s; raise the version in data/%s.yaml, then run make update", key, p.Digest, digest, p.Name)
		case !known && *update:
			fmt.Fprintln(&added, key, p.Digest)
		case !known:
			t.Errorf("profile %s is not in %s; run make update", key, file)
		}
	}
	if added.Len() > 0 {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatalf(`os.MkdirAll("testdata"): %v`, err)
		}
		if err := os.WriteFile(file, append(text, added.String()...), 0o644); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
}
