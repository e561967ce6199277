// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestNumbersAreDecimalDigitsWithinBounds(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	never := []string{
		"", " 5", "5 ", "+5", "-1", "05", "00", "1e2", "1E1", "5.0", "5.", ".5", "0x10", "0b1", "0o7", "1_0", "1,0", "NaN", "Infinity", "null", "true", "٥", "５",
		"5\x00", "5%00", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775808", "18446744073709551617", "1" + strings.Repeat("0", 400),
		"2147483648", "4294967297", "100001", "5;6", "[5]", "5&#", "5'", "1 OR 1=1",
	}
	for _, name := range []string{"limit", "offset"} {
		for _, text := range never {
			a := get(t, server, "acme-live", mediaPath+"?"+url.Values{name: {text}}.Encode())
			if a.Status != 400 || a.Code() != problem.CodeInvalidRequest {
				t.Errorf("%s=%q returned %d %s", name, text, a.Status, a.Code())
			}
			wantPrivate(t, a)
		}
	}
	for query, want := range map[string]int{
		"limit=0": 400, "limit=1": 200, "limit=99": 200, "limit=100": 200, "limit=101": 400, "limit=1000": 400,
		"offset=0": 200, "offset=1": 200, "offset=99999": 200, "offset=100000": 200, "offset=-0": 400, "limit=%31": 200,
	} {
		if a := get(t, server, "acme-live", mediaPath+"?"+query); a.Status != want {
			t.Errorf("%s returned %d, want %d", query, a.Status, want)
		}
	}
}

func TestInvalidUnknownAndRepeatedParametersAreRefused(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	tests := map[string][]string{
		mediaPath: {
			"source=", "source=Platform", "source=PLATFORM", "source=org_stark1", "source=all", "source=platform,organization", "source=platform&source=platform",
			"source=platform&source=organization", "limit=1&limit=1", "offset=0&limit=5&offset=0", "Limit=5", "limit[]=5", "page=2", "cursor=x", "category=media", "q",
			"limit=5&%zz", "limit=5;offset=2", "%00=1", "includeValidation=true", "filter=", "x=" + strings.Repeat("y", 10_000),
		},
		devicesPath: {"source=", "source=plat%20form", "source=platform&source=platform", "limit=5", "offset=0", "category=device", "deviceId=x", "class=Folder"},
		exportPath: {
			"source=both", "includeValidation=", "includeValidation=1", "includeValidation=TRUE", "includeValidation=yes", "includeValidation", "includeValidation=true&includeValidation=true",
			"category=media&category=device", "category=media&category=media", "categories=media", "limit=5", "format=xml",
		},
	}
	for path, queries := range tests {
		for _, query := range queries {
			a := get(t, server, "acme-live", path+"?"+query)
			if a.Status != 400 || a.Code() != problem.CodeInvalidRequest {
				t.Errorf("%s?%.60s returned %d %s", path, query, a.Status, a.Code())
			}
			wantPrivate(t, a)
		}
	}
}

func TestUnknownAndRepeatedCategoriesAreRefused(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	for _, list := range []string{
		"", ",", "media,", ",media", "media,,device", "media, device", "Media", "MEDIA", "medias", "devices", "prices", "policy", "*", "all", "media;device", "media|device",
		"media,media", "media,paper", "machine,device", "ink,ink", "null", "l2", strings.Repeat("media,", 1000) + "ink", "mediа", "\x00",
	} {
		a := get(t, server, "acme-live", exportPath+"?"+url.Values{"category": {list}}.Encode())
		if a.Status != 400 || a.Code() != problem.CodeInvalidCategory {
			t.Errorf("category=%.40q returned %d %s", list, a.Status, a.Code())
		}
		wantPrivate(t, a)
	}
}

// TestRequestThatNamesOrganizationIsRefused uses all places and spellings, and also the
// caller's own organization.
func TestRequestThatNamesOrganizationIsRefused(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	names := []string{
		"orgId", "orgid", "ORGID", "org_id", "org-id", "OrgID", "org", "organization", "Organization", "organizationId", "organization_id", "organisationId", "organisation",
		"organizationID", "orgId[]", "org.id", "x-org-id", "tenantOrgId", "callerOrganizationId", "orgIds", " orgId", "organizations",
	}
	for _, path := range paths() {
		for _, name := range names {
			for _, value := range []string{acme, stark, "platform", ""} {
				a := get(t, server, "acme-live", path+"?"+url.Values{name: {value}}.Encode()).Want(t, 400, problem.CodeInvalidRequest)
				wantPrivate(t, a)
				if detail := a.Text(t, "detail"); !strings.Contains(detail, "The API key determines the organization") {
					t.Errorf("%s?%s=%s: detail %q, want The API key determines the organization", path, name, value, detail)
				}
			}
		}
		for _, name := range []string{"X-Organization-Id", "X-Org-Id", "Org-Id", "OrgId", "org_id", "Organization", "X-Organization", "X-Organisation-ID", "Marketplace-Organization-Id"} {
			r := server.Build(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live"})
			r.Header.Set(name, acme)
			a := server.Send(t, r).Want(t, 400, problem.CodeInvalidRequest)
			wantPrivate(t, a)
		}
		a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Body: `{"orgId":"org_stark1"}`}).Want(t, 400, problem.CodeInvalidRequest)
		wantPrivate(t, a)
		chunked := httptest.NewRequestWithContext(t.Context(), "GET", path, struct{ *strings.Reader }{strings.NewReader("orgId=org_stark1")})
		chunked.Header.Set("Authorization", "Bearer "+server.Key("acme-live"))
		server.Send(t, chunked).Want(t, 400, problem.CodeInvalidRequest)
	}
}

func TestOtherHeaderFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	a := server.Do(t, apitest.Request{Method: "GET", Path: mediaPath, Key: "acme-live", Header: map[string]string{
		"User-Agent": "orgId/1.0", "X-Forwarded-For": "10.0.0.1", "Referer": "https://example.org/?orgId=x", "Traceparent": "00-0-0-00", "X-Request-Id": "org-id-12",
	}})
	a.Want(t, 200, "")
}
