// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/browsertest"
)

// ending adds a lifecycle to two operations.
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

func TestContractsPageListsDeprecatedOperations(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	golden(t, "contracts", (&browser{dashboard: d}).get(t, "/contracts").text)
	d = newDashboard(t, func(c *dashboard.Config) { c.Contracts = ending{d.Contracts} })
	page := d.signedIn(t, "acme-live").get(t, "/contracts").text
	golden(t, "contracts-ending", page)
	first, second := strings.Index(page, "POST /api/v1/preflight<"), strings.Index(page, "GET /api/v1/rfq<")
	if first < 0 || second < first {
		t.Errorf("POST /api/v1/preflight is at %d and GET /api/v1/rfq at %d, want the earlier sunset first", first, second)
	}
	if n := strings.Count(page, "(passed)"); n != 1 {
		t.Errorf("the page marks %d operations as past their sunset, want 1", n)
	}
}

func TestContractsAreShownInABrowser(t *testing.T) {
	t.Parallel()
	if !contracts.HasViewer(docs.API) {
		t.Skip("the viewer is not built in; run make page-assets")
	}
	d := newDashboard(t)
	(&browser{dashboard: d}).get(t, "/contracts/viewer").want(t, 200, `href="http://api.example.com/docs/api/swagger-ui.html"`)
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Open(t)
	p.Scheme("dark")
	p.Go(server.URL + "/contracts/viewer?contract=openapi.yaml")
	p.Await(`document.querySelectorAll(".opblock").length === 9 && document.querySelector("html.dark-mode .side a[aria-current]").innerText === "Contracts"`)
	p.Click("#operations-RFQs-createRfq .opblock-summary-control")
	p.Await(`document.querySelector("#samples-createRfq-panel") && !document.querySelector(".try-out__btn") && document.querySelector(".scheme-container").offsetHeight === 0`)
	p.Click("nav a[data-contract='preflight-openapi.yaml']")
	p.Await(`document.querySelector(".swagger-ui .info .title")?.innerText.includes("Preflight")`)
	p.WantNoErrors(server.URL, 8)
}
