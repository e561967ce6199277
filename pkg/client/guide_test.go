// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheGuideShowsTheExamples looks for each block of Go in the texts of the
// examples, which run.
func TestTheGuideShowsTheExamples(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatalf(`os.ReadFile("example_test.go"): %v`, err)
	}
	var bodies strings.Builder
	for _, body := range regexp.MustCompile(`(?ms)^func Example\w*\(\) \{\n(.*?)^\}`).FindAllStringSubmatch(string(source), -1) {
		bodies.WriteString(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body[1], "") + "\n")
	}
	guide, err := os.ReadFile("../../docs/guides/client.md")
	if err != nil {
		t.Fatalf(`os.ReadFile("../../docs/guides/client.md"): %v`, err)
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1)
	for _, block := range blocks {
		if !strings.Contains("\n"+bodies.String(), "\n"+block[1]) {
			t.Errorf("no example has this text:\n%s", block[1])
		}
	}
	if len(blocks) < 5 {
		t.Errorf("%d blocks of Go; the pattern is wrong", len(blocks))
	}
}
