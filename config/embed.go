// SPDX-License-Identifier: Apache-2.0

// Package config carries the manifests that the binary itself needs: the
// CustomResourceDefinitions, against which directory sources check their files,
// the sample objects, which are also the demo set of `printmarket dev`, and the
// master data that goes with them. The namespace and the roles are here for
// clusters that are started by a program.
package config

import "embed"

// FS holds crd/bases, samples, masterdata, namespace, rbac and policy under their paths
// in this directory.
//
//go:embed crd/bases/*.yaml samples masterdata namespace rbac policy
var FS embed.FS

// CRDDir is the directory of [FS] with the CustomResourceDefinitions, one per file.
const CRDDir = "crd/bases"

// SamplesDir is the directory of [FS] with the sample objects.
const SamplesDir = "samples"

// Where [FS] has the demo master data: the catalog, and the costed resources of the
// platform and of the demo organization org_acme01.
const (
	CatalogFile          = "masterdata/catalog.yaml"
	PlatformResourcesDir = "masterdata/platform"
	AcmeResourcesDir     = "masterdata/acme"
)

// Where [FS] has the namespace, the service accounts with their roles, and the admission
// policies.
const (
	NamespaceDir = "namespace"
	RBACDir      = "rbac"
	PolicyDir    = "policy"
)
