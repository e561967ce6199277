// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of a directory.
const (
	maxFileSize  = 1 << 20
	maxTotalSize = 64 << 20
	maxFiles     = 10_000
	maxDirDepth  = 8
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// maxStream is the maximum size of a single file or of standard input, such as the output
// of helm template.
const maxStream = 16 << 20

// Manifests holds files of manifests by name.
type Manifests map[string][]byte

// Open reads a directory of manifests, one file, or standard input if path is [Stdin].
func Open(path string, stdin io.Reader) (Manifests, error) {
	in, name := stdin, path
	if path != Stdin {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			set, err := scan(path)
			if err != nil {
				return nil, err
			}
			return set.files, nil
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, refuse("", "cannot read the manifests: "+reason(err))
		}
		// An error of closing a read-only file has no effect.
		defer func() { _ = file.Close() }()
		in, name = file, filepath.Base(path)
	}
	content, err := io.ReadAll(io.LimitReader(in, maxStream+1))
	switch {
	case err != nil:
		return nil, refuse("", "cannot read the manifests: "+reason(err))
	case len(content) > maxStream:
		return nil, refuse("", fmt.Sprintf("is larger than %d bytes", maxStream))
	}
	return Manifests{name: content}, nil
}

// contents holds the bytes of a directory at one moment.
type contents struct {
	files map[string][]byte
	// dirs lists the directories that were read, to be watched.
	dirs []string
	hash [sha256.Size]byte
	size int
}

// scan reads every manifest below dir: *.yaml, *.yml and *.json. It ignores names that
// start with a dot (files of editors and the kubelet) and kustomization files, which
// list manifests but are not manifests.
func scan(dir string) (*contents, error) {
	c := &contents{files: map[string][]byte{}}
	if err := c.walk(dir, "", 0); err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		// A hash never returns an error. Length prefixes separate names from contents.
		writeLengthed(h, []byte(name))
		writeLengthed(h, c.files[name])
	}
	h.Sum(c.hash[:0])
	return c, nil
}

func writeLengthed(w io.Writer, b []byte) {
	_, _ = w.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
	_, _ = w.Write(b)
}

func (c *contents) walk(root, below string, depth int) error {
	if depth > maxDirDepth {
		return refuse(below, fmt.Sprintf("is more than %d directories deep", maxDirDepth))
	}
	dir := filepath.Join(root, filepath.FromSlash(below))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return refuse(below, "cannot read the directory: "+reason(err))
	}
	c.dirs = append(c.dirs, dir)
	for _, entry := range entries {
		name := path.Join(below, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		// Stat follows symbolic links, because the kubelet and many deployment
		// tools present files as links.
		info, err := os.Stat(filepath.Join(dir, entry.Name()))
		switch {
		case err != nil && !manifestName(entry.Name()):
			continue
		case err != nil:
			return refuse(name, "cannot read the file: "+reason(err))
		case info.IsDir():
			if err := c.walk(root, name, depth+1); err != nil {
				return err
			}
		case manifestName(entry.Name()):
			if err := c.read(filepath.Join(dir, entry.Name()), name, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// manifestName reports whether a file name is that of a manifest.
func manifestName(name string) bool {
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	return slices.Contains([]string{".yaml", ".yml", ".json"}, extension) && stem != "kustomization"
}

func (c *contents) read(file, name string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return refuse(name, "is not a regular file")
	case len(c.files) == maxFiles:
		return refuse("", fmt.Sprintf("contains more than %d manifests", maxFiles))
	}
	content, err := readBounded(file)
	switch {
	case err != nil:
		return refuse(name, "cannot read the file: "+reason(err))
	case len(content) > maxFileSize:
		return refuse(name, fmt.Sprintf("is larger than %d bytes", maxFileSize))
	}
	if c.size += len(content); c.size > maxTotalSize {
		return refuse("", fmt.Sprintf("contains more than %d bytes", maxTotalSize))
	}
	c.files[name] = content
	return nil
}

// readBounded reads at most one byte more than the limit, to detect a file that grew
// after it was inspected.
func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	// An error of closing a read-only file has no effect.
	_ = f.Close()
	return content, err
}

// reason returns the cause without the path, which the fault already contains.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func refuse(file, problem string) error {
	r := &RefusalError{}
	r.add(&FaultError{File: file, Problem: problem})
	return r
}
