// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// tinyPlatform returns a module with executables of the platform's names that compile within a
// second for any architecture.
func tinyPlatform(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/tiny\n\ngo 1.26.0\n", "LICENSE": "Do what you like.\n",
		"main.go": "package main\n\nfunc main() {}\n", "workers/inspector/main.go": "package main\n\nfunc main() { println() }\n",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatalf("os.MkdirAll: %v", err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", at, err)
		}
	}
	return dir
}

func localRegistryOf(t *testing.T, options ...registry.Option) string {
	t.Helper()
	server := httptest.NewServer(registry.New(append(options, registry.Logger(log.New(io.Discard, "", 0)))...))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// Registries without the referrers API get a tag with the same content.
func TestPushedImageRefersToItsSBOMs(t *testing.T) {
	t.Parallel()
	const both = "linux/amd64,linux/arm64"
	for name, tc := range map[string]struct {
		platforms string
		registry  []registry.Option
	}{
		"one platform":                  {platforms: "linux/amd64", registry: []registry.Option{registry.WithReferrersSupport(true)}},
		"two platforms":                 {platforms: both, registry: []registry.Option{registry.WithReferrersSupport(true)}},
		"a registry without the images": {platforms: both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reference := localRegistryOf(t, tc.registry...) + "/prints/printmarket:v1.2.3"
			out := filepath.Join(t.TempDir(), "image")
			printed, err := command(t.Context(), tinyPlatform(t), out, "--platform", tc.platforms, "--push", reference)
			if err != nil {
				t.Fatalf(`command(%q, "--platform", %q): %v`, out, tc.platforms, err)
			}
			images := pushed(t, reference, lastLine(printed))
			if len(images) != len(strings.Split(tc.platforms, ",")) {
				t.Errorf("%d images of %s", len(images), tc.platforms)
			}
			for platform, image := range images {
				checkReferrer(t, reference, platform, image)
			}
			checkLayout(t, out, len(images))
		})
	}
}

// pushed returns the images of a reference, by platform.
func pushed(t *testing.T, reference, digest string) map[string]v1.Image {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatalf("name.ParseReference(%q): %v", reference, err)
	}
	got, err := remote.Get(ref)
	if err != nil {
		t.Fatalf("remote.Get: %v", err)
	}
	if got.Digest.String() != digest {
		t.Errorf("pushed %s, printed %s", got.Digest, digest)
	}
	if !got.MediaType.IsIndex() {
		image, err := got.Image()
		if err != nil {
			t.Fatalf("got.Image: %v", err)
		}
		return map[string]v1.Image{"linux/amd64": image}
	}
	index, err := got.ImageIndex()
	if err != nil {
		t.Fatalf("got.ImageIndex: %v", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatalf("index.IndexManifest: %v", err)
	}
	images := map[string]v1.Image{}
	for _, one := range manifest.Manifests {
		image, err := index.Image(one.Digest)
		if err != nil {
			t.Fatalf("index.Image: %v", err)
		}
		images[one.Platform.String()] = image
	}
	return images
}

func checkReferrer(t *testing.T, reference, platform string, image v1.Image) {
	t.Helper()
	if err := validate.Image(image); err != nil {
		t.Errorf("%s: %v", platform, err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatalf("image.ConfigFile: %v", err)
	}
	if got := config.OS + "/" + config.Architecture; got != platform {
		t.Errorf("the image of %s says that it is of %s", platform, got)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatalf("image.Digest: %v", err)
	}
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatalf("name.ParseReference(%q): %v", reference, err)
	}
	referrers, err := remote.Referrers(ref.Context().Digest(digest.String()))
	if err != nil {
		t.Fatalf("remote.Referrers: %v", err)
	}
	manifest, err := referrers.IndexManifest()
	if err != nil {
		t.Fatalf("referrers.IndexManifest: %v", err)
	}
	if len(manifest.Manifests) != 1 {
		t.Fatalf("%s: what refers to the image: %+v", platform, manifest.Manifests)
	}
	attached, err := remote.Get(ref.Context().Digest(manifest.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatalf("remote.Get: %v", err)
	}
	sbom, err := v1.ParseManifest(strings.NewReader(string(attached.Manifest)))
	if err != nil {
		t.Fatalf("v1.ParseManifest: %v", err)
	}
	if sbom.ArtifactType != sbomType || sbom.Config.MediaType != emptyType || len(sbom.Layers) != 1 || sbom.Layers[0].MediaType != sbomType {
		t.Fatalf("%s: the manifest of the SBOM: %s", platform, attached.Manifest)
	}
	layer, err := remote.Layer(ref.Context().Digest(sbom.Layers[0].Digest.String()))
	if err != nil {
		t.Fatalf("remote.Layer: %v", err)
	}
	content, err := layer.Compressed()
	if err != nil {
		t.Fatalf("layer.Compressed: %v", err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil || !strings.Contains(string(text), digest.Hex) {
		t.Errorf("%s: the SBOM is of another image: %v\n%s", platform, err, text)
	}
}

// checkLayout checks a layout: one image or index, and its referrers.
func checkLayout(t *testing.T, dir string, platforms int) {
	t.Helper()
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatalf("layout.ImageIndexFromPath(%q): %v", dir, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatalf("index.IndexManifest: %v", err)
	}
	if len(manifest.Manifests) != 1+platforms || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "v1.2.3" {
		t.Errorf("index.json: %+v", manifest.Manifests)
	}
	archives, err := filepath.Glob(dir + "*.tar")
	if err != nil || len(archives) != platforms {
		t.Errorf("archives %q, %v", archives, err)
	}
	sboms, err := filepath.Glob(filepath.Join(dir, "*.cdx.json"))
	if err != nil || len(sboms) != platforms {
		t.Errorf("SBOMs %q, %v", sboms, err)
	}
}

func TestOnlyALayoutIsReplaced(t *testing.T) {
	t.Parallel()
	source, out := tinyPlatform(t), filepath.Join(t.TempDir(), "image")
	for _, platforms := range []string{"linux/amd64,linux/arm64", "linux/amd64"} {
		if _, err := command(t.Context(), source, out, "--platform", platforms); err != nil {
			t.Fatalf("command(%q, %q): %v", source, out, err)
		}
	}
	checkLayout(t, out, 1)
	if _, err := command(t.Context(), source, source, "--platform", "linux/amd64"); !errors.Is(err, errNotALayout) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(source, "main.go")); err != nil {
		t.Errorf("os.Stat: %v", err)
	}
}

func TestReleaseRequiresACommitOrItsDescription(t *testing.T) {
	for name, tc := range map[string]struct {
		release release
		epoch   string
		want    string
	}{
		"no checkout":                    {want: "not a git checkout"},
		"all but the time":               {release: release{version: "v1", revision: "r"}, want: "not a git checkout"},
		"an invalid time":                {release: release{version: "v1", revision: "r"}, epoch: "yesterday", want: `SOURCE_DATE_EPOCH "yesterday"`},
		"a time before times were known": {release: release{version: "v1", revision: "r"}, epoch: "-1", want: `SOURCE_DATE_EPOCH "-1"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(epochVariable, tc.epoch)
			_, err := tc.release.complete(t.Context(), t.TempDir())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}
