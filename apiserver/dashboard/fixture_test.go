// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
	"github.com/printmarket/printmarket/test/apitest"
)

const cookieName = "__Host-printmarket"

// testDashboard is a dashboard beside an API server with demo partners.
type testDashboard struct {
	*apitest.Server
	config  dashboard.Config
	handler http.Handler
	log     *bytes.Buffer
}

// newDashboard builds a dashboard. Changes apply to its configuration in order, for
// example withOps.
func newDashboard(t testing.TB, changes ...func(*dashboard.Config)) *testDashboard {
	t.Helper()
	return newDashboardOf(t, apitest.Options{}, changes...)
}

// newDashboardOf builds a dashboard beside an API server with options.
func newDashboardOf(t testing.TB, options apitest.Options, changes ...func(*dashboard.Config)) *testDashboard {
	t.Helper()
	d := &testDashboard{Server: apitest.New(t, options), log: &bytes.Buffer{}}
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	config := dashboard.Config{
		Listener: "dashboard", Gates: d.Gates, Sessions: d.Sessions, Ends: signon.NewEnds(d.Redis, d.Store, d.Clock.Now), RFQs: d.RFQs, Records: d.Store, Webhooks: d.Webhooks, Cursors: cursors, Limits: new(gate.Limiter), Uses: new(credential.UseRecorder),
		Metrics: d.Metrics, Log: slog.New(slog.NewTextHandler(d.log, nil)), Now: d.Clock.Now, Random: &chance{source: rand.NewChaCha8([32]byte{1})},
		Jobs: d.Jobs, Pace: preflightapi.Pace{Soonest: 2 * time.Millisecond, Latest: 10 * time.Millisecond}, Streams: gate.NewStreams(0, 0), Drawing: d.Drawing, Contracts: d.Contracts,
		APIURL: "http://api.example.com", RegistryURL: "http://registry.example.com", OpsURL: "http://ops.example.com", Docs: true,
	}
	config.Forms = d.forms(t, d.Preflight())
	d.config = config
	d.handlerWith(t, changes...)
	return d
}

// handlerWith builds the handler again after changes to the configuration.
func (d *testDashboard) handlerWith(t testing.TB, changes ...func(*dashboard.Config)) {
	t.Helper()
	config := d.config
	for _, change := range changes {
		change(&config)
	}
	config.Gate = gate.New(gate.Config{Gates: config.Gates, Limits: config.Limits, Problems: respond.NewProblems(config.RegistryURL), Metrics: d.Metrics, Log: config.Log, Now: config.Now, Listener: config.Listener})
	var err error
	if d.handler, err = dashboard.Handler(config); err != nil {
		t.Fatalf("dashboard.Handler: %v", err)
	}
}

// forms returns the forms of a surface.
func (d *testDashboard) forms(t testing.TB, config preflightapi.Config) *preflightapi.Forms {
	t.Helper()
	made, err := preflightapi.NewForms(config, d.Contracts)
	if err != nil {
		t.Fatalf("preflightapi.NewForms: %v", err)
	}
	return made
}

// chance is the same in every run, so that clients never share a bucket by accident.
type chance struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (c *chance) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Read(p)
}

// browser is a client with cookies.
type browser struct {
	dashboard *testDashboard
	// cookie is the value of the session's cookie; empty without one.
	cookie string
	// flows are the cookies of unfinished sign-ons.
	flows map[string]string
	// address is the remote address of requests; empty for the default.
	address string
}

// shown is one response.
type shown struct {
	*httptest.ResponseRecorder
	text string
}

// send makes a request, checks what every response must have, and keeps the cookie.
func (b *browser) send(t testing.TB, r *http.Request) shown {
	t.Helper()
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: cookieName, Value: b.cookie})
	}
	for name, value := range b.flows {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	if b.address != "" {
		r.RemoteAddr = b.address
	}
	rec := httptest.NewRecorder()
	b.dashboard.handler.ServeHTTP(rec, r)
	for _, cookie := range rec.Result().Cookies() {
		if cookie.Name == cookieName {
			b.cookie = cookie.Value
		}
		if strings.HasPrefix(cookie.Name, cookieName+"-flow-") {
			b.keep(cookie)
		}
	}
	checkAnswer(t, r, rec)
	return shown{rec, rec.Body.String()}
}

// keep stores or removes the cookie of a sign-on, as a browser does.
func (b *browser) keep(cookie *http.Cookie) {
	if b.flows == nil {
		b.flows = map[string]string{}
	}
	if b.flows[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
		delete(b.flows, cookie.Name)
	}
}

// scriptOf is the element of a script.
func scriptOf(file string) string { return `<script src="/` + file + `" defer></script>` }

// pageScripts are the scripts that pages may have, by the beginnings of their paths.
var pageScripts = map[string]string{
	"/preflight": "upload.js", "/preflight/": "progress.js", "/ops/rollouts": "ops-live.js", "/tour": "tour.js",
} // constant

// staticFiles are the files that browsers may keep.
var staticFiles = map[string]bool{
	"/design.css": true, "/viewer.css": true, "/design.js": true, "/icons.svg": true, "/favicon.svg": true, "/progress.js": true, "/upload.js": true, "/ops-live.js": true, "/tour.js": true,
} // constant

