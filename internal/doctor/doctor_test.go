// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/doctor"
)

func examine(t *testing.T, part doctor.Examination) map[string]doctor.Severity {
	t.Helper()
	found := map[string]doctor.Severity{}
	for _, finding := range doctor.Examine(t.Context(), []doctor.Examination{part}, 10*time.Second)[0].Findings {
		if finding.Detail == "" || finding.Severity == doctor.OK != (finding.Do == "") {
			t.Errorf("%+v lacks a required text or contains a secret", finding)
		}
		found[finding.Check] = finding.Severity
	}
	return found
}

// installation responds like an installation, except for the handlers that a test replaces.
func installation(replaced map[string]http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	paths := map[string]http.HandlerFunc{
		"/docs/api/openapi.yaml":            text("partner"),
		"/docs/api/xjdf-openapi.yaml":       text("xjdf"),
		"/problems/marketplace/unavailable": text("{}"),
		"/readyz":                           text(`{"ready":true,"checks":{"posture":"ok","queue":"ok"}}`),
		"/metrics":                          text("# HELP x\nprintmarket_gate_snapshot_age_seconds 3\nprintmarket_gate_snapshot_age_seconds{a=\"b\"} 900\nother 5\n"),
	}
	for path, handler := range replaced {
		paths[path] = handler
	}
	for path, handler := range paths {
		mux.HandleFunc(path, handler)
	}
	return mux
}

var contracts = fstest.MapFS{
	"api/openapi.yaml": {Data: []byte("partner")}, "api/xjdf-openapi.yaml": {Data: []byte("xjdf")}, "api/other.json": {Data: []byte("no contract")},
}

func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestFaultsAreReported(t *testing.T) {
	t.Parallel()
	api := func(w doctor.Web, origin string) doctor.Examination { return w.API(origin, contracts) }
	tests := map[string]struct {
		replaced map[string]http.HandlerFunc
		ahead    time.Duration
		part     func(doctor.Web, string) doctor.Examination
		want     map[string]doctor.Severity
	}{
		"an API that is well": {nil, 0, api, map[string]doctor.Severity{"certificate": doctor.OK, "clock": doctor.OK, "contracts": doctor.OK}},
		"an API of another version": {
			map[string]http.HandlerFunc{"/docs/api/xjdf-openapi.yaml": respond(200, "newer")},
			0, api,
			map[string]doctor.Severity{"certificate": doctor.OK, "clock": doctor.OK, "contracts": doctor.Warning},
		},
		"an API whose contracts are not served": {
			map[string]http.HandlerFunc{"/docs/api/openapi.yaml": respond(404, "")},
			0, api,
			map[string]doctor.Severity{"certificate": doctor.OK, "clock": doctor.OK, "contracts": doctor.Failure},
		},
		"a redirect is not followed": {
			map[string]http.HandlerFunc{"/docs/api/openapi.yaml": http.RedirectHandler("/docs/api/xjdf-openapi.yaml", http.StatusFound).ServeHTTP},
			0, api,
			map[string]doctor.Severity{"certificate": doctor.OK, "clock": doctor.OK, "contracts": doctor.Failure},
		},
		"an API whose clock is ours less three minutes": {nil, 3 * time.Minute, api, map[string]doctor.Severity{"certificate": doctor.OK, "clock": doctor.Warning, "contracts": doctor.OK}},
		"a registry that is well":                       {nil, 0, doctor.Web.Registry, map[string]doctor.Severity{"certificate": doctor.OK, "reach": doctor.OK}},
		"a registry without problem types": {
			map[string]http.HandlerFunc{"/problems/marketplace/unavailable": respond(404, "")}, 0, doctor.Web.Registry, map[string]doctor.Severity{"reach": doctor.Failure},
		},
		"a server that is well": {nil, 0, doctor.Web.Ops, map[string]doctor.Severity{"posture": doctor.OK, "queue": doctor.OK, "posture age": doctor.OK}},
		"a server that is ready and warns": {
			map[string]http.HandlerFunc{"/readyz": respond(200, `{"ready":true,"checks":{"posture":"ok","queue":"Redis is unavailable"}}`)},
			0, doctor.Web.Ops,
			map[string]doctor.Severity{"posture": doctor.OK, "queue": doctor.Warning, "posture age": doctor.OK},
		},
		"a server that is not ready": {
			map[string]http.HandlerFunc{"/readyz": respond(503, `{"ready":false,"checks":{"posture":"too old"}}`)},
			0, doctor.Web.Ops,
			map[string]doctor.Severity{"posture": doctor.Failure, "posture age": doctor.OK},
		},
		"a stale posture, no controller, an expiring certificate": {
			map[string]http.HandlerFunc{"/metrics": respond(200, "printmarket_gate_snapshot_age_seconds 121\nprintmarket_gate_secret_heartbeat_age_seconds 4e2\nprintmarket_mtls_certificate_remaining_seconds 86400\nprintmarket_masterdata_age_seconds 61\n")},
			0, doctor.Web.Ops,
			map[string]doctor.Severity{
				"posture": doctor.OK, "queue": doctor.OK,
				"posture age": doctor.Warning, "controller": doctor.Warning, "mutual TLS": doctor.Warning, "master data age": doctor.Warning,
			},
		},
		"an expired certificate, and a renewed one that is invalid": {
			map[string]http.HandlerFunc{"/metrics": respond(200, "printmarket_mtls_certificate_remaining_seconds -60\nprintmarket_mtls_certificate_fault 1\n")},
			0, doctor.Web.Ops,
			map[string]doctor.Severity{"posture": doctor.OK, "queue": doctor.OK, "mutual TLS": doctor.Failure, "mutual TLS files": doctor.Warning},
		},
		"metrics with a token":     {map[string]http.HandlerFunc{"/metrics": respond(401, "")}, 0, doctor.Web.Ops, map[string]doctor.Severity{"metrics": doctor.Warning, "posture": doctor.OK, "queue": doctor.OK}},
		"another kind of listener": {map[string]http.HandlerFunc{"/readyz": respond(200, "<html>"), "/metrics": respond(404, "")}, 0, doctor.Web.Ops, map[string]doctor.Severity{"readiness": doctor.Failure, "metrics": doctor.Failure}},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(installation(test.replaced))
			t.Cleanup(server.Close)
			web := doctor.Web{Now: func() time.Time { return time.Now().Add(test.ahead) }}
			if diff := cmp.Diff(test.want, examine(t, test.part(web, server.URL))); diff != "" {
				t.Errorf("-want +found:\n%s", diff)
			}
		})
	}
}

