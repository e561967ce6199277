// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// kindPages are the pages of the kinds, by the plural of each.
var kindPages = map[string]string{
	"capabilityrollouts":  "docs/guides/capabilityrollout.md",
	"partnerentitlements": "docs/guides/partnerentitlement.md",
	"preflightprofiles":   "docs/guides/preflightprofile.md",
	"xjmfsenders":         "docs/guides/xjmfsender.md",
}

// The examples of the pages belong together.
func TestExamplesOfTheKindsAreAdmitted(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for plural, page := range kindPages {
		examples := regexp.MustCompile("(?s)```yaml\n(apiVersion:.*?)```").FindAllStringSubmatch(read(t, page), -1)
		if len(examples) != 1 {
			t.Fatalf("%s has %d examples, want 1", page, len(examples))
		}
		if err := os.WriteFile(filepath.Join(directory, plural+".yaml"), []byte(examples[0][1]), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	if out := run(t, "posture", "--from", directory); !strings.Contains(out, "hooli") {
		t.Errorf("the partner of the example is not there:\n%s", out)
	}
}
