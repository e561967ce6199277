// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The properties of the image. A test compares them with the Dockerfile.
const (
	imageName  = "printmarket"
	imageUser  = "65532:65532"
	entrypoint = "/printmarket"
	sourceURL  = "https://github.com/printmarket/printmarket"
)

// labels returns the OCI annotations of a release.
func (r release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       imageName,
		"org.opencontainers.image.description": "The print marketplace platform",
		"org.opencontainers.image.source":      sourceURL,
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.revision":    r.revision,
		"org.opencontainers.image.created":     r.time.Format(time.RFC3339),
	}
}

// builder makes the images of one release.
type builder struct {
	source, work string
	release      release
}

// built is the image of one platform and its SBOM.
type built struct {
	platform v1.Platform
	image    v1.Image
	sbom     []byte
}

// contents holds the files of an image by layer: rarely changing files first, then each
// executable.
type contents struct {
	layers [][]file
	linked []linked
	roots  debug.Module
}

func (b builder) build(ctx context.Context, p v1.Platform) (built, error) {
	all, err := b.contents(ctx, p)
	if err != nil {
		return built{}, err
	}
	image, err := b.release.image(p, all.layers)
	if err != nil {
		return built{}, fmt.Errorf("pack: %w", err)
	}
	digest, err := image.Digest()
	if err != nil {
		return built{}, err
	}
	sbom, err := describe(b.release, p, digest, all)
	if err != nil {
		return built{}, fmt.Errorf("describe: %w", err)
	}
	return built{p, image, sbom}, nil
}

func (b builder) contents(ctx context.Context, p v1.Platform) (contents, error) {
	dir := filepath.Join(b.work, p.Architecture)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return contents{}, err
	}
	if err := compile(ctx, b.source, dir, p, b.release.version); err != nil {
		return contents{}, err
	}
	var all contents
	var err error
	if all.roots, err = rootsVersion(ours); err != nil {
		return contents{}, err
	}
	var programs [][]file
	for _, one := range executables {
		at := filepath.Join(dir, one.name)
		made, err := readLinked(one.name, at)
		if err != nil {
			return contents{}, err
		}
		all.linked = append(all.linked, made)
		programs = append(programs, []file{diskFile(one.name, at, true)})
	}
	authorities, err := rootCertificates(bundle.Roots())
	if err != nil {
		return contents{}, err
	}
	terms, err := licences(ctx, b.source, append(union(all.linked), all.roots))
	if err != nil {
		return contents{}, fmt.Errorf("gather the licences: %w", err)
	}
	base := append([]file{bytesFile(rootsFile, authorities)}, terms...)
	all.layers = append([][]file{base}, programs...)
	return all, nil
}

// errOnePlatform means that --rootfs was used with several platforms.
var errOnePlatform = errors.New("--rootfs is for one platform")

// writeFiles writes the files of an image to a directory.
func (b builder) writeFiles(ctx context.Context, platforms []v1.Platform, dir string) error {
	if len(platforms) != 1 {
		return errOnePlatform
	}
	all, err := b.contents(ctx, platforms[0])
	if err != nil {
		return err
	}
	for _, layer := range all.layers {
		if err := extract(dir, layer); err != nil {
			return err
		}
	}
	return nil
}

// image packs layers on nothing.
func (r release) image(p v1.Platform, layers [][]file) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.ConfigFile(image, &v1.ConfigFile{
		Architecture: p.Architecture,
		OS:           p.OS,
		Created:      v1.Time{Time: r.time},
		RootFS:       v1.RootFS{Type: "layers"},
		Config:       v1.Config{User: imageUser, Entrypoint: []string{entrypoint}, WorkingDir: "/", Labels: r.labels()},
	})
	if err != nil {
		return nil, err
	}
	for _, files := range layers {
		layer, err := r.layer(files)
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{
			Layer:   layer,
			History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: sourceURL},
		})
		if err != nil {
			return nil, err
		}
	}
	annotated, ok := mutate.Annotations(image, r.labels()).(v1.Image)
	if !ok {
		return nil, errors.New("an annotated image is no image")
	}
	return annotated, nil
}

func (r release) layer(files []file) (v1.Layer, error) {
	var packed bytes.Buffer
	if err := tarOf(&packed, files, r.time); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching,
	)
}
