// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// root is the root of the platform's module.
const root = "../.."

// delivered is the image of this tree as the command builds it. files is the directory with its
// unpacked files.
var delivered struct{ dir, out, files, printed string }

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "printmarket-image-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Setenv(epochVariable, "1793491200"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	delivered.dir, delivered.out, delivered.files = dir, filepath.Join(dir, "image"), filepath.Join(dir, "files")
	if delivered.printed, err = command(context.Background(), root, delivered.out); err != nil {
		fmt.Fprintln(os.Stderr, "build the image:", err)
		return 1
	}
	if err := unpack(delivered.out, delivered.files); err != nil {
		fmt.Fprintln(os.Stderr, "unpack the image:", err)
		return 1
	}
	return m.Run()
}

// command builds an image of a source as version v1.2.3 of 2026-11-01.
func command(ctx context.Context, source, out string, more ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	args := append([]string{"--source", source, "--out", out, "--version", "v1.2.3", "--revision", strings.Repeat("ab", 20)}, more...)
	err := run(ctx, args, &stdout, &stderr)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return stdout.String(), err
}

// imageIn returns the first image of a layout.
func imageIn(layoutDir string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(layoutDir)
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	return index.Image(manifest.Manifests[0].Digest)
}

func theImage(t *testing.T) v1.Image {
	t.Helper()
	image, err := imageIn(delivered.out)
	if err != nil {
		t.Fatalf("imageIn(%q): %v", delivered.out, err)
	}
	return image
}

// unpack writes the files of the image of a layout to a directory.
func unpack(layoutDir, dir string) error {
	image, err := imageIn(layoutDir)
	if err != nil {
		return err
	}
	all, err := entries(mutate.Extract(image))
	for _, one := range all {
		if one.Typeflag != tar.TypeReg {
			continue
		}
		at := filepath.Join(dir, one.Name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, one.content, fs.FileMode(one.Mode)); err != nil {
			return err
		}
	}
	return err
}

func TestCommandPrintsItsFilesAndTheDigest(t *testing.T) {
	t.Parallel()
	digest, err := theImage(t).Digest()
	if err != nil {
		t.Fatalf("Digest: %v", err)
	}
	want := strings.Join([]string{
		delivered.out, filepath.Join(delivered.out, "sbom.cdx.json"), delivered.out + ".tar", digest.String(), "",
	}, "\n")
	if delivered.printed != want {
		t.Errorf("printed:\n%swant:\n%s", delivered.printed, want)
	}
}

// The tree is copied to a place with another name and another depth.
func TestSameTreeGivesTheSameDigestInEveryDirectory(t *testing.T) {
	t.Parallel()
	copied := filepath.Join(t.TempDir(), "some", "where", "else")
	if err := copyTree(root, copied); err != nil {
		t.Fatalf("copyTree(%q): %v", copied, err)
	}
	out := filepath.Join(t.TempDir(), "image")
	printed, err := command(t.Context(), copied, out)
	if err != nil {
		t.Fatalf("command(%q, %q): %v", copied, out, err)
	}
	if got, want := lastLine(printed), lastLine(delivered.printed); got != want {
		t.Errorf("digest %s, and %s in another directory", want, got)
	}
	for _, name := range []string{"image.tar", "image/sbom.cdx.json", "image/index.json"} {
		if !sameFile(t, filepath.Join(delivered.dir, name), filepath.Join(filepath.Dir(out), name)) {
			t.Errorf("%s differs", name)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	var contents [2][]byte
	for i, name := range []string{a, b} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", name, err)
		}
		contents[i] = content
	}
	return bytes.Equal(contents[0], contents[1])
}

// copyTree copies the sources and the generated sources of a checkout, without build output.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (name == ".git" || name == "bin" || strings.HasPrefix(name, ".printmarket") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	})
}

func TestCommandLinesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unsupported platform":           {[]string{"--platform", "linux/riscv64"}, "linux/riscv64"},
		"a platform twice":                  {[]string{"--platform", "linux/amd64,linux/amd64"}, "twice"},
		"an argument":                       {[]string{"build"}, "build"},
		"a flag that is not there":          {[]string{"--tag", "x"}, "tag"},
		"the files of two images at a time": {[]string{"--platform", "linux/amd64,linux/arm64", "--rootfs", t.TempDir(), "--version", "v1", "--revision", "r"}, "one platform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), append([]string{"--source", root}, tc.args...), &bytes.Buffer{}, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one about %q", err, tc.want)
			}
		})
	}
}

// An engine's build gets the files that the image has, executables included.
func TestRootfsEqualsTheFilesOfTheImage(t *testing.T) {
	t.Parallel()
	source, out := tinyPlatform(t), filepath.Join(t.TempDir(), "image")
	dir, want := filepath.Join(t.TempDir(), "rootfs"), filepath.Join(t.TempDir(), "files")
	if _, err := command(t.Context(), source, "", "--rootfs", dir); err != nil {
		t.Fatalf(`command(%q, "--rootfs", %q): %v`, source, dir, err)
	}
	if _, err := command(t.Context(), source, out); err != nil {
		t.Fatalf("command(%q, %q): %v", source, out, err)
	}
	if err := unpack(out, want); err != nil {
		t.Fatalf("unpack(%q, %q): %v", out, want, err)
	}
	for _, pair := range [][2]string{{dir, want}, {want, dir}} {
		err := fs.WalkDir(os.DirFS(pair[0]), ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && !sameFile(t, filepath.Join(pair[0], name), filepath.Join(pair[1], name)) {
				t.Errorf("%s differs", name)
			}
			return err
		})
		if err != nil {
			t.Errorf(`fs.WalkDir("."): %v`, err)
		}
	}
}
