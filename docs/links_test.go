// SPDX-License-Identifier: Apache-2.0

// Package docs_test runs the commands and examples of the documentation and checks
// its links.
package docs_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The first fence of decision 0003.
func TestTheInspectorDoesNotLinkRunewidth(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "./workers/inspector")
	list.Dir = root
	linked, err := list.Output()
	if err != nil || !bytes.Contains(linked, []byte("pdfcpu")) {
		t.Fatalf("go list: %v\n%s", err, linked)
	}
	if bytes.Contains(linked, []byte("go-runewidth")) {
		t.Error("the inspector links go-runewidth, whose table slows its start down: decision 0003")
	}
}

func TestRelativeLinksResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range matching(t, `\.md$`) {
		for _, match := range link.FindAllStringSubmatch(prose(read(t, file)), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			at := file
			if target != "" {
				at = path.Join(path.Dir(file), target)
			}
			if !exists(at) || anchor != "" && !slices.Contains(anchors(read(t, at)), anchor) {
				t.Errorf("%s: the link %s leads nowhere", file, match[1])
			}
		}
	}
}

// TestThreatModelNamesExistingTests looks up each test that the threat model names as proof.
func TestThreatModelNamesExistingTests(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, file := range matching(t, `_test\.go$`) {
		code.WriteString(read(t, file))
	}
	const page = "docs/security/threat-model.md"
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(read(t, page), -1)
	if len(named) < 20 {
		t.Fatalf("%s names %d tests, want one for each threat", page, len(named))
	}
	for _, test := range named {
		if !strings.Contains(code.String(), "\nfunc "+test[1]+"(t *testing.T)") {
			t.Errorf("%s names %s, which does not exist", page, test[1])
		}
	}
}

// TestPicturesFollowFromTheirSources compares the digest in each picture with its source.
func TestPicturesFollowFromTheirSources(t *testing.T) {
	t.Parallel()
	for _, source := range matching(t, `^docs/images/.*\.dot$`) {
		picture := strings.TrimSuffix(source, ".dot") + ".svg"
		want := fmt.Sprintf("<!-- source sha256:%x -->", sha256.Sum256([]byte(read(t, source))))
		if !exists(picture) || !strings.Contains(read(t, picture), want) {
			t.Errorf("%s does not follow from %s; run make pictures", picture, source)
		}
	}
}

func TestNoFileIsLarge(t *testing.T) {
	t.Parallel()
	for _, file := range repository(t) {
		info, err := os.Stat(filepath.Join(root, file))
		if err == nil && info.Size() > 1<<20 && path.Base(file) != "go.sum" {
			t.Errorf("%s has %d bytes; does it belong here?", file, info.Size())
		}
	}
}

// prose is a text without its code.
func prose(text string) string {
	return regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(text, "")
}

// anchors are the names under which headings can be linked to.
func anchors(text string) []string {
	var all []string
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}
