// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

const (
	// ProblemRegistryVersion is the constant registryVersion member.
	ProblemRegistryVersion = "marketplace-problem-registry-v1"
	// ProblemSchemaPath is where the problem-details schema is served, here and on
	// the API listener.
	ProblemSchemaPath = "/docs/api/marketplace-problem-details.v1.schema.json"
	// ProblemCacheControl is the public cache policy of a definition.
	ProblemCacheControl = "public, max-age=86400, stale-while-revalidate=604800"
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

// definitionFile is an answer that was encoded at start.
type definitionFile struct {
	body []byte
	etag string
	// route is the route under which requests are counted.
	route, mediaType string
}

// ProblemRegistry is the public registry of problem types: the `type` member of every problem
// leads to it (interface specification, section 4.5).
//
// It has a listener of its own because its answers, unlike those of the API, are anonymous,
// cacheable, and the same bytes for everyone. Only the path of a request can change an answer,
// so no answer can carry tenant data.
type ProblemRegistry struct {
	files map[string]definitionFile
}

// NewProblemRegistry prepares every answer. registryURL is the public origin, for example
// "https://errors.example.com"; schema is the problem-details schema.
func NewProblemRegistry(registryURL string, schema []byte) (*ProblemRegistry, error) {
	h := &ProblemRegistry{files: map[string]definitionFile{}}
	add := func(path, route, mediaType string, body []byte) {
		sum := sha256.Sum256(body)
		h.files[path] = definitionFile{bytes.Clone(body), `"` + hex.EncodeToString(sum[:16]) + `"`, route, mediaType}
	}
	add(ProblemSchemaPath, ProblemSchemaPath, "application/schema+json", schema)
	for _, t := range problem.Types() {
		path := respond.TypePath + string(t.Slug)
		body, err := json.Marshal(definition{
			Type: registryURL + path, Title: t.Title, Status: t.Status, Code: t.Code,
			RegistryVersion: ProblemRegistryVersion, MediaType: "application/problem+json", Schema: ProblemSchemaPath,
		})
		if err != nil {
			return nil, fmt.Errorf("encode the definition of %s: %w", t.Slug, err)
		}
		add(path, respond.TypePath+"{slug}", "application/json", append(body, '\n'))
	}
	return h, nil
}

// ServeHTTP answers GET and HEAD. Any origin may read the answers.
func (h *ProblemRegistry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	answer := func(status int, cache, mediaType string, body []byte) {
		header.Set("Cache-Control", cache)
		header.Set("Content-Type", mediaType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		answer(http.StatusMethodNotAllowed, "no-store", "application/json", wrongMethod)
		return
	}
	// The decoded path would let %2F and friends spell a slug in many ways.
	file, known := h.files[r.URL.EscapedPath()]
	if !known {
		answer(http.StatusNotFound, "no-store", "application/json", unknownType)
		return
	}
	if x := respond.Of(w); x != nil {
		x.Route = file.route
	}
	header.Set("Cache-Control", ProblemCacheControl)
	if respond.NotModified(w, r, file.etag) {
		return
	}
	answer(http.StatusOK, ProblemCacheControl, file.mediaType, file.body)
}
