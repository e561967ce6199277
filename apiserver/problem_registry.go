// SPDX-License-Identifier: Apache-2.0

// Package registry is the public registry of problem types: the address that
// the `type` member of every problem leads to (interface specification,
// section 4.5).
//
// It has a listener of its own because it is everything that the API is not:
// anonymous, cacheable, and the same bytes for everyone. Nothing of a request
// but its path can change an answer, so no answer can carry tenant data.
package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

const (
	// Version is the constant registryVersion member.
	Version = "marketplace-problem-registry-v1"
	// SchemaPath is where the problem-details schema is served, here and on
	// the API listener.
	SchemaPath = "/docs/api/marketplace-problem-details.v1.schema.json"
	// CacheControl is the public cache policy of a definition.
	CacheControl = "public, max-age=86400, stale-while-revalidate=604800"
)

// definition is the body of a 200. It has these members and no others.
type definition struct {
	Type            string       `json:"type"`
	Title           string       `json:"title"`
	Status          int          `json:"status"`
	Code            problem.Code `json:"code"`
	RegistryVersion string       `json:"registryVersion"`
	MediaType       string       `json:"mediaType"`
	Schema          string       `json:"schema"`
}

// Bodies of every 404 and 405.
var (
	unknownType = []byte(`{"error":"Unknown Marketplace problem type"}` + "\n")
	wrongMethod = []byte(`{"error":"The registry supports GET and HEAD only"}` + "\n")
)

// page is an answer that was encoded at start.
type page struct {
	body []byte
	etag string
}

// Handler serves the registry.
type Handler struct {
	pages map[string]page
}

// New prepares every answer. registryURL is the public origin, for example
// "https://errors.example.com"; schema is the problem-details schema.
func New(registryURL string, schema []byte) (*Handler, error) {
	h := &Handler{pages: map[string]page{SchemaPath: newPage(schema)}}
	for _, t := range problem.Types() {
		path := respond.TypePath + string(t.Slug)
		body, err := json.Marshal(definition{
			Type: registryURL + path, Title: t.Title, Status: t.Status, Code: t.Code,
			RegistryVersion: Version, MediaType: "application/problem+json", Schema: SchemaPath,
		})
		if err != nil {
			return nil, fmt.Errorf("encode the definition of %s: %w", t.Slug, err)
		}
		h.pages[path] = newPage(append(body, '\n'))
	}
	return h, nil
}

func newPage(body []byte) page {
	sum := sha256.Sum256(body)
	return page{body: bytes.Clone(body), etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// ServeHTTP answers GET and HEAD. Any origin may read the answers.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		answer(header, w, http.StatusMethodNotAllowed, wrongMethod)
		return
	}
	// The decoded path would let %2F and friends spell a slug in many ways.
	p, known := h.pages[r.URL.EscapedPath()]
	if !known {
		answer(header, w, http.StatusNotFound, unknownType)
		return
	}
	if x := respond.Of(w); x != nil {
		x.Route = route(r.URL.Path)
	}
	header.Set("Cache-Control", CacheControl)
	if respond.NotModified(w, r, p.etag) {
		return
	}
	header.Set("Content-Type", mediaType(r.URL.Path))
	header.Set("Content-Length", strconv.Itoa(len(p.body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(p.body)
}

// route returns the route under which a path is counted.
func route(path string) string {
	if path == SchemaPath {
		return path
	}
	return respond.TypePath + "{slug}"
}

func mediaType(path string) string {
	if strings.HasSuffix(path, ".schema.json") {
		return "application/schema+json"
	}
	return "application/json"
}

func answer(header http.Header, w http.ResponseWriter, status int, body []byte) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
