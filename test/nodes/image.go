// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image describes an image.
type Image struct {
	// Name is the reference by which pods know the image, with a tag.
	Name       string
	Entrypoint []string
	Env        []string
	// User is a user id, or a user id and a group id with a colon; empty means root.
	User string
	// Layers lists the layers, the lowest first.
	Layers [][]ImageFile
}

// ImageFile is a file, or with an empty Source a directory, of an image.
type ImageFile struct {
	// Path is absolute. Write creates its parent directories.
	Path string
	// Source is a file of this machine.
	Source string
	Mode   os.FileMode
}

// WriteImage packs an image into a file.
func WriteImage(file string, image Image) error {
	packed, err := assemble(image)
	if err != nil {
		return fmt.Errorf("pack image %s: %w", image.Name, err)
	}
	tag, err := name.NewTag(image.Name, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("pack image: %w", err)
	}
	return tarball.WriteToFile(file, tag, packed)
}

func assemble(image Image) (v1.Image, error) {
	packed, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: runtime.GOARCH, OS: "linux",
		Config: v1.Config{User: image.User, Env: image.Env, Entrypoint: image.Entrypoint},
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	for _, files := range image.Layers {
		content, err := pack(files)
		if err != nil {
			return nil, err
		}
		if packed, err = mutate.AppendLayers(packed, static.NewLayer(content, types.DockerUncompressedLayer)); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// pack encodes a layer. The layer stays uncompressed, because it does not leave this machine.
func pack(files []ImageFile) ([]byte, error) {
	var content bytes.Buffer
	archive := tar.NewWriter(&content)
	made := map[string]bool{"/": true}
	for _, file := range files {
		if err := add(archive, file, made); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return content.Bytes(), err
}

func add(archive *tar.Writer, file ImageFile, made map[string]bool) error {
	if !path.IsAbs(file.Path) || path.Clean(file.Path) != file.Path {
		return fmt.Errorf("path %q is not absolute or not clean", file.Path)
	}
	var missing []string
	for parent := path.Dir(file.Path); !made[parent]; parent = path.Dir(parent) {
		missing = append(missing, parent)
		made[parent] = true
	}
	for _, parent := range slices.Backward(missing) {
		if err := addDirectory(archive, parent, 0o755); err != nil {
			return err
		}
	}
	if file.Source == "" {
		made[file.Path] = true
		return addDirectory(archive, file.Path, file.Mode)
	}
	source, err := os.Open(file.Source)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	return addContent(archive, inside(file.Path), mode(file.Mode), info.Size(), source)
}

// inside converts a path to the form of archives, without the leading slash.
func inside(name string) string { return strings.TrimPrefix(name, "/") }

func addDirectory(archive *tar.Writer, name string, permissions os.FileMode) error {
	return archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeDir, Name: inside(name) + "/", Mode: mode(permissions), Format: tar.FormatUSTAR,
	})
}

// mode converts permissions to those of archives, which encode the sticky bit of /tmp differently.
func mode(permissions os.FileMode) int64 {
	bits := int64(permissions.Perm())
	if permissions&os.ModeSticky != 0 {
		bits |= 0o1000
	}
	return bits
}

func addContent(archive *tar.Writer, name string, mode, size int64, content io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, Format: tar.FormatUSTAR}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}
