// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// shared is a link as its creation returns it.
type shared struct{ ShareID, URL, CreatedAt, ExpiresAt string }

// share creates a link to the report of a job and returns it with its path.
func share(t *testing.T, server *apitest.Server, job, body string) (link shared, path string) {
	t.Helper()
	server.Do(t, apitest.Request{Method: "POST", Path: job + "/shares", Key: "acme-live", Body: body}).Want(t, 201, "").Into(t, &link)
	path, found := strings.CutPrefix(link.URL, apitest.APIOrigin)
	if !found || !strings.HasPrefix(path, "/shared/") {
		t.Fatalf("URL %s, want one of %s", link.URL, apitest.APIOrigin)
	}
	return link, path
}

// visit reads a shared report without a key.
func visit(t *testing.T, server *apitest.Server, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path})
}

func TestReportIsSharedByALink(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	job := warned(t, server)
	link, path := share(t, server, job, `{}`)
	if got := instant(t, link.ExpiresAt).Sub(instant(t, link.CreatedAt)); got != 7*24*time.Hour {
		t.Errorf("the link is valid for %s, want 7 days", got)
	}
	a := visit(t, server, path).Want(t, 200, "")
	own := server.Do(t, apitest.Request{Method: "GET", Path: job + "/report", Key: "acme-live", Header: map[string]string{"Accept": "text/html"}}).Want(t, 200, "")
	const pdf = `<a class="download" href="?format=pdf&amp;lang=en" download>Download PDF</a>`
	if diff := cmp.Diff(string(own.Body), strings.Replace(string(a.Body), pdf, "", 1)); diff != "" {
		t.Errorf("page (-own +shared without the link to its PDF):\n%s", diff)
	}
	for _, link := range []string{`href="?lang=en"`, `href="?lang=de"`, pdf} {
		if !strings.Contains(string(a.Body), link) {
			t.Errorf("the shared page has no %s", link)
		}
	}
	for query, want := range map[string][2]string{
		"?lang=de": {"de", "text/html;charset=utf-8"}, "?lang=tlh": {"en", "text/html;charset=utf-8"},
		"?format=pdf&lang=de": {"de", "application/pdf"}, "?format=doc": {"en", "text/html;charset=utf-8"},
	} {
		if a := visit(t, server, path+query).Want(t, 200, ""); a.Header.Get("Content-Language") != want[0] || a.Header.Get("Content-Type") != want[1] {
			t.Errorf("%s: %s in %s, want %v", query, a.Header.Get("Content-Type"), a.Header.Get("Content-Language"), want)
		}
	}
	want := map[string]string{
		"Content-Type": own.Header.Get("Content-Type"), "Content-Security-Policy": own.Header.Get("Content-Security-Policy"),
		"Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", "Vary": "Accept, Accept-Language",
		"Marketplace-Entitlement": "", "Marketplace-Capability": "", "Ratelimit": "",
	}
	for name, value := range want {
		if got := a.Header.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
	german := server.Do(t, apitest.Request{Method: "GET", Path: path, Header: map[string]string{"Accept-Language": "de"}}).Want(t, 200, "")
	if german.Header.Get("Content-Language") != "de" {
		t.Errorf("Content-Language = %s, want de", german.Header.Get("Content-Language"))
	}
	if head := server.Do(t, apitest.Request{Method: "HEAD", Path: path}); head.Status != 200 || len(head.Body) > 0 {
		t.Errorf("HEAD = %d with %d bytes, want 200 without a body", head.Status, len(head.Body))
	}
	server.Do(t, apitest.Request{Method: "POST", Path: path, Body: "{}"}).Want(t, 405, problem.CodeMethodNotAllowed)

	var list struct{ Items []shared }
	get(t, server, "acme-live", job+"/shares").Want(t, 200, "").Into(t, &list)
	if diff := cmp.Diff([]shared{link}, list.Items); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	stored, err := server.Store.SharedJob(t.Context(), strings.TrimPrefix(job, "/api/v1/preflight/"))
	if err != nil || len(stored.Shares) != 1 || stored.Shares[0].Token != "" {
		t.Errorf("stored shares = %v, %v, want one without its token", stored.Shares, err)
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatalf("time.Parse: %v", err)
	}
	return at
}

func TestLinkEnds(t *testing.T) {
	t.Parallel()
	spec := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*testing.T, *apitest.Server, string, shared) {
		return func(_ *testing.T, server *apitest.Server, _ string, _ shared) { server.Partner("acme", change) }
	}
	tests := map[string]struct {
		body string
		act  func(t *testing.T, server *apitest.Server, job string, link shared)
	}{
		"when it expires": {`{"expiresIn":60}`, func(_ *testing.T, server *apitest.Server, _ string, _ shared) { server.Advance(time.Minute) }},
		"when it is revoked": {`{}`, func(t *testing.T, server *apitest.Server, job string, link shared) {
			server.Do(t, apitest.Request{Method: "DELETE", Path: job + "/shares/" + link.ShareID, Key: "acme-live"}).Want(t, 204, "")
			server.Do(t, apitest.Request{Method: "DELETE", Path: job + "/shares/" + link.ShareID, Key: "acme-live"}).Want(t, 404, problem.CodeNotFound)
		}},
		"when the job expires": {`{"expiresIn":2592000}`, func(_ *testing.T, server *apitest.Server, _ string, _ shared) {
			server.Advance(preflightjob.Retention)
		}},
		"when the job is purged": {`{"expiresIn":2592000}`, func(t *testing.T, server *apitest.Server, _ string, _ shared) {
			server.Advance(preflightjob.Retention)
			if n, err := server.Jobs.Purge(t.Context(), 10); n != 1 || err != nil {
				t.Errorf("purged %d, %v, want 1", n, err)
			}
		}},
		"when the partner is suspended":         {`{}`, spec(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })},
		"when the partner loses the capability": {`{}`, spec(func(s *v1alpha1.PartnerEntitlementSpec) { s.Capabilities = nil })},
		"when the posture is stale":             {`{}`, func(_ *testing.T, server *apitest.Server, _ string, _ shared) { server.Stale() }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			job := warned(t, server)
			link, path := share(t, server, job, tc.body)
			visit(t, server, path).Want(t, 200, "")
			tc.act(t, server, job, link)
			ended := visit(t, server, path).Want(t, 404, problem.CodeNotFound)
			unknown := visit(t, server, path[:len(path)-1]+"_").Want(t, 404, problem.CodeNotFound)
			page := func(path string) string {
				a := server.Do(t, apitest.Request{Method: "GET", Path: path, Header: map[string]string{"Accept": "text/html,*/*;q=0.8"}})
				if a.Status != 404 || a.Header.Get("Content-Type") != "text/html;charset=utf-8" {
					t.Errorf("a browser gets %d with %s, want 404 with a page", a.Status, a.Header.Get("Content-Type"))
				}
				return string(a.Body)
			}
			if got := page(path); got != page(path[:len(path)-1]+"_") || !strings.Contains(got, "has expired or was revoked") {
				t.Errorf("page %s, want that of an unknown link", got)
			}
			if ended.Text(t, "detail") != unknown.Text(t, "detail") || ended.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("response %s, want that of an unknown link, %s", ended.Body, unknown.Body)
			}
		})
	}
}

