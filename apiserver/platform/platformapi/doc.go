// SPDX-License-Identifier: Apache-2.0

// Package platformapi is generated from the contract of the marketplace's own
// side, docs/internal/platform-openapi.yaml: its models, the server interface that
// package platform implements, and the client that the commands use. generate.yaml
// and overlay.yaml say how; make generate does it.
package platformapi
