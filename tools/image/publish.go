// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// localRegistry prefixes the name of an image that was loaded from an archive. It is not a host;
// images with this prefix are never pulled.
const localRegistry = "localhost"

// write writes the layout and the archives, and returns the names of the written files. It
// replaces an existing layout with its archives, and no other files.
func (a assembly) write(dir, version string) ([]string, error) {
	if err := removeLayout(dir); err != nil {
		return nil, err
	}
	if err := a.writeLayout(dir, version); err != nil {
		return nil, err
	}
	names := []string{dir}
	for _, one := range a.built {
		suffix := ""
		if len(a.built) > 1 {
			suffix = "-" + one.platform.Architecture
		}
		sbom := filepath.Join(dir, "sbom"+suffix+".cdx.json")
		if err := os.WriteFile(sbom, one.sbom, 0o644); err != nil { //nolint:gosec // published with the image
			return nil, err
		}
		archive := dir + suffix + ".tar"
		if err := writeArchive(archive, version, one.image); err != nil {
			return nil, err
		}
		names = append(names, sbom, archive)
	}
	return names, nil
}

// errNotALayout prevents a mistyped --out from overwriting other files.
var errNotALayout = errors.New("the directory holds something else than an image")

func removeLayout(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "oci-layout")); err != nil {
		return fmt.Errorf("%s: %w", dir, errNotALayout)
	}
	// Archives of platforms that are not built this time would be of another release.
	for platform := range architectures {
		for _, suffix := range []string{"", "-" + path.Base(platform)} {
			if err := os.Remove(dir + suffix + ".tar"); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return os.RemoveAll(dir)
}

// writeLayout writes the image, with the SBOMs as its referrers.
func (a assembly) writeLayout(dir, version string) error {
	to, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	tagged := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})
	if a.index != nil {
		err = to.AppendIndex(a.index, tagged)
	} else {
		err = to.AppendImage(a.built[0].image, tagged, layout.WithPlatform(a.built[0].platform))
	}
	if err != nil {
		return err
	}
	for _, one := range a.artifacts {
		if err := one.writeLayout(to); err != nil {
			return fmt.Errorf("write the SBOM: %w", err)
		}
	}
	return nil
}

func (a artifact) writeLayout(to layout.Path) error {
	for _, blob := range a.blobs {
		digest, err := blob.Digest()
		if err != nil {
			return err
		}
		content, err := blob.Compressed()
		if err != nil {
			return err
		}
		if err := to.WriteBlob(digest, content); err != nil {
			return err
		}
	}
	digest, size, err := v1.SHA256(bytes.NewReader(a.raw))
	if err != nil {
		return err
	}
	if err := to.WriteBlob(digest, io.NopCloser(bytes.NewReader(a.raw))); err != nil {
		return err
	}
	return to.AppendDescriptor(v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: digest, Size: size, ArtifactType: sbomType})
}

// writeArchive writes an archive for `ctr images import` and `docker load`.
func writeArchive(to, version string, image v1.Image) error {
	tag, err := name.NewTag(localRegistry + "/" + imageName + ":" + tagOf(version))
	if err != nil {
		return err
	}
	return tarball.WriteToFile(to, tag, image)
}

// tagOf converts a version to a tag, which must not contain a "+".
func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }

// push publishes under a reference: SBOMs after the images that they refer to. It uses the
// credentials of the user's container engine, if any.
func (a assembly) push(ctx context.Context, reference string) error {
	to, err := name.ParseReference(reference)
	if err != nil {
		return err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	if a.index != nil {
		err = remote.WriteIndex(to, a.index, options...)
	} else {
		err = remote.Write(to, a.built[0].image, options...)
	}
	if err != nil {
		return err
	}
	for _, one := range a.artifacts {
		if err := one.push(to.Context(), options); err != nil {
			return fmt.Errorf("push the SBOM: %w", err)
		}
	}
	return nil
}

func (a artifact) push(to name.Repository, options []remote.Option) error {
	for _, blob := range a.blobs {
		if err := remote.WriteLayer(to, blob, options...); err != nil {
			return err
		}
	}
	digest, _, err := v1.SHA256(bytes.NewReader(a.raw))
	if err != nil {
		return err
	}
	return remote.Put(to.Digest(digest.String()), a, options...)
}
