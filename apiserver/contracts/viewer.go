// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	_ "embed"
	"io/fs"
)

// Viewer is the page on which a browser shows the contracts.
const Viewer = Prefix + "swagger-ui.html"

// pagePolicy lets a page load what comes from its own origin and nothing else,
// be framed by nobody, and run no script that stands in it.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// withoutViewer stands in for the page in a build without its scripts.
//
//go:embed viewer_missing.html
var withoutViewer []byte

// HasViewer reports whether the scripts of the page were installed when this
// was built; they are no part of the repository.
func HasViewer(files fs.FS) bool {
	_, err := fs.Stat(files, "api/swagger-ui/dist/swagger-ui-bundle.js")
	return err == nil
}
