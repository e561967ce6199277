// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const xjmfGuide = "docs/guides/xjmf.md"

// fences are the code blocks of a text, as language and content.
func fences(text string) [][2]string {
	var all [][2]string
	for _, match := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		all = append(all, [2]string{match[1], match[2]})
	}
	return all
}

// TestCommandsOfTheXJMFGuidePrintTheShownOutput runs sign and verify on the
// callback of the guide.
func TestCommandsOfTheXJMFGuidePrintTheShownOutput(t *testing.T) {
	t.Parallel()
	blocks, dir := fences(read(t, xjmfGuide)), t.TempDir()
	secret := regexp.MustCompile("With the secret `(.+)` in the file").FindStringSubmatch(read(t, xjmfGuide))[1]
	for name, content := range map[string]string{"status.json": blocks[0][1], "secret.txt": secret + "\n", "headers": blocks[2][1]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	for i := 1; i < 5; i += 2 {
		words := strings.Fields(strings.TrimPrefix(blocks[i][1], "bin/printmarket "))
		for j, word := range words {
			if word == "status.json" || word == "secret.txt" || word == "headers" {
				words[j] = filepath.Join(dir, word)
			}
		}
		if diff := cmp.Diff(blocks[i+1][1], run(t, words...)); diff != "" {
			t.Errorf("%s (-guide +printed):\n%s", strings.TrimSpace(blocks[i][1]), diff)
		}
	}
}
