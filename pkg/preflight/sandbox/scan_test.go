// SPDX-License-Identifier: Apache-2.0

//go:build unix

package sandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// script writes a program.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scan")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	return path
}

// scanned opens a file with a content.
func scanned(t *testing.T, content string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("os.Open: %v", err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func TestScannerDecidesByItsExitStatus(t *testing.T) {
	t.Setenv("PRINTMARKET_SECRET_OF_A_TEST", "hush")
	tests := map[string]struct {
		script string
		clean  bool
		fails  string
	}{
		"status 0 is clean":                           {script: `exit 0`, clean: true},
		"status 1 is infected":                        {script: `exit 1`},
		"status 2 is a failure":                       {script: `echo no database >&2; exit 2`, fails: "no database"},
		"status 126 is a failure":                     {script: `exit 126`, fails: "126"},
		"a signal is a failure":                       {script: `kill -9 $$`, fails: "killed"},
		"the file is the standard input":              {script: `read -r line; [ "$line" = "%PDF of a flyer" ]`, clean: true},
		"the environment has no variable of the host": {script: `[ -z "$PRINTMARKET_SECRET_OF_A_TEST" ]`, clean: true},
		"there are no arguments":                      {script: `[ $# = 0 ]`, clean: true},
		"the standard input cannot be written":        {script: `if echo x >&0; then exit 1; fi 2>/dev/null; exit 0`, clean: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			scanner := sandbox.Scanner{Command: script(t, tc.script), Limit: time.Minute}
			clean, err := scanner.Scan(t.Context(), scanned(t, "%PDF of a flyer\n"))
			if clean != tc.clean || (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("Scan = %v, %v, want %v with an error that contains %q", clean, err, tc.clean, tc.fails)
			}
		})
	}
}

func TestScannerWithoutAProgramFails(t *testing.T) {
	t.Parallel()
	clean, err := sandbox.Scanner{Command: filepath.Join(t.TempDir(), "missing"), Limit: time.Minute}.Scan(t.Context(), scanned(t, "x"))
	if clean || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Scan = %v, %v, want ErrNotExist", clean, err)
	}
}

func TestScannerIsEndedWithItsChildren(t *testing.T) {
	t.Parallel()
	scanner := sandbox.Scanner{Command: script(t, "/bin/sleep 600 & /bin/sleep 600"), Limit: 50 * time.Millisecond}
	if clean, err := scanner.Scan(t.Context(), scanned(t, "x")); clean || err == nil || !strings.Contains(err.Error(), "has not ended after 50ms") {
		t.Errorf("Scan = %v, %v, want an error about the time limit", clean, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if clean, err := scanner.Scan(ctx, scanned(t, "x")); clean || !errors.Is(err, context.Canceled) {
		t.Errorf("Scan after the end of its context = %v, %v, want Canceled", clean, err)
	}
}
