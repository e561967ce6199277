// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

func TestThePreflightGuideSaysWhatEachProfileIsFor(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile("[a-z0-9_]+_[a-z0-9_]+|carton|label|newspaper|pdfx1a|pdfx4")
	var listed []string
	for _, row := range table(t, "docs/guides/preflight-rules.md", "what is printed", "profile") {
		listed = append(listed, name.FindAllString(row[1], -1)...)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(profile.Names(), listed); diff != "" {
		t.Errorf("profiles (-code +guide):\n%s", diff)
	}
}