func TestInvalidTokensAreNotFound(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	_, path := share(t, server, warned(t, server), `{}`)
	_, other := share(t, server, warned(t, server), `{}`)
	half := len("/shared/") + (len(path)-len("/shared/"))/2
	swapped := path[:half] + other[half:]
	for name, target := range map[string]string{
		"shortened": path[:len(path)-1], "extended": path + "A", "lower case": strings.ToLower(path), "of another job": swapped,
		"a half": path[:half], "text": "/shared/x", "SQL": "/shared/" + strings.Repeat("'", len(path)-len("/shared/")),
	} {
		visit(t, server, target).Want(t, 404, problem.CodeNotFound)
		if t.Failed() {
			t.Fatalf("failed: a token that is %s", name)
		}
	}
	for i := len("/shared/"); i < len(path); i++ {
		changed := []byte(path)
		if changed[i]++; changed[i] == path[i] || !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", rune(changed[i])) {
			changed[i] = '0'
		}
		if i%100 == 0 {
			server.Advance(time.Minute) // an address has a limit per minute
		}
		if string(changed) != path {
			visit(t, server, string(changed)).Want(t, 404, problem.CodeNotFound)
		}
	}
	server.Advance(time.Minute)
	// A token of another installation costs no query.
	server.Store.Set(storetest.Away)
	visit(t, server, swapped).Want(t, 404, problem.CodeNotFound)
	visit(t, server, path).Want(t, 503, problem.CodeStoreUnavailable)
}

