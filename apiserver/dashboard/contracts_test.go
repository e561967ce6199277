// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
)

// ending are contracts of which two operations end.
type ending struct{ *contracts.Set }

// Lifecycle implements dashboard.Contracts.
func (ending) Lifecycle(op contracts.Operation) contracts.Lifecycle {
	switch op.Method + " " + op.Path {
	case "GET /api/v1/rfq":
		return contracts.Lifecycle{Deprecated: noon.AddDate(0, -6, 0), Sunset: noon.AddDate(0, 6, 0), Successor: "/api/v2/rfq"}
	case "POST /api/v1/preflight":
		return contracts.Lifecycle{Deprecated: noon.AddDate(-1, 0, 0), Sunset: noon.Add(-time.Minute)}
	default:
		return contracts.Lifecycle{}
	}
}

func TestThePageOfContractsTellsWhatEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	golden(t, "contracts", (&browser{world: w}).get(t, "/contracts").text)
	w = newWorld(t, func(c *dashboard.Config) { c.Contracts = ending{w.Contracts} })
	page := w.signedIn(t, "acme-live").get(t, "/contracts").text
	golden(t, "contracts-ending", page)
	first, second := strings.Index(page, "POST /api/v1/preflight<"), strings.Index(page, "GET /api/v1/rfq<")
	if first < 0 || second < first {
		t.Errorf("what ends first is not first: at %d and %d", first, second)
	}
	if n := strings.Count(page, "which is over"); n != 1 {
		t.Errorf("%d operations may be gone by now, want 1", n)
	}
}
