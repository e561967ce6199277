// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/test/apitest"
)

// secretNames lists names of internal surfaces, lower case, that no response to an anonymous
// caller may contain.
var secretNames = []string{
	"master-data", "master_data", "masterdata", "media-catalog", "xjdf/devices", "devices:read", "/api/v1/platform", "platform_request",
	"invalid_category", "erasure_state", "revision_conflict", "live_key_required", "cohort",
}

// TestAnonymousResponsesNameNothingInternal requests every route without a key, and searches all
// header fields and bodies.
func TestAnonymousResponsesNameNothingInternal(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	requested := 0
	err := chi.Walk(apiserver.Router(server.Handler), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		path := strings.NewReplacer("{", "", "}", "", "*", "z").Replace(pattern)
		rec := httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, server.Build(t, apitest.Request{Method: method, Path: path}))
		var all bytes.Buffer
		_ = rec.Header().Write(&all) // writing to a buffer cannot fail
		all.Write(rec.Body.Bytes())
		requested++
		text := strings.ToLower(all.String())
		for _, name := range secretNames {
			if strings.Contains(text, name) {
				t.Errorf("%s %s without a key: status %d, the response contains %q", method, path, rec.Code, name)
			}
		}
		return nil
	})
	if err != nil || requested < 100 {
		t.Fatalf("%d requests, %v", requested, err)
	}
}
