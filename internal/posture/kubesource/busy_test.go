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

// busy rejects each continuation page of partners once, like an overloaded server, and
// counts the started lists.
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

// TestListRetriesPageRejectedByABusyServer covers replicas that return together and
// read thousands of pages. If each rejected page restarted its list, the lists would
// never complete.
func TestListRetriesPageRejectedByABusyServer(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	config, begun, refused := busy(t)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest = config })
	r.awaitsHealth(t)
	// One list by the follower, and at most one by the first proof.
	if n := begun.Load(); n > 2 {
		t.Errorf("lists of partners started %d times, want at most 2", n)
	}
	if refused.Load() == 0 {
		t.Error("no page was rejected, so the test proves nothing")
	}
}
