// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// busy refuses each page of partners that follows another once, as a server does
// that has too much to do, and counts the lists that were begun.
func busy(t *testing.T) (config *rest.Config, begun, refused *atomic.Int64) {
	t.Helper()
	begun, refused = &atomic.Int64{}, &atomic.Int64{}
	return inFront(t, func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		list := strings.HasSuffix(r.URL.Path, "/partnerentitlements") && query.Get("watch") == "" && query.Get("limit") != "1"
		switch {
		case list && query.Get("continue") == "":
			begun.Add(1)
		case list && refused.Add(1)%2 == 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return false
		}
		return true
	}), begun, refused
}

// Replicas that come back together read thousands of pages. Were each list begun
// anew for a page that the server did not come to, it would never come to all.
func TestListGoesOnWhereABusyServerRefusedAPage(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	config, begun, refused := busy(t)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest = config })
	r.awaitsHealth(t)
	// The list that is followed, and at most the first proof.
	if n := begun.Load(); n > 2 {
		t.Errorf("partners were listed %d times from the beginning", n)
	}
	if refused.Load() == 0 {
		t.Error("no page was refused")
	}
}
