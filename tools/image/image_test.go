// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"debug/elf"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// entry is one entry of an archive.
type entry struct {
	*tar.Header
	content []byte
}

func entries(from io.ReadCloser) ([]entry, error) {
	defer func() { _ = from.Close() }()
	var all []entry
	for in := tar.NewReader(from); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{header, content})
	}
}

func TestImageMatchesThePodTemplates(t *testing.T) {
	t.Parallel()
	image := theImage(t)
	if err := validate.Image(image); err != nil {
		t.Errorf("digests and sizes: %v", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatalf("image.ConfigFile: %v", err)
	}
	released := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	want := &v1.ConfigFile{
		Architecture: runtime.GOARCH, OS: "linux", Created: v1.Time{Time: released},
		Config: v1.Config{User: "65532:65532", Entrypoint: []string{"/printmarket"}, WorkingDir: "/", Labels: map[string]string{
			"org.opencontainers.image.title":       "printmarket",
			"org.opencontainers.image.description": "The print marketplace platform",
			"org.opencontainers.image.source":      "https://github.com/printmarket/printmarket",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     "v1.2.3",
			"org.opencontainers.image.revision":    strings.Repeat("ab", 20),
			"org.opencontainers.image.created":     "2026-11-01T00:00:00Z",
		}},
	}
	for _, history := range config.History {
		if !history.Created.Equal(released) {
			t.Errorf("a layer says that it was made at %s", history.Created)
		}
	}
	config.RootFS, config.History = v1.RootFS{}, nil
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	manifest, err := image.Manifest()
	if err != nil {
		t.Fatalf("image.Manifest: %v", err)
	}
	if manifest.MediaType != types.OCIManifestSchema1 || manifest.Config.MediaType != types.OCIConfigJSON {
		t.Errorf("media types %s and %s", manifest.MediaType, manifest.Config.MediaType)
	}
	if diff := cmp.Diff(want.Config.Labels, manifest.Annotations); diff != "" {
		t.Errorf("annotations (-labels +annotations):\n%s", diff)
	}
}

// A new release changes one layer for each executable that it changes.
func TestEachExecutableIsALayerOfItsOwn(t *testing.T) {
	t.Parallel()
	layers, err := theImage(t).Layers()
	if err != nil {
		t.Fatalf("Layers: %v", err)
	}
	var got [][]string
	for _, layer := range layers {
		content, err := layer.Uncompressed()
		if err != nil {
			t.Fatalf("layer.Uncompressed: %v", err)
		}
		all, err := entries(content)
		if err != nil {
			t.Fatalf("entries: %v", err)
		}
		var tops []string
		for _, one := range all {
			if top, _, _ := strings.Cut(one.Name, "/"); !slices.Contains(tops, top) {
				tops = append(tops, top)
			}
		}
		got = append(got, tops)
	}
	if diff := cmp.Diff([][]string{{"etc", "licenses"}, {"printmarket"}, {"inspector"}}, got); diff != "" {
		t.Errorf("content of each layer (-want +got):\n%s", diff)
	}
}

func TestFilesAreReadOnlyAndDatedAsTheRelease(t *testing.T) {
	t.Parallel()
	all, err := entries(mutate.Extract(theImage(t)))
	if err != nil {
		t.Fatalf("entries: %v", err)
	}
	for _, one := range all {
		if one.Mode&0o222 != 0 || one.Uid != 0 || one.Gid != 0 || one.Uname != "" || one.Gname != "" {
			t.Errorf("%s: mode %o, owner %d:%d", one.Name, one.Mode, one.Uid, one.Gid)
		}
		if one.ModTime.Unix() != 1793491200 {
			t.Errorf("%s is of %s", one.Name, one.ModTime)
		}
		if one.Typeflag != tar.TypeReg && one.Typeflag != tar.TypeDir {
			t.Errorf("%s is neither a file nor a directory", one.Name)
		}
	}
}

func TestExecutablesAreStaticAndRun(t *testing.T) {
	t.Parallel()
	dir := delivered.files
	for _, one := range executables {
		program, err := elf.Open(filepath.Join(dir, one.name))
		if err != nil {
			t.Fatalf("elf.Open: %v", err)
		}
		for _, segment := range program.Progs {
			if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
				t.Errorf("%s is linked dynamically: %s", one.name, segment.Type)
			}
		}
		if program.Section(".symtab") != nil || program.Section(".debug_info") != nil {
			t.Errorf("%s has symbols", one.name)
		}
		if err := program.Close(); err != nil {
			t.Errorf("program.Close: %v", err)
		}
	}
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "printmarket"), "--version")
	run.Env = []string{}
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "v1.2.3") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The inspector beside the platform's executable opens files; the platform does not open them
// itself. If the inspector is broken, no file can be read.
func TestPlatformFindsTheInspectorOfTheImage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, one := range executables {
		if err := os.Link(filepath.Join(delivered.files, one.name), filepath.Join(dir, one.name)); err != nil {
			t.Fatalf("os.Link: %v", err)
		}
	}
	sample := filepath.Join(dir, "sample.pdf")
	if err := os.WriteFile(sample, []byte("no PDF at all"), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", sample, err)
	}
	inspect := func() int {
		run := exec.CommandContext(t.Context(), filepath.Join(dir, "printmarket"), "preflight", sample)
		out, err := run.CombinedOutput()
		if run.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s", out)
		return run.ProcessState.ExitCode()
	}
	const verdictFail, noReport = 2, 1
	if code := inspect(); code != verdictFail {
		t.Errorf("exit code %d for a file that is no PDF", code)
	}
	broken := filepath.Join(dir, "inspector")
	if err := os.Remove(broken); err != nil {
		t.Fatalf("os.Remove(%q): %v", broken, err)
	}
	if err := os.WriteFile(broken, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", broken, err)
	}
	if code := inspect(); code != noReport {
		t.Errorf("exit code %d with a broken inspector; another one was started", code)
	}
}

