// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestURLComesFromTheFlagTheFileOrTheVariable(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%s): %v", path, err)
		}
		return path
	}
	for name, tc := range map[string]struct{ flag, file, variable, want, fault string }{
		"the file precedes the variable": {"", file("url", "postgres://file\n"), "postgres://variable", "postgres://file", ""},
		"the flag precedes both":         {"postgres://flag", file("other", "postgres://file"), "postgres://variable", "postgres://flag", ""},
		"the variable alone is accepted": {"", "", "postgres://variable", "postgres://variable", ""},
		"an empty file is rejected":      {"", file("empty", "\n"), "postgres://variable", "", "must contain one URL"},
		"a large file is rejected":       {"", file("large", strings.Repeat("x", maxURL+1)), "", "", "the limit for the URL"},
		"a missing file is rejected":     {"", filepath.Join(dir, "missing"), "postgres://variable", "", "no such file"},
		"nothing at all is rejected":     {"", "", "", "", "--database or the variable PRINTMARKET_DATABASE_URL is required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(DatabaseVariable+fileSuffix, tc.file)
			t.Setenv(DatabaseVariable, tc.variable)
			got, _, err := (&Database{database: tc.flag}).Address()
			if got != tc.want || (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("Address() = %q, %v; want %q and an error with %q", got, err, tc.want, tc.fault)
			}
		})
	}
}
