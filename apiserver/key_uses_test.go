// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

// TestGateRecordsTheUseOfScopes sends requests with different outcomes. Only a scope that the
// key has is used.
func TestGateRecordsTheUseOfScopes(t *testing.T) {
	t.Parallel()
	uses := new(credential.UseRecorder)
	server := apitest.New(t, apitest.Options{Uses: uses})
	server.Kill(posture.Preflight)
	for _, request := range []apitest.Request{
		{Path: "/api/v1/rfq", Key: "acme-live"}, {Path: "/api/v1/preflight", Key: "acme-live"}, {Path: "/api/v1/rfq", Key: "acme-none"}, {Path: "/api/v1/rfq", Key: ""},
	} {
		server.Do(t, request)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	uses.Run(ctx, server.Store, time.Hour, telemetry.Discard())
	found, err := server.Store.KeyUses(t.Context(), []credential.Digest{server.Digest("acme-live"), server.Digest("acme-none")})
	if err != nil {
		t.Fatalf("server.Store.KeyUses: %v", err)
	}
	got := map[credential.Digest][]string{}
	for _, use := range found {
		got[use.Key] = slices.Sorted(maps.Keys(use.Scopes))
	}
	want := map[credential.Digest][]string{server.Digest("acme-live"): {"preflight:read", "rfq:read"}, server.Digest("acme-none"): nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("used scopes (-want +got):\n%s", diff)
	}
}
