// SPDX-License-Identifier: Apache-2.0

package docsite

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/apiserver/design"
)

// contentSecurityPolicy allows the site's own style, script, index and pictures.
const contentSecurityPolicy = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// types are the media types of files by extension. All other files are shown as text.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
}

// missing is the page of an unknown path. Its argument is the prefix of the site.
const missing = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found</title>
<link rel="stylesheet" href="%[1]sdesign.css">
</head>
<body>
<main class="narrow">
<h1>Page not found</h1>
<p>There is no such page in the documentation.</p>
<p><a href="%[1]s">All pages</a></p>
</main>
</body>
</html>
`

// Handler serves a site below a prefix, which begins and ends with a slash, for GET
// and HEAD.
func (s Site) Handler(prefix string) http.Handler {
	files := make(map[string]http.Handler, len(s))
	for file, content := range s {
		files[file] = design.Handler(cmp.Or(types[path.Ext(file)], "text/plain; charset=utf-8"), content)
	}
	themed := func(file string, theme design.Theme) http.Handler {
		page := bytes.Replace(s[file], []byte(`<html lang="en"`), []byte(`<html lang="en" data-theme="`+string(theme)+`"`), 1)
		return design.Handler(types[".html"], page)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := strings.TrimPrefix(r.URL.Path, prefix)
		if file == "" || strings.HasSuffix(file, "/") {
			file += "index.html"
		}
		header := w.Header()
		header.Set("Content-Security-Policy", contentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin") // the form for the colours returns to its page
		served := files[file]
		if served == nil {
			header.Set("Content-Type", types[".html"])
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprintf(w, missing, prefix) // fails only if the client has disconnected
			return
		}
		if theme := design.ThemeOf(r); theme != "" && path.Ext(file) == ".html" {
			served = themed(file, theme)
		}
		served.ServeHTTP(w, r)
	})
}

// Write writes a site into a directory, which it creates if necessary. Other files in the
// directory stay.
func (s Site) Write(dir string) error {
	for file, content := range s {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // a web server has to read it
			return fmt.Errorf("write the site: %w", err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil { //nolint:gosec // as the directory
			return fmt.Errorf("write the site: %w", err)
		}
	}
	return nil
}
