// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// assembly is everything that is published under one reference.
type assembly struct {
	built []built
	// index is nil for a single platform, whose image is published without an index.
	index     v1.ImageIndex
	artifacts []artifact
	digest    v1.Hash
}

// gather puts the images of all platforms together and gives each its SBOM.
func gather(all []built) (assembly, error) {
	a := assembly{built: all}
	for _, one := range all {
		subject, err := partial.Descriptor(one.image)
		if err != nil {
			return assembly{}, err
		}
		subject.Annotations = nil
		attached, err := newArtifact(one.sbom, *subject)
		if err != nil {
			return assembly{}, fmt.Errorf("attach the SBOM: %w", err)
		}
		a.artifacts = append(a.artifacts, attached)
	}
	if len(all) == 1 {
		var err error
		a.digest, err = all[0].image.Digest()
		return a, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, one := range all {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one.image, Descriptor: v1.Descriptor{Platform: &one.platform}})
	}
	a.index = index
	var err error
	a.digest, err = index.Digest()
	return a, err
}

// sbomType is the media type of the SBOM, and the type of the artifact.
const sbomType = "application/vnd.cyclonedx+json"

// emptyType is the media type of an empty configuration.
const emptyType types.MediaType = "application/vnd.oci.empty.v1+json"

// artifact is a manifest that refers to an image, with its content.
type artifact struct {
	raw   []byte
	blobs []v1.Layer
}

func newArtifact(content []byte, subject v1.Descriptor) (artifact, error) {
	config, payload := static.NewLayer([]byte("{}"), emptyType), static.NewLayer(content, sbomType)
	manifest := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, ArtifactType: sbomType, Subject: &subject}
	for _, one := range []struct {
		blob v1.Layer
		add  func(v1.Descriptor)
	}{
		{config, func(d v1.Descriptor) { manifest.Config = d }},
		{payload, func(d v1.Descriptor) { manifest.Layers = append(manifest.Layers, d) }},
	} {
		described, err := partial.Descriptor(one.blob)
		if err != nil {
			return artifact{}, err
		}
		one.add(*described)
	}
	raw, err := json.Marshal(manifest)
	return artifact{raw, []v1.Layer{config, payload}}, err
}

// RawManifest returns the manifest as it is published.
func (a artifact) RawManifest() ([]byte, error) { return a.raw, nil }

// MediaType returns the media type of the manifest.
func (artifact) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }
