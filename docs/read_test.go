// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/cli"
)

// root is the repository; every path in these tests is below it.
const root = ".."

// run is a command of the platform, in this process.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(t.Context(), args, &out, &errs); code != 0 {
		t.Fatalf("printmarket %s: exit %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return string(text)
}

func exists(file string) bool {
	_, err := os.Stat(filepath.Join(root, file))
	return err == nil
}

// repository lists the files of the repository by their paths in it, but what
// .gitignore leaves out.
func repository(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", ".printmarket", "docs/api/swagger-ui/dist"}, name):
			return fs.SkipDir
		case entry.Type().IsRegular() && !slices.Contains([]string{".test", ".out"}, path.Ext(name)):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatalf(`fs.WalkDir("."): %v`, err)
	}
	return files
}

func matching(t *testing.T, pattern string) []string {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	return slices.DeleteFunc(repository(t), func(file string) bool { return !expression.MatchString(file) })
}

// table is the body of the table with this header, without its backticks.
func table(t *testing.T, file string, header ...string) [][]string {
	t.Helper()
	_, after, found := strings.Cut(read(t, file), "\n| "+strings.Join(header, " | ")+" |\n")
	if !found {
		t.Fatalf("%s has no table %s", file, strings.Join(header, " | "))
	}
	var rows [][]string
	for _, line := range strings.Split(after, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != len(header) {
			t.Fatalf("%s: %d cells, want %d: %s", file, len(cells), len(header), line)
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "`", "")
		}
		rows = append(rows, cells)
	}
	return rows
}
