// SPDX-License-Identifier: Apache-2.0

// Package partnerapi is generated from the partner contract, docs/api/openapi.yaml:
// its models, and the server interface that package partner implements. generate.yaml
// and overlay.yaml say how; make generate does it.
package partnerapi
