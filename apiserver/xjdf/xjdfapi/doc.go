// SPDX-License-Identifier: Apache-2.0

// Package xjdfapi is generated from the contract of the XJDF layer,
// docs/api/xjdf-openapi.yaml: its models, and the server interface that package
// xjdf implements. generate.yaml and overlay.yaml say how; make generate does it.
package xjdfapi
