// SPDX-License-Identifier: Apache-2.0

// Package docs embeds the published contracts, so that the bytes that are
// served, the schemas that check requests and the files that people read in
// the repository are the same; and the texts beside them, of which the site of the
// documentation is made.
package docs

import "embed"

// API holds api/, which is published: OpenAPI documents and the problem-details
// schema; and internal/, which is not: the contracts of the platform API and of the
// bridge.
//
//go:embed api internal
var API embed.FS

// Pages holds the texts for people, and the examples that they lead to.
//
//go:embed *.md api/*.yaml api/*.json adr contributing internal examples guides images/*.svg performance reference released runbooks security tutorials
var Pages embed.FS
