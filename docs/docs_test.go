// SPDX-License-Identifier: Apache-2.0

// Package docs_test holds the texts of the repository against its code: what a
// text says and a program can check, is checked. What the code does not export
// is read from its syntax.
package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/problem"
)

func TestTheDecisionsNameEveryModuleWithItsVersion(t *testing.T) {
	t.Parallel()
	direct := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`)
	mod, named := read(t, "go.mod"), regexp.MustCompile("(?m)^- `(\\S+)` (v\\S+) ")
	want, listed := map[string]string{}, map[string]string{}
	for _, match := range direct.FindAllStringSubmatch(mod, -1) {
		want[match[1]] = match[2]
	}
	for _, match := range named.FindAllStringSubmatch(read(t, "docs/adr/0002-libraries.md")+read(t, "docs/adr/0014-cluster-libraries.md")+read(t, "docs/adr/0041-traces.md")+
		read(t, "docs/adr/0048-operators-by-openid-connect.md")+read(t, "docs/adr/0049-contracts-compared-by-oasdiff.md"), -1) {
		listed[match[1]] = match[2]
	}
	if diff := cmp.Diff(want, listed); diff != "" || len(want) == 0 {
		t.Errorf("direct requirements (-go.mod +decision):\n%s", diff)
	}
	replaced := read(t, "docs/adr/0003-module-replacements.md")
	for _, match := range regexp.MustCompile(`(?m)^replace (\S+) => \S+ (\S+)$`).FindAllStringSubmatch(mod, -1) {
		if !strings.Contains(replaced, "`"+match[1]+"`") || !strings.Contains(replaced, path.Base(match[1])+" with "+match[2]) {
			t.Errorf("no decision replaces %s with %s", match[1], match[2])
		}
	}
	if goose := "github.com/pressly/goose/v3"; !strings.Contains(read(t, "docs/adr/0004-goose-version.md"), "`"+goose+"` "+want[goose]+".") {
		t.Errorf("go.mod has goose %s; read decision 0004 and supersede it", want[goose])
	}
}

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

func TestDecisionsHaveTheFormAndAreListed(t *testing.T) {
	t.Parallel()
	index := read(t, "docs/adr/0001-record-decisions.md")
	form := regexp.MustCompile(`^# \d{4}\. .+\n\nStatus: (accepted|superseded by \d{4}), \d{4}-\d\d\n\n## Context\n(?s:.+)\n## Decision\n(?s:.+)\n## Consequences\n`)
	for i, file := range matching(t, `^docs/adr/.*\.md$`) {
		text := read(t, file)
		// The list of them all in 0001 is as long as it is.
		page, _, _ := strings.Cut(text, "| number | decision |")
		if !strings.HasPrefix(text, fmt.Sprintf("# %04d. ", i+1)) || !form.MatchString(text) || strings.Count(page, "\n") > 60 {
			t.Errorf("%s: not number %d, not of the form of decision 0001, or over a page", file, i+1)
		}
		if i > 0 && !strings.Contains(index, "("+path.Base(file)+")") {
			t.Errorf("%s is not listed in decision 0001", file)
		}
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

// programs is the text of everything that runs.
func programs(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range matching(t, `\.(go|sh)$|^Makefile$`) {
		all.WriteString(read(t, file))
	}
	return all.String()
}

func TestPathsCodesAndTargetsThatAreNamedExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, d := range problem.Codes() {
		known[string(d.Code)] = true
	}
	for _, f := range jobs.Failures() {
		known[string(f.Code)] = true
	}
	for _, v := range variables(t) {
		known[v] = true
	}
	// Other words of this form are variables of the environment and constants
	// of the system, which the code has to name as well.
	code := programs(t)
	makefile := read(t, "Makefile")
	file := regexp.MustCompile("`((?:api|apiserver|config|docs|internal|workers|tools|\\.ci)/[\\w./-]+)`")
	word := regexp.MustCompile("`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")
	target := regexp.MustCompile("(?m)(?:`|^)make ([a-z]+)(?:`| [A-Z]+=|$)")
	for _, page := range matching(t, `\.md$`) {
		text := read(t, page)
		for _, match := range file.FindAllStringSubmatch(text, -1) {
			if !exists(strings.TrimSuffix(match[1], "/...")) {
				t.Errorf("%s names %s, which does not exist", page, match[1])
			}
		}
		for _, match := range word.FindAllStringSubmatch(text, -1) {
			if !known[match[1]] && !strings.Contains(code, match[1]) {
				t.Errorf("%s names %s, which is neither a code nor a variable", page, match[1])
			}
		}
		for _, match := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+match[1]+":") {
				t.Errorf("%s names make %s, which the Makefile does not have", page, match[1])
			}
		}
	}
}

func TestCommandsInTheTextsHaveTheirFlags(t *testing.T) {
	t.Parallel()
	call, word := regexp.MustCompile(`(?m)bin/printmarket (.+)$`), regexp.MustCompile(`^[a-z]+$`)
	calls := 0
	for _, page := range matching(t, `\.md$`) {
		for _, match := range call.FindAllStringSubmatch(read(t, page), -1) {
			ours, _, _ := strings.Cut(match[1], " | ")
			words := strings.Fields(strings.TrimRight(ours, "`.,"))
			n := 0
			for n < len(words) && word.MatchString(words[n]) {
				n++
			}
			if n == 0 {
				continue // a sentence about the executable
			}
			calls++
			help := run(t, append(slices.Clone(words[:n]), "--help")...)
			for _, flag := range words[n:] {
				if strings.HasPrefix(flag, "-") && !strings.Contains(help, " "+flag+" ") && !strings.Contains(help, flag+", --") {
					t.Errorf("%s: printmarket %s has no flag %s", page, strings.Join(words[:n], " "), flag)
				}
			}
		}
	}
	if calls < 5 {
		t.Errorf("%d calls found; the pattern is wrong", calls)
	}
}

// A row of a table cannot be broken.
func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	for _, file := range matching(t, `^(docs/.*|CONTRIBUTING|CHANGELOG)\.md$`) {
		for i, line := range strings.Split(read(t, file), "\n") {
			if n := utf8.RuneCountInString(line); n > 150 || n > 120 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d characters", file, i+1, n)
			}
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
