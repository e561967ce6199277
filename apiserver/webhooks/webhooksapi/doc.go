// SPDX-License-Identifier: Apache-2.0

// Package webhooksapi is generated from the contract of webhooks,
// docs/internal/webhooks-openapi.yaml: its models and server. generate.yaml and
// overlay.yaml say how; make generate does it.
package webhooksapi
