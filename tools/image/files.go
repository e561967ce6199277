// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of the image. Its name has no leading slash.
type file struct {
	name       string
	executable bool
	open       func() (io.ReadCloser, int64, error)
}

func bytesFile(name string, content []byte) file {
	return file{name: name, open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
	}}
}

func diskFile(name, from string, executable bool) file {
	return file{name: name, executable: executable, open: func() (io.ReadCloser, int64, error) {
		f, err := os.Open(from)
		if err != nil {
			return nil, 0, err
		}
		info, err := f.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, f.Close())
		}
		return f, info.Size(), nil
	}}
}

func (f file) mode() int64 {
	if f.executable {
		return 0o555
	}
	return 0o444
}

// tarOf packs files: in order of their names, each after its directories, all
// owned by root, with the time of the release, and read-only.
func tarOf(w io.Writer, files []file, at time.Time) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	out := tar.NewWriter(w)
	made := map[string]bool{".": true}
	for _, f := range files {
		if err := tarDirectories(out, path.Dir(f.name), made, at); err != nil {
			return err
		}
		if err := tarFile(out, f, at); err != nil {
			return fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	return out.Close()
}

func tarDirectories(out *tar.Writer, dir string, made map[string]bool, at time.Time) error {
	if made[dir] {
		return nil
	}
	if err := tarDirectories(out, path.Dir(dir), made, at); err != nil {
		return err
	}
	made[dir] = true
	return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o555, ModTime: at})
}

func tarFile(out *tar.Writer, f file, at time.Time) error {
	content, size, err := f.open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode(), Size: size, ModTime: at}); err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// extract writes files below a directory.
func extract(dir string, files []file) error {
	for _, f := range files {
		if !filepath.IsLocal(f.name) {
			return fmt.Errorf("%s: %w", f.name, fs.ErrInvalid)
		}
		if err := extractFile(filepath.Join(dir, filepath.FromSlash(f.name)), f); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return nil
}

func extractFile(to string, f file) error {
	content, _, err := f.open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	//nolint:gosec // files of an image are world-readable
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(f.mode()))
	if err != nil {
		return err
	}
	_, err = io.Copy(target, content)
	return errors.Join(err, target.Close())
}

// isLicence reports whether a file in the root of a module holds terms that go
// with every copy of it.
func isLicence(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} {
		if strings.HasPrefix(name, word) && !strings.HasSuffix(name, ".GO") {
			return true
		}
	}
	return false
}

// errNoLicence means that a module contains no licence file, so that the image must not include
// it.
var errNoLicence = errors.New("has no file with its licence")

// licencesIn returns the licence files of a module, for the module's directory in the image.
func licencesIn(module, dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, entry := range entries {
		if entry.Type().IsRegular() && isLicence(entry.Name()) {
			files = append(files, diskFile(path.Join("licenses", module, entry.Name()), filepath.Join(dir, entry.Name()), false))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", module, errNoLicence)
	}
	return files, nil
}
