// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

type urlCase struct{ url, want string }

// urlCases returns URLs of webhooks, by their description.
func urlCases() map[string]urlCase {
	const absolute, fragment, user = "not an absolute URL", "has no fragment", "has no user and no password"
	return map[string]urlCase{
		"https":                            {"https://mis.acme.example/events", ""},
		"http, for ranges that are exempt": {"http://10.0.0.1:8080/events", ""},
		"a host alone":                     {"https://mis.acme.example", ""},
		"a port":                           {"https://mis.acme.example:8443/", ""},
		"an IPv6 address":                  {"https://[2001:db8::1]:8443/events", ""},
		"a query":                          {"https://mis.acme.example/events?tenant=1&to=a@b", ""},
		"an at sign in the path":           {"https://mis.acme.example/@events", ""},
		"of the maximum length":            {"https://mis.acme.example/" + strings.Repeat("a", 2023), ""},
		"above the maximum length":         {"https://mis.acme.example/" + strings.Repeat("a", 2024), "Too long"},
		"nothing":                          {"", absolute},
		"no scheme":                        {"mis.acme.example/events", absolute},
		"a scheme that is relative":        {"//mis.acme.example/events", absolute},
		"another scheme":                   {"ftp://mis.acme.example/events", absolute},
		"a file":                           {"file:///etc/passwd", absolute},
		"no host":                          {"https:///events", absolute},
		"a port without a host":            {"https://:443/events", absolute},
		"a scheme without slashes":         {"https:mis.acme.example", absolute},
		"a space":                          {"https://mis.acme.example /events", absolute},
		"a new line":                       {"https://mis.acme.example/\nevents", absolute},
		"a port that is not a number":      {"https://mis.acme.example:https/", absolute},
		"a fragment":                       {"https://mis.acme.example/#events", fragment},
		"an empty fragment":                {"https://mis.acme.example/#", fragment},
		"a user":                           {"https://acme@mis.acme.example/", user},
		"a user with a password":           {"https://acme:hunter2@mis.acme.example/", user},
		"an empty user":                    {"https://@mis.acme.example/", user},
		"a user that looks like a host":    {"https://mis.acme.example:443@evil.example/", user},
		"a user behind a backslash":        {`https://mis.acme.example\@evil.example/`, absolute},
		"a scheme in another case":         {"HTTPS://mis.acme.example/events", ""},
	}
}

// withURL returns a partner with one webhook, which has the given URL.
func withURL(t *testing.T, url string) map[string]any {
	t.Helper()
	text, err := json.Marshal(url)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	return patched(t, partnerManifest, webhooks(strings.Replace(webhookManifest, `"https://mis.acme.example/events"`, string(text), 1)))
}

// TestAdmissionAndCompilationAgreeAboutTheURLsOfWebhooks checks that accepted URLs
// compile and that stored webhooks with rejected URLs are closed.
func TestAdmissionAndCompilationAgreeAboutTheURLsOfWebhooks(t *testing.T) {
	t.Parallel()
	for name, tc := range urlCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := withURL(t, tc.url)
			errs := judge(t).Create(t.Context(), o)
			verdict(t, errs, tc.want)
			for _, refusal := range errs {
				if strings.Contains(refusal.Error(), "hunter2") {
					t.Errorf("the error repeats the rejected value: %v", refusal)
				}
			}
			var acme v1alpha1.PartnerEntitlement
			content, err := json.Marshal(o)
			if err != nil {
				t.Fatalf("json.Marshal: %v", err)
			}
			if err := json.Unmarshal(content, &acme); err != nil {
				t.Fatalf("json.Unmarshal: %v", err)
			}
			snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{acme}})
			// An invalid webhook is declared without a URL.
			erp, declared := snapshot.Webhook(tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, "erp")
			if compiled := erp.URL() != ""; !declared || compiled != (len(errs) == 0) {
				t.Errorf("declared: %t; compiled: %t; admitted: %t", declared, compiled, len(errs) == 0)
			}
		})
	}
}
