// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/apitest"
)

// hooked returns a server with the enrolled endpoint mis of acme, acme's sandbox and stark.
func hooked(t *testing.T) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	var all []webhook.Endpoint
	for _, owner := range []tenant.ID{{Organization: "org_acme01", Mode: tenant.Live}, {Organization: "org_acme01", Mode: tenant.Test}, {Organization: "org_stark1", Mode: tenant.Live}} {
		all = append(all, webhook.Endpoint{Address: webhook.Address{Owner: owner, Name: "mis"}, URL: "https://hooks.example.com/?token=s3cret"})
	}
	server.Endpoints.Declare(all...)
	if err := server.Store.Enroll(t.Context(), all, server.Clock.Now()); err != nil {
		t.Fatalf("w.Store.Enroll: %v", err)
	}
	return server
}

const ofAcme = "?organization=org_acme01"

func TestOperatorsListEndpointsOfAllOrganizationsInTheirMode(t *testing.T) {
	t.Parallel()
	server := hooked(t)
	for query, want := range map[string][]string{
		"platform-live ": {"org_acme01", "org_stark1"}, "platform-test ": {"org_acme01"}, "platform-reads ?organization=org_stark1": {"org_stark1"},
		"platform-live ?organization=org_nobody": nil,
	} {
		key, query, _ := strings.Cut(query, " ")
		var list struct {
			Items []struct{ Organization, State, URL string }
		}
		get(t, server, key, "/webhooks/endpoints"+query).Want(t, 200, "").Into(t, &list)
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Organization)
			if item.State != "open" || strings.Contains(item.URL, "s3cret") {
				t.Errorf("endpoint %+v", item)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s lists (-want +got):\n%s", query, diff)
		}
	}
}

func TestOperatorActionsOnWebhooksAreAudited(t *testing.T) {
	t.Parallel()
	server := hooked(t)
	var made struct{ ID, State string }
	post(t, server, "platform-live", "/webhooks/endpoints/mis/test"+ofAcme, reason).Want(t, 202, "").Into(t, &made)
	server.Advance(time.Second)
	post(t, server, "platform-live", "/webhooks/endpoints/mis/enable"+ofAcme, reason).Want(t, 200, "")
	server.Advance(time.Second)
	post(t, server, "platform-live", "/webhooks/endpoints/mis/recover"+ofAcme, `{"since":"2026-11-20T11:00:00Z","reason":"Receiver outage."}`).Want(t, 202, "")
	server.Advance(time.Second)
	post(t, server, "platform-live", "/webhooks/deliveries/"+made.ID+"/redeliver"+ofAcme, reason).Want(t, 202, "")
	get(t, server, "platform-reads", "/webhooks/deliveries/"+made.ID+ofAcme).Want(t, 200, "")
	type auditEntry struct{ Verb, Owner, Subject, Reason, Key string }
	var audit struct{ Items []auditEntry }
	get(t, server, "platform-live", "/audit").Want(t, 200, "").Into(t, &audit)
	const called = "The buyer called."
	want := []auditEntry{
		{"webhook.redeliver", "org_acme01", made.ID, called, "live"},
		{"webhook.recover", "org_acme01", "mis", "Receiver outage.", "live"},
		{"webhook.enable", "org_acme01", "mis", called, "live"},
		{"webhook.test", "org_acme01", "mis", called, "live"},
	}
	if diff := cmp.Diff(want, audit.Items); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestAWebhookVerbThatIsRefusedIsNotInTheAudit(t *testing.T) {
	t.Parallel()
	server := hooked(t)
	const nothing = "/webhooks/deliveries/dlv_01M3HQ7G5C8RJ2N4VKXW6TZB9D"
	for name, tc := range map[string]struct {
		key, path, body string
		status          int
		code            problem.Code
	}{
		"by a read-only key":         {"platform-reads", "/webhooks/endpoints/mis/test" + ofAcme, reason, 403, problem.CodeInsufficientScope},
		"by a partner":               {"acme-live", "/webhooks/endpoints/mis/test" + ofAcme, reason, 403, problem.CodeInsufficientScope},
		"without a reason":           {"platform-live", "/webhooks/endpoints/mis/enable" + ofAcme, `{}`, 422, problem.CodePlatformRequestInvalid},
		"without an organization":    {"platform-live", "/webhooks/endpoints/mis/enable", reason, 400, problem.CodeInvalidRequest},
		"of an invalid organization": {"platform-live", "/webhooks/endpoints/mis/enable?organization=%00", reason, 400, problem.CodeInvalidRequest},
		"with another parameter":     {"platform-live", "/webhooks/endpoints/mis/enable" + ofAcme + "&x=1", reason, 400, problem.CodeInvalidRequest},
		"for an unknown endpoint":    {"platform-live", "/webhooks/endpoints/none/recover" + ofAcme, `{"since":"2026-11-20T11:00:00Z","reason":"x"}`, 404, problem.CodeNotFound},
		"since an invalid time":      {"platform-live", "/webhooks/endpoints/mis/recover" + ofAcme, `{"since":"x","reason":"x"}`, 422, problem.CodeWebhookInvalid},
		"since too long ago":         {"platform-live", "/webhooks/endpoints/mis/recover" + ofAcme, `{"since":"2026-01-01T11:00:00Z","reason":"x"}`, 422, problem.CodeWebhookInvalid},
		"for an unknown delivery":    {"platform-live", nothing + "/redeliver" + ofAcme, reason, 404, problem.CodeNotFound},
		"of the other mode":          {"platform-test", "/webhooks/endpoints/mis/test?organization=org_stark1", reason, 404, problem.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			post(t, server, tc.key, tc.path, tc.body).Want(t, tc.status, tc.code)
		})
	}
	var audit struct{ Items []struct{ Verb string } }
	get(t, server, "platform-live", "/audit").Want(t, 200, "").Into(t, &audit)
	if len(audit.Items) != 0 {
		t.Errorf("the audit has %+v", audit.Items)
	}
}

