// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"go.yaml.in/yaml/v3"
)

// maxManifest limits the size of a file in bytes.
const maxManifest = 1 << 20

// ErrLarge rejects a larger file.
var ErrLarge = errors.New("the manifest is larger than 1 MiB")

// WalkManifests reads each manifest of a directory and its subdirectories. visit may return
// [fs.SkipAll]. Errors: ErrLarge, and those of files and of visit, with the path of the file.
func WalkManifests(dir string, visit func(path string, text []byte) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		extension := filepath.Ext(path)
		if err != nil || entry.IsDir() || extension != ".yaml" && extension != ".yml" || strings.HasPrefix(filepath.Base(path), ".") {
			return err
		}
		text, err := readManifest(path)
		if err == nil {
			err = visit(path, text)
		}
		if err != nil && !errors.Is(err, fs.SkipAll) {
			return &fs.PathError{Op: "read", Path: path, Err: err}
		}
		return err
	})
}

func readManifest(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, ErrLarge
	}
	return os.ReadFile(path)
}

// ReplaceManifest writes a file atomically: a reader sees either the former or the new content. The
// file keeps its permissions.
func ReplaceManifest(path string, text []byte) error {
	return renameio.WriteFile(path, text, 0o644, renameio.WithExistingPermissions(), renameio.WithTempDir(filepath.Dir(path)))
}

// Member returns the key and the value of a member of a mapping; nil if it is absent.
func Member(node *yaml.Node, name string) (key, value *yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// LastLine returns the last line of a node whose scalars have one line each.
func LastLine(node *yaml.Node) int {
	last := node.Line
	for _, child := range node.Content {
		last = max(last, LastLine(child))
	}
	return last
}
