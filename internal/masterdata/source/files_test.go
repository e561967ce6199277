// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// save creates a sparse file of a size that begins with a text.
func save(t *testing.T, name, text string, size int64) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if size > 0 {
		if err := os.Truncate(name, size); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
	}
}

func TestLargeFileIsRejectedBeforeReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "snapshot.yaml"), head, 0)
	save(t, filepath.Join(dir, "media.csv"), mediaHead, 8<<30)
	_, err := source.Read(t.Context(), dir, source.Options{Progress: func(done, _ int64) {
		if done > source.MaxFile {
			t.Errorf("%d bytes have been read", done)
		}
	}})
	if got, want := faults(err), filepath.Join(dir, "media.csv")+": 8589934592 bytes; at most 67108864 are read\n"; !strings.HasPrefix(got, want) {
		t.Errorf("faults: %s", got)
	}
}

func TestLargeDirectoryIsRejectedBeforeReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "snapshot.yaml"), head, 0)
	for _, name := range []string{"inks.csv", "labor.csv", "media.csv"} {
		save(t, filepath.Join(dir, name), "", 50<<20)
	}
	_, err := source.Read(t.Context(), dir, source.Options{})
	if got := faults(err); got != filepath.Join(dir, "media.csv")+": more than 134217728 bytes in all files; none is read\n" {
		t.Errorf("faults: %s", got)
	}
}

func TestIrregularFileIsRejectedWithoutBlocking(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "snapshot.yaml"), 0o600); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{dir, filepath.Join(dir, "snapshot.yaml")} {
		_, err := source.Read(t.Context(), name, source.Options{})
		if got := faults(err); !strings.Contains(got, "snapshot.yaml: is not a regular file") {
			t.Errorf("faults: %s", got)
		}
	}
	if _, err := source.Read(t.Context(), filepath.Join(dir, "none"), source.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want that the file does not exist", err)
	}
}

// TestListsAreBoundedDuringReading checks that reading ends at the bounds of packages
// catalog and authority.
func TestListsAreBoundedDuringReading(t *testing.T) {
	t.Parallel()
	rows := func(n int, row string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, row, i)
		}
		return b.String()
	}
	for name, tc := range map[string]struct {
		files files
		want  string
	}{
		"CSV": {
			files{"snapshot.yaml": head, "devices.csv": "id,name,process,maxSheet.width,maxSheet.height,speed,setupMinutes,hourlyRate\n" + rows(authority.MaxDevices+1, "d%d,D,Trimming,1,1,1,1,1\n") + "\"broken"},
			"devices.csv:1002:1: device: more than 1000; no more are taken\n",
		},
		"YAML": {
			files{"all.yaml": head + "devices:\n" + rows(authority.MaxDevices+1, "- {id: d%d, name: D, process: Trimming, maxSheet: {width: 1, height: 1}, speed: 1, setupMinutes: 1, hourlyRate: 1}\n")},
			"all.yaml:1007:3: device: more than 1000; no more are taken\n",
		},
		"JSON": {
			files{"groups.json": "[\n" + rows(catalog.MaxGroups, `{"uid": "g%d", "name": "G"},`+"\n") + "{}, ***", "x.md": ""},
			"groups.json:1002:1: group: more than 1000; no more are taken\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "."
			if len(tc.files) == 1 {
				at = "all.yaml"
			}
			_, err := tc.files.read(t, at)
			if got := faults(err); got != tc.want {
				t.Errorf("faults: %s", got)
			}
		})
	}
}

func TestProgressReachesTotal(t *testing.T) {
	t.Parallel()
	d := manyMedia(t, 2_000)
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			dir, size := t.TempDir(), int64(0)
			for name, f := range written(t, d, form) {
				save(t, filepath.Join(dir, strings.Replace(name, "all.", "snapshot.", 1)), string(f.Data), 0)
				size += int64(len(f.Data))
			}
			last, calls := int64(0), 0
			at := dir
			if form == "xlsx" {
				at = filepath.Join(dir, "snapshot.xlsx")
			}
			again, err := source.Read(t.Context(), at, source.Options{Progress: func(done, total int64) {
				if done < last || done > total || total != size {
					t.Errorf("%d of %d after %d; the files have %d", done, total, last, size)
				}
				last, calls = done, calls+1
			}})
			if err != nil {
				t.Fatalf("unexpected faults:\n%s", faults(err))
			}
			if again.ID() != d.ID() || last != size || calls < 3 {
				t.Errorf("%d of %d bytes in %d calls", last, size, calls)
			}
		})
	}
}

func TestReadEndsWithContext(t *testing.T) {
	t.Parallel()
	d := manyMedia(t, 2_000)
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			_, err := source.ReadFS(ctx, written(t, d, form), map[string]string{"csv": ".", "json": "all.json", "xlsx": "all.xlsx", "yaml": "all.yaml"}[form], source.Options{
				Progress: func(int64, int64) { cancel() },
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want that of the context", err)
			}
		})
	}
}
