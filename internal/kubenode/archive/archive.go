// SPDX-License-Identifier: Apache-2.0

// Package archive packs programs as container images without a registry or a
// daemon: as the archive that `docker save` writes and every runtime loads. The
// same files make the same bytes.
package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Image is what is packed.
type Image struct {
	// Name is the reference by which pods know the image, with a tag.
	Name       string
	Entrypoint []string
	Env        []string
	// User is a number, or two with a colon; empty is root.
	User string
	// Layers lie above each other, the last one on top.
	Layers [][]File
}

// File is a file, or with an empty Source a directory, of an image.
type File struct {
	// Path is absolute. The directories that lead to it are made.
	Path string
	// Source is a file of this machine.
	Source string
	Mode   os.FileMode
}

// layer is a packed layer; its digest is that of its bytes.
type layer struct {
	content *os.File
	digest  string
}

// Write packs an image into a file.
func Write(file string, image Image) (err error) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("pack image %s: %w", image.Name, err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := write(out, filepath.Dir(file), image); err != nil {
		return fmt.Errorf("pack image %s: %w", image.Name, err)
	}
	return nil
}

func write(out io.Writer, scratch string, image Image) error {
	var layers []layer
	defer func() {
		for _, l := range layers {
			_ = l.content.Close()
		}
	}()
	for _, files := range image.Layers {
		l, err := pack(scratch, files)
		if err != nil {
			return err
		}
		layers = append(layers, l)
	}
	return assemble(tar.NewWriter(out), image, layers)
}

// pack writes a layer to a file without a name.
func pack(scratch string, files []File) (layer, error) {
	content, err := os.CreateTemp(scratch, "layer-")
	if err != nil {
		return layer{}, err
	}
	if err := os.Remove(content.Name()); err != nil {
		return layer{}, errors.Join(err, content.Close())
	}
	digest := sha256.New()
	archive := tar.NewWriter(io.MultiWriter(content, digest))
	made := map[string]bool{"/": true}
	for _, file := range files {
		if err := add(archive, file, made); err != nil {
			return layer{}, errors.Join(err, content.Close())
		}
	}
	if err := archive.Close(); err != nil {
		return layer{}, errors.Join(err, content.Close())
	}
	return layer{content: content, digest: hex.EncodeToString(digest.Sum(nil))}, nil
}

func add(archive *tar.Writer, file File, made map[string]bool) error {
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

// inside is a path as archives have it.
func inside(name string) string { return strings.TrimPrefix(name, "/") }

func addDirectory(archive *tar.Writer, name string, permissions os.FileMode) error {
	return archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeDir, Name: inside(name) + "/", Mode: mode(permissions), Format: tar.FormatUSTAR,
	})
}

// mode is that of archives, which know the sticky bit of /tmp by another number.
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

// configuration is the OCI image configuration, as far as it is used.
type configuration struct {
	Architecture string   `json:"architecture"`
	OS           string   `json:"os"`
	Config       settings `json:"config"`
	RootFS       rootFS   `json:"rootfs"`
}

type settings struct {
	User       string   `json:"User,omitempty"`
	Env        []string `json:"Env,omitempty"`
	Entrypoint []string `json:"Entrypoint"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

// manifest is an entry of manifest.json.
type manifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func assemble(archive *tar.Writer, image Image, layers []layer) error {
	c := configuration{
		Architecture: runtime.GOARCH, OS: "linux",
		Config: settings{User: image.User, Env: image.Env, Entrypoint: image.Entrypoint},
		RootFS: rootFS{Type: "layers"},
	}
	m := manifest{RepoTags: []string{image.Name}}
	for _, l := range layers {
		name := l.digest + "/layer.tar"
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, "sha256:"+l.digest)
		m.Layers = append(m.Layers, name)
		size, err := l.content.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if err := addContent(archive, name, 0o644, size, io.NewSectionReader(l.content, 0, size)); err != nil {
			return err
		}
	}
	config, err := json.Marshal(c)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(config)
	m.Config = hex.EncodeToString(digest[:]) + ".json"
	list, err := json.Marshal([]manifest{m})
	if err != nil {
		return err
	}
	if err := addContent(archive, m.Config, 0o644, int64(len(config)), bytes.NewReader(config)); err != nil {
		return err
	}
	if err := addContent(archive, "manifest.json", 0o644, int64(len(list)), bytes.NewReader(list)); err != nil {
		return err
	}
	return archive.Close()
}
