// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox/inspector"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/browsertest"
	"github.com/printmarket/printmarket/test/pgtest"
)

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, sandbox.InspectorArg) { // a job of BenchmarkLargestInstallation
		os.Exit(inspector.Main())
	}
	os.Exit(m.Run())
}

// copies is how often each generated record is copied. The id of a copy keeps the time of the original.
const copies = 49

// visited are the measured pages by the key of the visitor. Text that begins with "a" is the selector of
// a link on the page before.
var visited = map[string][]string{
	"ACME_LIVE_KEY": {
		"/", "/rfqs", "a[href^='/rfqs/rfq_']", "/rfqs?status=cancelled", "/preflight", "a[href^='/preflight/pref_']", "/preflight?status=failed",
		"/webhooks", "/webhooks/endpoints/mis/deliveries", "/requests", "a[href^='/requests/req_']", "/requests?class=5", "/capabilities", "/contracts",
	},
	"PLATFORM_LIVE_KEY": {
		"/ops", "/ops?page=200", "/ops?text=09999", "/ops?capability=preflight&access=test", "/ops/partners/acme", "/ops/rollouts", "/ops/rollouts/preflight",
		"/ops/queue", "/ops/denials", "/ops/denials?within=30d", "/ops/audit", "/ops/compare",
	},
}

// visitTimes are the figures of one visit: the milliseconds to the first byte and to the first paint, and the
// bytes of the page with its files.
type visitTimes struct {
	Byte, Paint, Bytes float64
	Status             int
}

// BenchmarkLargestInstallation opens pages of an installation with 10,000 partners, 1,000,000 jobs
// and as many requests in PostgreSQL, in Chromium without a cache. The log, and with -update the
// page of figures, has the median of each page; the metrics are those of the slowest and of the heaviest page.
func BenchmarkLargestInstallation(b *testing.B) {
	d, keys := largest(b)
	server := httptest.NewServer(d.handler)
	b.Cleanup(server.Close)
	tab := browsertest.Start(b).Open(b)
	tab.Do("Network.setCacheDisabled", map[string]any{"cacheDisabled": true})
	visits := map[string][]visitTimes{}
	for b.Loop() {
		for key, pages := range visited {
			tab.Do("Network.clearBrowserCookies", nil)
			tab.Go(server.URL + "/sign-in")
			tab.Write("#key", keys[key])
			tab.Click(".sign-in button")
			tab.Await("location.pathname !== '/sign-in'")
			for _, page := range pages {
				path := page
				if page[0] == 'a' {
					tab.Await(fmt.Sprintf("document.querySelector(%q)", page))
					tab.Eval(fmt.Sprintf("document.querySelector(%q).getAttribute('href')", page), &path)
				}
				tab.Go(server.URL + path)
				tab.Await("performance.getEntriesByName('first-contentful-paint').length")
				var v visitTimes
				tab.Eval(`(() => {
					const [page] = performance.getEntriesByType("navigation"), [paint] = performance.getEntriesByName("first-contentful-paint");
					const pictures = ["img", "image"], files = performance.getEntriesByType("resource").filter(file => !pictures.includes(file.initiatorType));
					return {Byte: page.responseStart, Paint: paint.startTime, Bytes: files.reduce((sum, file) => sum + file.encodedBodySize, page.encodedBodySize), Status: page.responseStatus};
				})()`, &v)
				if v.Status != 200 {
					b.Fatalf("%s: status %d", path, v.Status)
				}
				visits[page] = append(visits[page], v)
			}
		}
	}
	var slowest, heaviest float64
	var rows []string
	for _, page := range slices.Concat(visited["ACME_LIVE_KEY"], visited["PLATFORM_LIVE_KEY"]) {
		all := visits[page]
		slices.SortFunc(all, func(a, b visitTimes) int { return cmp.Compare(a.Paint, b.Paint) })
		median := all[len(all)/2]
		path := page
		if _, linked, ok := strings.Cut(page, "'"); ok {
			path = strings.TrimSuffix(linked, "']") + "…"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %.0f ms | %.0f ms | %.0f kB |", path, median.Byte, median.Paint, median.Bytes/1000))
		b.Log(rows[len(rows)-1])
		slowest, heaviest = max(slowest, median.Paint), max(heaviest, median.Bytes)
	}
	writeFigures(b, "| page | first byte |", rows)
	b.ReportMetric(slowest, "slowest-paint-ms")
	b.ReportMetric(heaviest/1000, "heaviest-kB")
}

// largest returns the dashboard of the installation, and the keys of the demo partners by their names. The demo
// generator makes a part of the records, and PostgreSQL copies them.
func largest(b *testing.B) (*testDashboard, demo.Secrets) {
	b.Helper()
	database := pgtest.Start(b)
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	store, err := postgres.Open(b.Context(), database.URL("postgres"), postgres.Options{MaxConns: 20})
	must(err)
	b.Cleanup(func() { _ = store.Close() })
	must(store.Migrate(b.Context()))
	d := newDashboardOf(b, apitest.Options{Store: store}, withOps, func(c *dashboard.Config) { c.Plain, c.Ops.Audit = true, store })
	data, resources := b.TempDir(), b.TempDir()
	keys, err := demo.Open(data, resources, rand.Reader)
	must(err)
	child, err := sandbox.Find(sandbox.InspectorArg)
	must(err)
	_, err = demo.Fill(b.Context(), store, demo.Filling{
		Seed: 1, Now: d.Clock.Now(), Days: demo.MaxDays, Partners: demo.MaxPartners, RFQs: 10_000, Jobs: demo.MaxRecords / (copies + 1),
		Inspector: child, Resources: resources, Secrets: keys,
	})
	must(err)
	sql := []string{"-v", "ON_ERROR_STOP=1", database.URL("postgres")}
	for table, unique := range map[string]string{"job": "id", "rfq": "tracking_code", "request_log": "id", "webhook_delivery": "event_id"} {
		sql = append(sql, "-c", fmt.Sprintf(`INSERT INTO %s SELECT made.* FROM %[1]s AS old, generate_series(1, %d) AS n,
			jsonb_populate_record(old, jsonb_build_object('%s', old.id || n, 'id', left(old.id, -16) || upper(left(md5(old.id || n), 16)))) AS made`, table, copies, unique))
	}
	// Lists show the newest jobs first, so only those need their reports.
	sql = append(sql, "-c", fmt.Sprintf(`INSERT INTO report SELECT made.* FROM report AS old, generate_series(1, %d) AS n,
		jsonb_populate_record(old, jsonb_build_object('job_id', left(old.job_id, -16) || upper(left(md5(old.job_id || n), 16)))) AS made
		WHERE old.job_id IN (SELECT job_id FROM report ORDER BY job_id DESC LIMIT 200)`, copies))
	if out, err := database.Client(b.Context(), "psql", append(sql, "-c", "VACUUM ANALYZE")...).CombinedOutput(); err != nil {
		b.Fatalf("copy the records: %v\n%s", err, out)
	}
	admission, err := dirsource.NewAdmission()
	must(err)
	manifests, err := dirsource.Open(resources, strings.NewReader(""))
	must(err)
	inputs, err := admission.Read(b.Context(), manifests, d.Clock.Now())
	must(err)
	d.Gates.Publish(posture.Compile(inputs), d.Clock.Now())
	d.Endpoints.Declare(webhook.Endpoint{Address: webhook.Address{Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Name: "mis"}, URL: "https://mis.acme.example/printmarket"})
	return d, keys
}
