// SPDX-License-Identifier: Apache-2.0

// Package xjdfapi holds the models of docs/api/xjdf-openapi.yaml and a bare HTTP
// client, generated from it: generate.yaml and overlay.yaml say how. Package
// client is the one to use; it names what is needed of this one.
package xjdfapi
