// SPDX-License-Identifier: Apache-2.0

package archive_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/kubenode/archive"
)

// sample is an image of two layers.
func sample(t *testing.T) archive.Image {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	return archive.Image{
		Name: "localhost/sample:1", Entrypoint: []string{"/usr/bin/sample"}, Env: []string{"A=b"}, User: "65532:65532",
		Layers: [][]archive.File{
			{{Path: "/tmp", Mode: 0o777 | os.ModeSticky}},
			{
				{Path: "/usr/bin/sample", Source: program, Mode: 0o755},
				{Path: "/usr/bin/inspector", Source: program, Mode: 0o755},
			},
		},
	}
}

func write(t *testing.T, image archive.Image) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := archive.Write(file, image); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// entries reads an archive: what is in files, and the modes of everything.
func entries(t *testing.T, content []byte) (files map[string][]byte, modes map[string]fs.FileMode, order []string) {
	t.Helper()
	files, modes = map[string][]byte{}, map[string]fs.FileMode{}
	reader := tar.NewReader(bytes.NewReader(content))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, modes, order
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.FileInfo().Mode()
		order = append(order, header.Name)
	}
}

func TestAnImageNamesItsConfigurationAndLayersByTheirDigests(t *testing.T) {
	t.Parallel()
	files, _, _ := entries(t, write(t, sample(t)))
	var manifests []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifests); err != nil {
		t.Fatal(err)
	}
	if len(manifests) != 1 || len(manifests[0].Layers) != 2 {
		t.Fatalf("manifest: %s", files["manifest.json"])
	}
	if diff := cmp.Diff([]string{"localhost/sample:1"}, manifests[0].RepoTags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	config := files[manifests[0].Config]
	if want := digest(config) + ".json"; manifests[0].Config != want {
		t.Errorf("configuration is called %s; want %s", manifests[0].Config, want)
	}
	var read struct {
		OS     string
		Config struct {
			User       string
			Env        []string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(config, &read); err != nil {
		t.Fatal(err)
	}
	if read.OS != "linux" || read.Config.User != "65532:65532" || strings.Join(read.Config.Entrypoint, " ") != "/usr/bin/sample" {
		t.Errorf("configuration: %s", config)
	}
	var want []string
	for _, layer := range manifests[0].Layers {
		want = append(want, "sha256:"+digest(files[layer]))
	}
	if diff := cmp.Diff(want, read.RootFS.DiffIDs); diff != "" {
		t.Errorf("digests of layers (-want +got):\n%s", diff)
	}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func TestALayerHasEachDirectoryOnceAndBeforeItsFiles(t *testing.T) {
	t.Parallel()
	outer, _, names := entries(t, write(t, sample(t)))
	var layers [][]byte
	for _, name := range names {
		if strings.HasSuffix(name, "/layer.tar") {
			layers = append(layers, outer[name])
		}
	}
	_, modes, order := entries(t, layers[1])
	if diff := cmp.Diff([]string{"usr/", "usr/bin/", "usr/bin/sample", "usr/bin/inspector"}, order); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if modes["usr/bin/sample"] != 0o755 {
		t.Errorf("mode of the program: %v", modes["usr/bin/sample"])
	}
	_, modes, _ = entries(t, layers[0])
	if want := fs.ModeDir | fs.ModeSticky | 0o777; modes["tmp/"] != want {
		t.Errorf("mode of /tmp: %v; want %v", modes["tmp/"], want)
	}
}

func TestTheSameFilesMakeTheSameBytes(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(write(t, sample(t)), write(t, sample(t))) {
		t.Error("two archives differ")
	}
}

func TestAnImageThatCannotBePackedIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]archive.File{
		"the source is missing":     {Path: "/a", Source: "/no/such/file"},
		"the path is relative":      {Path: "a", Source: "/proc/self/exe"},
		"the path leaves its place": {Path: "/a/../../b", Source: "/proc/self/exe"},
	}
	for sentence, file := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			image := archive.Image{Name: "localhost/bad:1", Layers: [][]archive.File{{file}}}
			if err := archive.Write(filepath.Join(t.TempDir(), "image.tar"), image); err == nil {
				t.Error("it was packed")
			}
		})
	}
}
