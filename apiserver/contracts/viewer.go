// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"bytes"
	_ "embed"
	"html"
	"io/fs"
)

// Viewer is the path of the page that displays the contracts.
const Viewer = Prefix + "swagger-ui.html"

// pagePolicy permits a page to load only resources of its own origin. It forbids
// framing and inline scripts.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// withoutViewer replaces the page in a build without its scripts.
//
//go:embed viewer_missing.html
var withoutViewer []byte

// HasViewer reports whether the build contains the scripts of the page; they are not
// part of the repository.
func HasViewer(files fs.FS) bool {
	_, err := fs.Stat(files, "api/swagger-ui/dist/swagger-ui-bundle.js")
	return err == nil
}

// linkToDashboard adds a link to the contracts on the dashboard to the header of a page. An empty
// origin adds none.
func linkToDashboard(page []byte, dashboard string) []byte {
	if dashboard == "" {
		return page
	}
	const header = "<header>\n"
	link := `<a class="dashboard" href="` + html.EscapeString(dashboard) + `/contracts">Dashboard and documentation</a>` + "\n"
	return bytes.Replace(page, []byte(header), []byte(header+link), 1)
}
