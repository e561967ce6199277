// SPDX-License-Identifier: Apache-2.0

// Package bridgeapi is generated from the contract of the bridge,
// docs/internal/bridge-openapi.yaml: its models. generate.yaml and overlay.yaml say
// how; make generate does it. Parameters are read by package bridge, whose rules
// are stricter than those of generated code.
package bridgeapi