func TestExpiringCertificateCausesAWarning(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(installation(nil))
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	for sentence, test := range map[string]struct {
		now  time.Time
		want doctor.Severity
	}{
		"fifteen days before":  {server.Certificate().NotAfter.Add(-15 * 24 * time.Hour), doctor.OK},
		"thirteen days before": {server.Certificate().NotAfter.Add(-13 * 24 * time.Hour), doctor.Warning},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			config := &tls.Config{RootCAs: trusted, ServerName: "example.com", MinVersion: tls.VersionTLS12}
			web := doctor.Web{Now: func() time.Time { return test.now }, TLS: config}
			if got := examine(t, web.Registry(server.URL))["certificate"]; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// An operator reads what is wrong with the certificate, not that the address is wrong.
func TestInvalidCertificateIsAFinding(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(installation(nil))
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	after := func() time.Time { return server.Certificate().NotAfter.Add(time.Hour) }
	before := func() time.Time { return server.Certificate().NotBefore.Add(-time.Hour) }
	for sentence, test := range map[string]struct {
		config *tls.Config
		do     string
	}{
		"an unknown authority":        {nil, "SSL_CERT_FILE"},
		"another name":                {&tls.Config{RootCAs: trusted, ServerName: "other.example", MinVersion: tls.VersionTLS12}, "Issue a certificate with this name"},
		"an expired certificate":      {&tls.Config{RootCAs: trusted, ServerName: "example.com", Time: after, MinVersion: tls.VersionTLS12}, "Renew it"},
		"a certificate not yet valid": {&tls.Config{RootCAs: trusted, ServerName: "example.com", Time: before, MinVersion: tls.VersionTLS12}, "correct the clock"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			web := doctor.Web{Now: time.Now, TLS: test.config}
			for part, examination := range map[string]doctor.Examination{"api": web.API(server.URL, contracts), "registry": web.Registry(server.URL), "operations": web.Ops(server.URL)} {
				found := doctor.Examine(t.Context(), []doctor.Examination{examination}, 10*time.Second)[0].Findings
				if len(found) != 1 || found[0].Check != "certificate" || found[0].Severity != doctor.Failure || !strings.Contains(found[0].Do, test.do) {
					t.Errorf("%s: %+v; want one failure of the certificate that says %q", part, found, test.do)
				}
			}
		})
	}
}

func TestCheckOriginRejectsOtherURLs(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"https://api.example.com": true, "http://127.0.0.1:8082/": true,
		"api.example.com": false, "https://": false, "ftp://a": false, "https://a/b": false, "https://user:password@a": false, "https://a?b": false, "https://a#b": false, "": false, "%": false,
	} {
		if err := doctor.CheckOrigin(text); err == nil != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSlowPartDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		slow := func(ctx context.Context) []doctor.Finding {
			<-ctx.Done()
			return []doctor.Finding{doctor.Unless(ctx.Err(), "slow", "", "wait", doctor.Warning)}
		}
		reports := doctor.Examine(t.Context(), []doctor.Examination{
			{Part: "a", Run: slow},
			{Part: "b", Run: func(context.Context) []doctor.Finding { return []doctor.Finding{doctor.Passed("quick", "yes")} }},
			{Part: "c", Run: slow},
		}, time.Minute)
		want := []doctor.Report{
			{Part: "a", Findings: []doctor.Finding{{Check: "slow", Severity: doctor.Warning, Detail: context.DeadlineExceeded.Error(), Do: "wait"}}},
			{Part: "b", Findings: []doctor.Finding{{Check: "quick", Severity: doctor.OK, Detail: "yes"}}},
			{Part: "c", Findings: []doctor.Finding{{Check: "slow", Severity: doctor.Warning, Detail: context.DeadlineExceeded.Error(), Do: "wait"}}},
		}
		if diff := cmp.Diff(want, reports); diff != "" || time.Since(began) != time.Minute {
			t.Errorf("after %s:\n%s", time.Since(began), diff)
		}
		if worst := doctor.Worst(reports); worst != doctor.Warning {
			t.Errorf("the worst is %s", worst)
		}
	})
	if worst := doctor.Worst([]doctor.Report{{Findings: []doctor.Finding{doctor.Fail("a", "b", "%v", errors.New("c"))}}, {Findings: []doctor.Finding{doctor.Passed("a", "b")}}}); worst != doctor.Failure {
		t.Errorf("the worst is %s", worst)
	}
}