func TestUnchangedDeliveryIsNotModified(t *testing.T) {
	t.Parallel()
	server := hooked(t)
	id := post(t, server, "platform-live", "/webhooks/endpoints/mis/test"+ofAcme, reason).Want(t, 202, "").Text(t, "id")
	path := "/webhooks/deliveries/" + id + ofAcme
	tag := get(t, server, "platform-reads", path).Want(t, 200, "").Header.Get("Etag")
	again := func(tag string) apitest.Answer {
		return server.Do(t, apitest.Request{Method: "GET", Path: root + path, Key: "platform-reads", Header: map[string]string{"If-None-Match": tag}})
	}
	for range 2 {
		same := again(tag).Want(t, 304, "")
		if same.Header.Get("Etag") != tag || same.Header.Get("Cache-Control") != "private, no-cache" || len(same.Body) != 0 {
			t.Errorf("a 304 with %v and %d bytes", same.Header, len(same.Body))
		}
		server.Advance(time.Second)
		post(t, server, "platform-live", "/webhooks/deliveries/"+id+"/redeliver"+ofAcme, reason).Want(t, 202, "")
		changed := again(tag).Want(t, 200, "")
		if changed.Header.Get("Etag") == tag || changed.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("after redelivery: header %v, want another tag than %s", changed.Header, tag)
		}
		tag = changed.Header.Get("Etag")
	}
	// Ownership is checked before the tag.
	server.Do(t, apitest.Request{Method: "GET", Path: root + "/webhooks/deliveries/" + id + "?organization=org_stark1", Key: "platform-reads", Header: map[string]string{"If-None-Match": tag}}).
		Want(t, 404, problem.CodeNotFound)
}

func TestOperatorsListDeliveriesInPages(t *testing.T) {
	t.Parallel()
	server := hooked(t)
	var ids [3]string
	for i := range ids {
		server.Advance(time.Second)
		ids[i] = post(t, server, "platform-live", "/webhooks/endpoints/mis/test"+ofAcme, reason).Want(t, 202, "").Text(t, "id")
	}
	var page struct{ Items []struct{ ID string } }
	get(t, server, "platform-live", "/webhooks/deliveries"+ofAcme+"&limit=2&endpoint=mis&state=pending&type=webhook.test&before="+ids[2]).Want(t, 200, "").Into(t, &page)
	if len(page.Items) != 2 || page.Items[0].ID != ids[1] || page.Items[1].ID != ids[0] {
		t.Errorf("before the last: %v, want %v", page.Items, ids[:2])
	}
	for _, query := range []string{ofAcme + "&before=x", ofAcme + "&limit=101", ofAcme + "&state=x", "", "?organization="} {
		get(t, server, "platform-live", "/webhooks/deliveries"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}