func TestRootsAreMozillasWithoutDistrustedOnes(t *testing.T) {
	t.Parallel()
	rest, err := os.ReadFile(filepath.Join(delivered.files, filepath.FromSlash(rootsFile)))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	got := map[string]bool{}
	for {
		block, more := pem.Decode(rest)
		if block == nil {
			break
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			t.Errorf("x509.ParseCertificate: %v", err)
		}
		got[string(block.Bytes)], rest = true, more
	}
	left := 0
	for one := range bundle.Roots() {
		if got[string(one.Certificate)] != (one.Constraint == nil) {
			t.Error("a root is there that must not be, or is not there that must")
		}
		if one.Constraint != nil {
			left++
		}
		delete(got, string(one.Certificate))
	}
	if len(got) != 0 || len(bytes.TrimSpace(rest)) != 0 || left == 0 {
		t.Errorf("roots of an empty file: got %d, %d left out, rest %q", len(got), left, rest)
	}
}

func TestImageHasTheLicencesOfAllLinkedModules(t *testing.T) {
	t.Parallel()
	dir := delivered.files
	var all []linked
	for _, one := range executables {
		made, err := readLinked(one.name, filepath.Join(dir, one.name))
		if err != nil {
			t.Fatalf("readLinked(%q): %v", one.name, err)
		}
		all = append(all, made)
	}
	modules := map[string]bool{"printmarket": true, "go": true, rootsModule: true}
	for _, m := range union(all) {
		modules[m.Path] = true
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		found, err := licencesIn(name, filepath.Join(dir, "licenses", filepath.FromSlash(name)))
		if err != nil || len(found) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(modules) < 50 {
		t.Errorf("only %d modules", len(modules))
	}
}

func TestModuleWithoutALicenceFailsTheBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "license.go"), []byte("package license"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	if _, err := licencesIn("example.org/m", dir); !errors.Is(err, errNoLicence) {
		t.Errorf("error %v", err)
	}
}

func TestArchiveHoldsTheImageUnderALocalName(t *testing.T) {
	t.Parallel()
	tag, err := name.NewTag("localhost/printmarket:v1.2.3")
	if err != nil {
		t.Fatalf("name.NewTag: %v", err)
	}
	loaded, err := tarball.ImageFromPath(delivered.out+".tar", &tag)
	if err != nil {
		t.Fatalf("tarball.ImageFromPath: %v", err)
	}
	got, err := loaded.ConfigName()
	if err != nil {
		t.Fatalf("loaded.ConfigName: %v", err)
	}
	want, err := theImage(t).ConfigName()
	if err != nil || got != want {
		t.Errorf("image %s, the layout has %s, %v", got, want, err)
	}
}
