// SPDX-License-Identifier: Apache-2.0

package design

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
)

// mediaTypes are the media types of Files.
var mediaTypes = map[string]string{
	StyleFile: "text/css; charset=utf-8", ScriptFile: "text/javascript; charset=utf-8", IconsFile: "image/svg+xml", BrandFile: "image/svg+xml",
}

// Register serves Files at the root of a mux.
func Register(mux *http.ServeMux) {
	for name, content := range Files() {
		mux.Handle("/"+name, Handler(mediaTypes[name], content))
	}
}

// Handler serves a static file for GET and HEAD, compressed for clients that accept gzip.
// Browsers may keep the file, and revalidate it by its ETag.
func Handler(mediaType string, content []byte) http.Handler {
	sum := sha256.Sum256(content)
	tag := hex.EncodeToString(sum[:12])
	zipped := sync.OnceValue(func() []byte { return respond.Gzip(content, gzip.BestCompression) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are supported.", http.StatusMethodNotAllowed)
			return
		}
		header.Set("Content-Type", mediaType)
		header.Set("Cache-Control", "no-cache")
		header.Set("Vary", "Accept-Encoding")
		if respond.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
			header.Set("ETag", `"`+tag+`-gzip"`)
			header.Set("Content-Encoding", "gzip")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(zipped()))
			return
		}
		header.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
