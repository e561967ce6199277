// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// sumProperty names Go's checksum of a module. It is a checksum of checksums, not of a
// file, so CycloneDX's hashes do not apply.
const sumProperty = "printmarket:go.sum"

// describe writes the SBOM of an image: its executables with the modules that the linker recorded,
// Go's standard library, and the root certificates. It names no licences, because a guess from
// licence texts can be wrong; the texts themselves are in the image.
func describe(r release, p v1.Platform, image v1.Hash, all contents) ([]byte, error) {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serialNumber(image)
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: imageName, Type: cyclonedx.ComponentTypeContainer, Name: imageName, Version: r.version,
			Hashes: sha256Of(image.Hex), Properties: &[]cyclonedx.Property{{Name: "printmarket:platform", Value: p.String()}},
		},
	}
	components, err := programComponents(r, all)
	if err != nil {
		return nil, err
	}
	libraries := union(all.linked)
	for _, m := range libraries {
		components = append(components, moduleComponent(m, cyclonedx.ComponentTypeLibrary))
	}
	components = append(components, standardLibrary(all), moduleComponent(all.roots, cyclonedx.ComponentTypeData))
	bom.Components, bom.Dependencies = &components, dependencies(all)
	var out bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// serialNumber returns a UUID of version 8 with bits of the image's digest, so that the same image
// has the same serial number.
func serialNumber(image v1.Hash) string {
	sum := sha256.Sum256([]byte("sbom of " + image.String()))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func sha256Of(hexadecimal string) *[]cyclonedx.Hash {
	return &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hexadecimal}}
}

// programComponents returns the executables, each with the hash of its file.
func programComponents(r release, all contents) ([]cyclonedx.Component, error) {
	var components []cyclonedx.Component
	for _, f := range programs(all) {
		sum, err := f.sha256()
		if err != nil {
			return nil, fmt.Errorf("hash %s: %w", f.name, err)
		}
		components = append(components, cyclonedx.Component{
			BOMRef: programRef(f.name), Type: cyclonedx.ComponentTypeApplication, Name: f.name, Version: r.version, Hashes: sha256Of(sum),
		})
	}
	return components, nil
}

// programs returns the executable files of all layers.
func programs(all contents) []file {
	var out []file
	for _, layer := range all.layers {
		for _, f := range layer {
			if f.executable {
				out = append(out, f)
			}
		}
	}
	return out
}

func (f file) sha256() (string, error) {
	content, _, err := f.open()
	if err != nil {
		return "", err
	}
	defer func() { _ = content.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func moduleComponent(m debug.Module, kind cyclonedx.ComponentType) cyclonedx.Component {
	return cyclonedx.Component{
		BOMRef: packageURL(m.Path, m.Version), PackageURL: packageURL(m.Path, m.Version), Type: kind, Name: m.Path, Version: m.Version,
		Properties: &[]cyclonedx.Property{{Name: sumProperty, Value: m.Sum}},
	}
}

func standardLibrary(all contents) cyclonedx.Component {
	version := all.linked[0].goVersion
	return cyclonedx.Component{
		BOMRef: packageURL("std", version), PackageURL: packageURL("std", version),
		Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: version,
	}
}

// packageURL returns the purl of a module. The specification requires an escaped "+" in a version.
func packageURL(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

func programRef(name string) string { return imageName + "/" + name }

// dependencies list the modules that are linked into each executable. An executable does
// not record how modules depend on each other.
func dependencies(all contents) *[]cyclonedx.Dependency {
	var list []cyclonedx.Dependency
	inImage := []string{packageURL(all.roots.Path, all.roots.Version)}
	for _, one := range all.linked {
		needs := []string{packageURL("std", one.goVersion)}
		for _, m := range one.modules {
			needs = append(needs, packageURL(m.Path, m.Version))
		}
		list = append(list, cyclonedx.Dependency{Ref: programRef(one.name), Dependencies: &needs})
		inImage = append(inImage, programRef(one.name))
	}
	list = append([]cyclonedx.Dependency{{Ref: imageName, Dependencies: &inImage}}, list...)
	return &list
}
