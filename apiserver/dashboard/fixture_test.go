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
	"github.com/printmarket/printmarket/internal/credential/lastused"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/ratelimit"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
	"github.com/printmarket/printmarket/test/apitest"
)

const cookieName = "__Host-printmarket"

// world is a dashboard in front of an API server's world.
type world struct {
	*apitest.World
	handler http.Handler
	// log is everything that was logged.
	log *bytes.Buffer
}

func newWorld(t testing.TB, change func(*dashboard.Config)) *world {
	t.Helper()
	w := &world{World: apitest.New(t, apitest.Options{}), log: &bytes.Buffer{}}
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	config := dashboard.Config{
		Listener: "dashboard", Gates: w.Gates, Sessions: w.Sessions, RFQs: w.RFQs, Records: w.Store, Webhooks: w.Webhooks, Cursors: cursors, Limits: new(ratelimit.Limiter), Uses: new(lastused.Recorder),
		Metrics: w.Metrics, Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: w.Clock.Now, Random: &chance{source: rand.NewChaCha8([32]byte{1})},
		Jobs: w.Jobs, Pace: preflightapi.Pace{Soonest: 2 * time.Millisecond, Latest: 10 * time.Millisecond}, Streams: gate.NewStreams(0, 0), Contracts: w.Contracts,
		APIURL: "http://api.example.com", RegistryURL: "http://registry.example.com", OpsURL: "http://ops.example.com", Docs: true,
	}
	if change != nil {
		change(&config)
	}
	if w.handler, err = dashboard.Handler(config); err != nil {
		t.Fatal(err)
	}
	return w
}

// chance is the same in every run, so that no two clients are ever in one bucket by
// accident.
type chance struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (c *chance) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Read(p)
}

// browser is one person with one cookie jar.
type browser struct {
	world *world
	// cookie is the value of the session's cookie; empty without one.
	cookie string
	// flows are the cookies of sign-ins that have begun at an identity provider.
	flows map[string]string
	// address is where the requests come from.
	address string
}

// shown is one answer.
type shown struct {
	*httptest.ResponseRecorder
	text string
}

// send makes a request, holds the answer against what every answer has to be, and
// keeps its cookie.
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
	b.world.handler.ServeHTTP(rec, r)
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

// keep does with the cookie of a flow what a browser does.
func (b *browser) keep(cookie *http.Cookie) {
	if b.flows == nil {
		b.flows = map[string]string{}
	}
	if b.flows[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
		delete(b.flows, cookie.Name)
	}
}

// liveScript is the one script that a page may have: that of a job which goes on.
const liveScript = `<script src="/progress.js" defer></script>`

func checkAnswer(t testing.TB, r *http.Request, rec *httptest.ResponseRecorder) {
	t.Helper()
	policy := "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	text := rec.Body.String()
	if strings.HasPrefix(r.URL.Path, "/preflight/") && strings.Contains(text, liveScript) {
		text = strings.Replace(text, liveScript, "", 1)
		policy += "; script-src 'self'; connect-src 'self'"
	}
	if strings.HasSuffix(r.URL.Path, "/report") && rec.Code == http.StatusOK {
		policy = html.Policy() + "; frame-ancestors 'none'"
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
	if r.URL.Path != "/dashboard.css" && r.URL.Path != "/progress.js" && rec.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s may be kept: %q", r.Method, r.URL, rec.Header().Get("Cache-Control"))
	}
	for _, forbidden := range []string{"<script", "style=", " onload", "javascript:", "pmk_test_0", "pms_", "whsec_", "s3cret"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("%s %s holds %s", r.Method, r.URL, forbidden)
		}
	}
	if rec.Body.Len() > 200_000 {
		t.Errorf("%s %s has %d bytes", r.Method, r.URL, rec.Body.Len())
	}
}

func (b *browser) get(t testing.TB, path string) shown {
	t.Helper()
	return b.send(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
}

// post sends a form as a browser does that knows Sec-Fetch-Site.
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

// signedIn is somebody who has signed in with a key of the world.
func (w *world) signedIn(t testing.TB, key string) *browser {
	t.Helper()
	b := &browser{world: w}
	b.post(t, "/sign-in", url.Values{"key": {w.Key(key)}}).want(t, http.StatusSeeOther, "")
	if b.cookie == "" {
		t.Fatalf("%s has signed in and has no session", key)
	}
	return b
}

// want holds an answer against a status and a text that the page has.
func (s shown) want(t testing.TB, status int, text string) shown {
	t.Helper()
	if s.Code != status || !strings.Contains(s.text, text) {
		t.Fatalf("status %d, want %d and %q:\n%s", s.Code, status, text, s.text)
	}
	return s
}

// toSignIn holds an answer against the way to the sign-in.
func (s shown) toSignIn(t testing.TB) {
	t.Helper()
	if location := s.want(t, http.StatusSeeOther, "").Header().Get("Location"); !strings.HasPrefix(location, "/sign-in?next=") {
		t.Errorf("Location %q", location)
	}
}

// create makes an RFQ of a key's organization, and is its id.
func (w *world) create(t testing.TB, who tenant.ID, title string) string {
	t.Helper()
	demo, err := w.Catalog.Current(w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	product := demo.Products("")[0]
	made, err := w.RFQs.Create(t.Context(), who, rfq.Draft{
		CatalogProductUID: product.UID, Title: title, Category: product.Group, Quantity: 1000, DeliveryCity: "Ghent",
	}, rfq.Terms{Idempotency: transaction.Idempotency{Key: title}, Quota: transaction.Quota{Limit: 100, Window: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	return made.RFQ.ID
}

// shelf has the same RFQs and quotes for everybody.
type shelf struct {
	rfqs   []rfq.RFQ
	quotes []rfq.Quote
}

// Get implements dashboard.RFQs.
func (s shelf) Get(_ context.Context, _ tenant.ID, id string) (rfq.RFQ, error) {
	for _, r := range s.rfqs {
		if r.ID == id {
			return r, nil
		}
	}
	return rfq.RFQ{}, transaction.ErrNotFound
}

// List implements dashboard.RFQs. Cursors are numbers.
func (s shelf) List(_ context.Context, _ tenant.ID, page rfq.Page) (rfq.List, error) {
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
func (s shelf) Quotes(context.Context, tenant.ID, string) ([]rfq.Quote, error) { return s.quotes, nil }
