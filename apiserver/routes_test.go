// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/test/apitest"
)

// unpublished lists the patterns that published contracts must not contain. All of them
// authenticate before any other check; those of webhooks are unknown paths to other callers.
var unpublished = []string{
	"/api/v1/rfq/{rfqId}/quotes/{quoteId}/accept", "/api/v1/rfq/{rfqId}/quotes/{quoteId}/accept/*",
	"/api/v1/orders", "/api/v1/orders/*", "/api/v1/orders/batch", "/api/v1/orders/batch/*",
	"/api/v1/platform", "/api/v1/platform/*", "/api/v1/platform/rfqs", "/api/v1/platform/rfqs/{rfqId}",
	"/api/v1/platform/rfqs/{rfqId}/close", "/api/v1/platform/rfqs/{rfqId}/cancel", "/api/v1/platform/rfqs/{rfqId}/quotes",
	"/api/v1/platform/rfqs/{rfqId}/quotes/{quoteId}/withdraw", "/api/v1/platform/audit", "/api/v1/platform/audit/chain", "/api/v1/platform/keys",
	"/api/v1/platform/requests", "/api/v1/platform/denials", "/api/v1/platform/denials/counts", "/api/v1/platform/quotas", "/api/v1/platform/callbacks", "/api/v1/platform/callbacks/jobs",
	"/api/v1/platform/webhooks/endpoints", "/api/v1/platform/webhooks/endpoints/{name}/test",
	"/api/v1/platform/webhooks/endpoints/{name}/recover", "/api/v1/platform/webhooks/endpoints/{name}/enable",
	"/api/v1/platform/webhooks/deliveries", "/api/v1/platform/webhooks/deliveries/{deliveryId}",
	"/api/v1/platform/webhooks/deliveries/{deliveryId}/redeliver",
	"/api/v1/platform/organizations/{organization}/erasure", "/api/v1/platform/organizations/{organization}/erasures",
	"/api/v1/platform/organizations/{organization}/erasures/{erasureId}", "/api/v1/platform/organizations/{organization}/erasures/{erasureId}/confirm",
	"/api/v1/platform/masterdata/snapshots", "/api/v1/platform/masterdata/snapshots/{snapshotId}",
	"/api/v1/platform/masterdata/snapshots/{snapshotId}/content", "/api/v1/platform/masterdata/snapshots/{snapshotId}/approve",
	"/api/v1/platform/masterdata/approvals", "/api/v1/platform/masterdata/approvals/{approvalId}/withdraw",
	"/api/v1/xjdf/media-catalog", "/api/v1/xjdf/media-catalog/*", "/api/v1/xjdf/devices", "/api/v1/xjdf/devices/*",
	"/api/v1/xjdf/master-data-export", "/api/v1/xjdf/master-data-export/*",
	"/api/v1/webhooks", "/api/v1/webhooks/*", "/api/v1/webhooks/openapi", "/api/v1/webhooks/endpoints",
	"/api/v1/webhooks/endpoints/{name}/test", "/api/v1/webhooks/endpoints/{name}/recover", "/api/v1/webhooks/endpoints/{name}/enable",
	"/api/v1/webhooks/deliveries", "/api/v1/webhooks/deliveries/{deliveryId}", "/api/v1/webhooks/deliveries/{deliveryId}/redeliver",
}

// The test walks the serving router instead of the tables that it was built from.
func TestEveryRouteIsPublishedInternalOrDocumentation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	published, paths := map[string]bool{}, map[string]bool{}
	for _, op := range server.Contracts.Operations() {
		published[op.Method+" "+op.Path] = false // not served yet
		paths[op.Path] = true
	}
	met := map[string]bool{}
	err := chi.Walk(apiserver.Router(server.Handler), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		read := method
		if method == http.MethodHead {
			read = http.MethodGet
		}
		_, isPublished := published[read+" "+pattern]
		switch {
		case isPublished:
			published[read+" "+pattern] = true
		case slices.Contains(unpublished, pattern):
			met[pattern] = true
			wantAuthentication(t, server, method, pattern)
		case pattern == "/api/v1/estimate": // its other methods respond like the published one
			wantAuthentication(t, server, method, pattern)
		case paths[pattern]:
			if a := server.Do(t, apitest.Request{Method: method, Path: pattern}); a.Status != 405 || a.Header.Get("Allow") == "" {
				t.Errorf("%s %s: %d, Allow %q, want 405 with Allow", method, pattern, a.Status, a.Header.Get("Allow"))
			}
		case read == http.MethodGet && (strings.HasPrefix(pattern, contracts.Prefix) || pattern == contracts.CatalogPath):
		case read == http.MethodGet && pattern == preflightapi.SharedPath+"{token}": // its token replaces a key
		default:
			t.Errorf("%s %s is neither published nor internal nor documentation", method, pattern)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("chi.Walk: %v", err)
	}
	for operation, mounted := range published {
		if !mounted {
			t.Errorf("%s is published and not served", operation)
		}
	}
	for _, pattern := range unpublished {
		if !met[pattern] {
			t.Errorf("%s is not served", pattern)
		}
	}
}

func wantAuthentication(t *testing.T, server *apitest.Server, method, pattern string) {
	t.Helper()
	path := strings.NewReplacer("{rfqId}", "x", "{quoteId}", "y", "{name}", "v", "{deliveryId}", "w", "*", "z").Replace(pattern)
	want := http.StatusUnauthorized
	if strings.HasPrefix(pattern, "/api/v1/webhooks") {
		want = http.StatusNotFound
	}
	if a := server.Do(t, apitest.Request{Method: method, Path: path}); a.Status != want {
		t.Errorf("%s %s without a key: status %d, want %d", method, path, a.Status, want)
	}
}
