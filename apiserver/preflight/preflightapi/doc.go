// SPDX-License-Identifier: Apache-2.0

// Package preflightapi is generated from the preflight contract,
// docs/api/preflight-openapi.yaml: its models, and the server interface that package
// preflight implements. generate.yaml and overlay.yaml say how; make generate does it.
package preflightapi