func checkAnswer(t testing.TB, r *http.Request, rec *httptest.ResponseRecorder) {
	t.Helper()
	policy := "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	text := strings.Replace(rec.Body.String(), `<script src="/design.js"></script>`, "", 1)
	for path, file := range pageScripts {
		if strings.HasPrefix(r.URL.Path, path) && strings.Contains(text, scriptOf(file)) {
			text = strings.Replace(text, scriptOf(file), "", 1)
			policy += "; connect-src 'self'"
		}
	}
	if r.URL.Path == "/contracts/viewer" {
		policy = strings.Replace(policy, "img-src 'self'; style-src 'self'; script-src 'self'", "img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'", 1)
		text = strings.ReplaceAll(text, `<script src="swagger-ui/`, "")
	}
	if strings.HasSuffix(r.URL.Path, "/report") && rec.Code == http.StatusOK {
		policy = view.Policy() + "; frame-ancestors 'none'"
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": policy,
		"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s %s: %s = %q, want %q", r.Method, r.URL, name, got, want)
		}
	}
	want := "no-store"
	if strings.Contains(r.URL.Path, "/pages/") && (rec.Code == http.StatusOK || rec.Code == http.StatusNotModified) {
		want = "private, no-cache"
	}
	if !staticFiles[r.URL.Path] && rec.Header().Get("Cache-Control") != want {
		t.Errorf("%s %s may be kept: %q", r.Method, r.URL, rec.Header().Get("Cache-Control"))
	}
	for _, forbidden := range []string{"<script", "style=", " onload", "javascript:", "pmk_test_0", "pms_", "whsec_", "s3cret"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("%s %s holds %s", r.Method, r.URL, forbidden)
		}
	}
	// The style sheet and the scripts add 20 kB.
	if rec.Body.Len() > 130_000 && !staticFiles[r.URL.Path] {
		t.Errorf("%s %s has %d bytes", r.Method, r.URL, rec.Body.Len())
	}
}

func (b *browser) get(t testing.TB, path string) shown {
	t.Helper()
	return b.send(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
}

// post sends a form with the header fields of a browser that supports Sec-Fetch-Site.
func (b *browser) post(t testing.TB, path string, form url.Values) shown {
	t.Helper()
	return b.postFrom(t, path, form, map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"})
}

func (b *browser) postFrom(t testing.TB, path string, form url.Values, header map[string]string) shown {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	return b.send(t, r)
}

// signedIn returns a browser that has signed in with a key.
func (d *testDashboard) signedIn(t testing.TB, key string) *browser {
	t.Helper()
	b := &browser{dashboard: d}
	b.post(t, "/sign-in", url.Values{"key": {d.Key(key)}}).want(t, http.StatusSeeOther, "")
	if b.cookie == "" {
		t.Fatalf("%s has signed in and has no session", key)
	}
	return b
}

// want checks the status of a response, and that the page contains a text.
func (s shown) want(t testing.TB, status int, text string) shown {
	t.Helper()
	if s.Code != status || !strings.Contains(s.text, text) {
		t.Fatalf("status %d, want %d and %q:\n%s", s.Code, status, text, s.text)
	}
	return s
}

// toSignIn checks that a response redirects to the sign-in.
func (s shown) toSignIn(t testing.TB) {
	t.Helper()
	if location := s.want(t, http.StatusSeeOther, "").Header().Get("Location"); !strings.HasPrefix(location, "/sign-in?next=") {
		t.Errorf("Location %q", location)
	}
}

// create creates an RFQ and returns its id.
func (d *testDashboard) create(t testing.TB, owner tenant.ID, title string) string {
	t.Helper()
	demo, err := d.Catalog.Current(d.Clock.Now())
	if err != nil {
		t.Fatalf("d.Catalog.Current: %v", err)
	}
	product := demo.Products("")[0]
	made, err := d.RFQs.Create(t.Context(), owner, rfq.Draft{
		CatalogProductUID: product.UID, Title: title, Category: product.Group, Quantity: 1000, DeliveryCity: "Ghent",
	}, rfq.Terms{Idempotency: transaction.Idempotency{Key: title}, Quota: transaction.Quota{Limit: 100, Window: time.Hour}})
	if err != nil {
		t.Fatalf("d.RFQs.Create: %v", err)
	}
	return made.RFQ.ID
}

// rfqStub returns the same RFQs and quotes to every caller.
type rfqStub struct {
	rfqs   []rfq.RFQ
	quotes []rfq.Quote
}

// Get implements dashboard.RFQs.
func (s rfqStub) Get(_ context.Context, _ tenant.ID, id string) (rfq.RFQ, error) {
	for _, r := range s.rfqs {
		if r.ID == id {
			return r, nil
		}
	}
	return rfq.RFQ{}, transaction.ErrNotFound
}

// List implements dashboard.RFQs. Cursors are numbers.
func (s rfqStub) List(_ context.Context, _ tenant.ID, page rfq.Page) (rfq.List, error) {
	from := 0
	if page.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(page.Cursor); err != nil {
			return rfq.List{}, fmt.Errorf("%w: %w", rfq.ErrInvalidPage, err)
		}
	}
	rest := s.rfqs[min(from, len(s.rfqs)):]
	if len(rest) <= page.Limit {
		return rfq.List{Items: rest}, nil
	}
	return rfq.List{Items: rest[:page.Limit], NextCursor: strconv.Itoa(from + page.Limit)}, nil
}

// Quotes implements dashboard.RFQs.
func (s rfqStub) Quotes(context.Context, tenant.ID, string) ([]rfq.Quote, error) {
	return s.quotes, nil
}
