// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"time"
)

// styleFile is the style sheet of every page, scriptFile the script of the page of a
// running job.
const (
	styleFile  = "dashboard.css"
	scriptFile = "progress.js"
)

//go:embed dashboard.css
var styleSheet []byte

//go:embed progress.js
var script []byte

// file serves a static file. Browsers may keep it, and revalidate it by its ETag.
func file(name, mediaType string, text []byte) http.Handler {
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are supported.", http.StatusMethodNotAllowed)
			return
		}
		header.Set("Content-Type", mediaType)
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	})
}