func TestLinksBelongToTheirTenant(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	job := warned(t, server)
	link, path := share(t, server, job, `{}`)
	for _, stranger := range []string{"stark-live", "acme-test"} {
		server.Do(t, apitest.Request{Method: "POST", Path: job + "/shares", Key: stranger, Body: "{}"}).Want(t, 404, problem.CodeNotFound)
		get(t, server, stranger, job+"/shares").Want(t, 404, problem.CodeNotFound)
		server.Do(t, apitest.Request{Method: "DELETE", Path: job + "/shares/" + link.ShareID, Key: stranger}).Want(t, 404, problem.CodeNotFound)
	}
	// The id of a link works only with its job.
	server.Do(t, apitest.Request{Method: "DELETE", Path: warned(t, server) + "/shares/" + link.ShareID, Key: "acme-live"}).Want(t, 404, problem.CodeNotFound)
	visit(t, server, path).Want(t, 200, "")
}

func TestInvalidSharesAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	job := warned(t, server)
	for name, body := range map[string]string{
		"too short": `{"expiresIn":59}`, "too long": `{"expiresIn":2592001}`, "a text": `{"expiresIn":"1h"}`, "a fraction": `{"expiresIn":60.5}`,
		"an unknown member": `{"expiresAt":"2026-11-21T12:00:00Z"}`, "a list": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			server.Do(t, apitest.Request{Method: "POST", Path: job + "/shares", Key: "acme-live", Body: body}).Want(t, 422, problem.CodePreflightInvalid)
		})
	}
	queued := "/api/v1/preflight/" + submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	server.Do(t, apitest.Request{Method: "POST", Path: queued + "/shares", Key: "acme-live", Body: "{}"}).Want(t, 409, problem.CodePreflightReportNotReady)
	for range preflightjob.MaxShares {
		share(t, server, job, `{"expiresIn":60}`)
	}
	server.Do(t, apitest.Request{Method: "POST", Path: job + "/shares", Key: "acme-live", Body: "{}"}).Want(t, 422, problem.CodePreflightInvalid)
	server.Advance(time.Minute)
	share(t, server, job, `{}`)
}

func TestEachAddressReadsAsManySharedReportsAsItsLimit(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	_, path := share(t, server, warned(t, server), `{}`)
	for range 120 {
		visit(t, server, "/shared/guess").Want(t, 404, problem.CodeNotFound)
	}
	visit(t, server, path).Want(t, 503, problem.CodeOverloaded).WantRetry(t)
	server.Advance(time.Minute)
	visit(t, server, path).Want(t, 200, "")
}

func TestLogsDoNotContainTheTokenOfALink(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	server := apitest.New(t, apitest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, path := share(t, server, warned(t, server), `{}`)
	visit(t, server, path).Want(t, 200, "")
	visit(t, server, path+"x").Want(t, 404, problem.CodeNotFound)
	if text := log.String(); strings.Contains(text, path) || !strings.Contains(text, "/shared/{token}") {
		t.Errorf("log %s, want the pattern of the path only", text)
	}
}
