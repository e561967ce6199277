// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	firstID  = "file_01KB0QX4N2M4T7Q2C9W6H3JZV0"
	secondID = "file_01KB0QX4N2M4T7Q2C9W6H3JZV1"
)

func openDirectory(t *testing.T) (*Directory, string) {
	t.Helper()
	path := t.TempDir()
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatalf("OpenDirectory: %v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, path
}

func accept(*os.File) error { return nil }

func put(t *testing.T, d *Directory, id, content string) {
	t.Helper()
	if err := d.Put(id, strings.NewReader(content), accept); err != nil {
		t.Fatalf("Put(%s): %v", id, err)
	}
}

func wantNames(t *testing.T, path string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatalf("os.ReadDir: %v", err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names in the directory (-want +got):\n%s", diff)
	}
}

func TestDirectoryStoresAFileUnderItsID(t *testing.T) {
	t.Parallel()
	d, path := openDirectory(t)
	checked := ""
	err := d.Put(firstID, strings.NewReader("flyer"), func(file *os.File) error {
		wantNames(t, path, firstID+partial)
		text, err := io.ReadAll(file)
		checked = string(text)
		if _, writeErr := file.WriteString("x"); writeErr == nil {
			t.Error("the check can write the file, want read only")
		}
		return err
	})
	if err != nil || checked != "flyer" {
		t.Fatalf("Put = %v with the check of %q, want flyer", err, checked)
	}
	wantNames(t, path, firstID)
	file, err := d.Open(firstID)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = file.Close() }()
	if text, err := io.ReadAll(file); err != nil || string(text) != "flyer" {
		t.Errorf("read %q, error %v, want flyer", text, err)
	}
	if _, err := file.WriteString("x"); err == nil {
		t.Error("an open file can be written, want read only")
	}
	for range 2 {
		if err := d.Remove(firstID); err != nil {
			t.Errorf("Remove = %v, want nil also for a missing file", err)
		}
	}
	wantNames(t, path)
}

func TestFailedPutLeavesNoFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		content io.Reader
		copy    func(io.Writer, io.Reader) (int64, error)
		check   func(*os.File) error
		want    error
	}{
		"a full disk": {
			copy: func(to io.Writer, from io.Reader) (int64, error) {
				n, _ := io.CopyN(to, from, 3)
				return n, &fs.PathError{Op: "write", Path: firstID, Err: syscall.ENOSPC}
			},
			want: syscall.ENOSPC,
		},
		"content that breaks off": {content: io.MultiReader(strings.NewReader("fly"), errorReader{broken}), want: broken},
		"a check that rejects":    {check: func(*os.File) error { return broken }, want: broken},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, path := openDirectory(t)
			if tc.copy != nil {
				d.copy = tc.copy
			}
			if tc.content == nil {
				tc.content = strings.NewReader("flyer")
			}
			if tc.check == nil {
				tc.check = accept
			}
			if err := d.Put(firstID, tc.content, tc.check); !errors.Is(err, tc.want) {
				t.Errorf("Put = %v, want %v", err, tc.want)
			}
			wantNames(t, path)
		})
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestDirectoryRejectsNamesThatAreNoIDs(t *testing.T) {
	t.Parallel()
	d, path := openDirectory(t)
	outside := filepath.Join(filepath.Dir(path), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	for _, name := range []string{"", ".", "..", "../outside", outside, firstID + "/../../outside", firstID + partial, strings.ToLower(firstID), firstID + "\x00"} {
		if err := d.Put(name, strings.NewReader("x"), accept); err == nil {
			t.Errorf("Put(%q) = nil, want an error", name)
		}
		if _, err := d.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %v, want ErrNotExist", name, err)
		}
		if err := d.Remove(name); err != nil {
			t.Errorf("Remove(%q) = %v, want nil", name, err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q, error %v, want it unchanged", text, err)
	}
	// A symbolic link that another program has put into the directory does not lead out of it.
	if err := os.Symlink(outside, filepath.Join(path, secondID)); err != nil {
		t.Fatalf("os.Symlink: %v", err)
	}
	if file, err := d.Open(secondID); err == nil {
		_ = file.Close()
		t.Error("Open of a link to a file outside = nil, want an error")
	}
}

func TestStoredListsOldFilesAndRemovesOldIncompleteOnes(t *testing.T) {
	t.Parallel()
	d, path := openDirectory(t)
	put(t, d, secondID, "b")
	put(t, d, firstID, "a")
	now := time.Now()
	for name, age := range map[string]time.Duration{firstID + partial: 3 * time.Hour, secondID + partial: 0, "lost+found": 3 * time.Hour} {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		if err := os.Chtimes(filepath.Join(path, name), now, now.Add(-age)); err != nil {
			t.Fatalf("os.Chtimes: %v", err)
		}
	}
	tests := map[string]struct {
		before time.Time
		after  string
		limit  int
		want   []string
	}{
		"all are too young":   {now.Add(-time.Hour), "", 10, nil},
		"all":                 {now.Add(time.Hour), "", 10, []string{firstID, secondID}},
		"the first":           {now.Add(time.Hour), "", 1, []string{firstID}},
		"those after an id":   {now.Add(time.Hour), firstID, 10, []string{secondID}},
		"none after the last": {now.Add(time.Hour), secondID, 10, nil},
	}
	if _, err := d.Stored(now.Add(-time.Hour), "", 10); err != nil {
		t.Fatalf("Stored: %v", err)
	}
	wantNames(t, path, firstID, secondID, secondID+partial, "lost+found")
	for name, tc := range tests {
		got, err := d.Stored(tc.before, tc.after, tc.limit)
		if diff := cmp.Diff(tc.want, got, cmp.Transformer("empty", func(in []string) []string { return append([]string{}, in...) })); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}
