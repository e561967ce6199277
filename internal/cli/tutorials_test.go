// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block holds commands of a tutorial and their expected output; empty if the tutorial shows
// none.
type block struct{ commands, shown string }

// fence is a code block of Markdown.
var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// readTutorial reads the blocks in their order.
func readTutorial(t *testing.T, file string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	for _, found := range fence.FindAllStringSubmatch(string(text), -1) {
		switch language, content := found[1], found[2]; language {
		case "sh":
			blocks = append(blocks, block{commands: content})
		case "text":
			if len(blocks) == 0 || blocks[len(blocks)-1].shown != "" {
				t.Fatalf("%s shows what no command prints: %s", file, content)
			}
			blocks[len(blocks)-1].shown = content
		default:
			t.Fatalf("%s: a block of the language %s, which no test runs", file, language)
		}
	}
	return blocks
}

// matches reports whether the output equals the expected one. In the expected output, "..."
// matches any part of a line, and alone on a line any number of lines.
func (b block) matches(printed string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for line := range strings.Lines(b.shown) {
		if line == "...\n" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
	}
	pattern.WriteString(`\z`)
	return regexp.MustCompile(pattern.String()).MatchString(printed)
}

func TestBlocksMatchOnlyTheShownOutput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		shown, printed string
		want           bool
	}{
		"the same":                               {"a\nb\n", "a\nb\n", true},
		"another line":                           {"a\nb\n", "a\nc\n", false},
		"a line more":                            {"a\n", "a\nb\n", false},
		"a line less":                            {"a\nb\n", "a\n", false},
		"a part that is another each time":       {"id ...x\n", "id 42x\n", true},
		"a part does not go on to the next line": {"id ...x\n", "id 4\n2x\n", false},
		"any lines between two":                  {"a\n...\nb\n", "a\n1\n2\nb\n", true},
		"no line between two":                    {"a\n...\nb\n", "a\nb\n", true},
		"any lines, but not the last":            {"a\n...\nb\n", "a\n1\nb\nc\n", false},
		"signs that are patterns elsewhere":      {"[a] (b)*\n", "[a] (b)*\n", true},
	}
	for sentence, tc := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			if got := (block{shown: tc.shown}).matches(tc.printed); got != tc.want {
				t.Errorf("matches is %t, want %t", got, tc.want)
			}
		})
	}
}

// The test pastes each tutorial into one shell, like a reader who has just started the
// platform.
func TestTutorialCommandsPrintTheShownOutput(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tutorials: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			const end = "--- the end of a block ---\n"
			var script strings.Builder
			blocks := readTutorial(t, file)
			for _, b := range blocks {
				script.WriteString(b.commands + "echo '" + strings.TrimSuffix(end, "\n") + "'\n")
			}
			p := startDev(t, t.TempDir())
			printed := strings.Split(p.shell("TMPDIR='"+t.TempDir()+"'\n"+script.String()), end)
			if len(printed) != len(blocks)+1 {
				t.Fatalf("%d of %d blocks ran", len(printed)-1, len(blocks))
			}
			for i, b := range blocks {
				if b.shown != "" && !b.matches(printed[i]) {
					t.Errorf("block %d,\n%s\nprinted\n%s\nand is shown to print\n%s", i+1, b.commands, printed[i], b.shown)
				}
			}
		})
	}
}
