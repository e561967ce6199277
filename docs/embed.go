// SPDX-License-Identifier: Apache-2.0

// Package docs embeds the published contracts, so that the bytes that are
// served, the schemas that check requests and the files that people read in
// the repository are the same.
package docs

import "embed"

// API holds api/, which is published: OpenAPI documents and the problem-details
// schema; and internal/, which is not: the contracts of the platform API and of the
// bridge.
//
//go:embed api internal
var API embed.FS
