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

// The bounds of a directory.
const (
	maxFileSize  = 1 << 20
	maxTotalSize = 64 << 20
	maxFiles     = 10_000
	maxDirDepth  = 8
)

// contents is the bytes of a directory at one moment.
type contents struct {
	files map[string][]byte
	// dirs are the directories that were read, to be watched.
	dirs []string
	hash [sha256.Size]byte
	size int
}

// scan reads every manifest below dir: *.yaml, *.yml and *.json. Names that
// begin with a dot are passed over (editors' and the kubelet's own files), as
// are kustomization files, which list manifests and are none.
func scan(dir string) (*contents, error) {
	c := &contents{files: map[string][]byte{}}
	if err := c.walk(dir, "", 0); err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		// A hash does not fail. Lengths in front keep names and contents apart.
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
		// Stat follows symbolic links, which is how the kubelet and many
		// deployment tools present files.
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

// manifestName reports whether a file holds manifests, by its name.
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
		return refuse("", fmt.Sprintf("holds more than %d manifests", maxFiles))
	}
	content, err := readBounded(file)
	switch {
	case err != nil:
		return refuse(name, "cannot read the file: "+reason(err))
	case len(content) > maxFileSize:
		return refuse(name, fmt.Sprintf("is larger than %d bytes", maxFileSize))
	}
	if c.size += len(content); c.size > maxTotalSize {
		return refuse("", fmt.Sprintf("holds more than %d bytes", maxTotalSize))
	}
	c.files[name] = content
	return nil
}

// readBounded reads one byte more than is allowed, so that a file that grows
// after it was looked at is still noticed.
func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	// Closing a file that was only read loses nothing.
	_ = f.Close()
	return content, err
}

// reason is the cause without the path, which the fault has already.
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
