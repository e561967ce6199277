// SPDX-License-Identifier: Apache-2.0

package nodes_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/printmarket/printmarket/test/nodes"
)

// sample returns an image of two layers.
func sample(t *testing.T) nodes.Image {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", program, err)
	}
	return nodes.Image{
		Name: "localhost/sample:1", Entrypoint: []string{"/usr/bin/sample"}, Env: []string{"A=b"}, User: "65532:65532",
		Layers: [][]nodes.ImageFile{
			{{Path: "/tmp", Mode: 0o777 | os.ModeSticky}},
			{
				{Path: "/usr/bin/sample", Source: program, Mode: 0o755},
				{Path: "/usr/bin/inspector", Source: program, Mode: 0o755},
			},
		},
	}
}

func write(t *testing.T, image nodes.Image) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := nodes.WriteImage(file, image); err != nil {
		t.Fatalf("nodes.WriteImage(%q): %v", file, err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", file, err)
	}
	return content
}

// read reads an archive as container runtimes do.
func read(t *testing.T, image nodes.Image) v1.Image {
	t.Helper()
	content := write(t, image)
	tag, err := name.NewTag(image.Name)
	if err != nil {
		t.Fatalf("name.NewTag(%q): %v", image.Name, err)
	}
	packed, err := tarball.Image(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, &tag)
	if err != nil {
		t.Fatalf("tarball.Image: %v", err)
	}
	return packed
}

func TestImageIsValidAndNamesItsEntrypoint(t *testing.T) {
	t.Parallel()
	packed := read(t, sample(t))
	if err := validate.Image(packed); err != nil {
		t.Fatalf("validate.Image: %v", err)
	}
	config, err := packed.ConfigFile()
	if err != nil {
		t.Fatalf("packed.ConfigFile: %v", err)
	}
	want := v1.Config{User: "65532:65532", Env: []string{"A=b"}, Entrypoint: []string{"/usr/bin/sample"}}
	if diff := cmp.Diff(want, config.Config); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if config.OS != "linux" || config.Architecture != runtime.GOARCH {
		t.Errorf("the image is for %s/%s", config.OS, config.Architecture)
	}
}

func TestLayerHasEachDirectoryOnceAndBeforeItsFiles(t *testing.T) {
	t.Parallel()
	layers, err := read(t, sample(t)).Layers()
	if err != nil {
		t.Fatalf("Layers: %v", err)
	}
	var got [][]string
	for _, layer := range layers {
		got = append(got, entries(t, layer))
	}
	want := [][]string{
		{"dtrwxrwxrwx tmp/"},
		{"drwxr-xr-x usr/", "drwxr-xr-x usr/bin/", "-rwxr-xr-x usr/bin/sample", "-rwxr-xr-x usr/bin/inspector"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// entries lists the modes and names of the entries of a layer.
func entries(t *testing.T, layer v1.Layer) []string {
	t.Helper()
	content, err := layer.Uncompressed()
	if err != nil {
		t.Fatalf("layer.Uncompressed: %v", err)
	}
	defer func() { _ = content.Close() }()
	var all []string
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, header.FileInfo().Mode().String()+" "+header.Name)
	}
}

func TestSameFilesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(write(t, sample(t)), write(t, sample(t))) {
		t.Error("two archives differ")
	}
}

func TestInvalidImageIsRejected(t *testing.T) {
	t.Parallel()
	tests := map[string]nodes.ImageFile{
		"the source is missing":     {Path: "/a", Source: "/no/such/file"},
		"the path is relative":      {Path: "a", Source: "/proc/self/exe"},
		"the path leaves its place": {Path: "/a/../../b", Source: "/proc/self/exe"},
	}
	for sentence, file := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			image := nodes.Image{Name: "localhost/bad:1", Layers: [][]nodes.ImageFile{{file}}}
			if err := nodes.WriteImage(filepath.Join(t.TempDir(), "image.tar"), image); err == nil {
				t.Error("nodes.WriteImage succeeded, want an error")
			}
		})
	}
}
