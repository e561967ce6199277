// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// auditStub is an audit, newest first.
type auditStub []transaction.AuditEntry

// AuditEntries implements dashboard.Audit.
func (a auditStub) AuditEntries(_ context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error) {
	if mode != tenant.Live {
		return nil, fmt.Errorf("mode %s", mode)
	}
	var found []transaction.AuditEntry
	for _, entry := range a {
		if (before == "" || entry.ID < before) && len(found) < limit {
			found = append(found, entry)
		}
	}
	return found, nil
}

// audited returns n entries, an hour apart, of which every third enables a webhook of stark.
func audited(n int, mark string) auditStub {
	var all auditStub
	for i := range n {
		entry := transaction.AuditEntry{
			ID: fmt.Sprintf("aud_%026d", n-i), At: noon.Add(-time.Duration(i) * time.Hour), Verb: transaction.CloseRFQ, Subject: fmt.Sprint("rfq_", i) + mark, Reason: "no answer" + mark,
			Actor: transaction.Actor{Organization: "org_market", Key: "ada" + mark, RequestID: "req-1"}, Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live},
		}
		if i%3 == 0 {
			entry.Verb, entry.Owner.Organization, entry.Actor.Key = transaction.EnableWebhook, "org_stark1", "bob"
		}
		all = append(all, entry)
	}
	return all
}

func TestAuditIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Audit = audited(120, "") })
	operator := d.signedIn(t, "platform-live")
	golden(t, "ops-audit", operator.get(t, "/ops/audit?action=webhook.enable&since=2026-11-20T00:00").text)
	record := regexp.MustCompile(`>rfq_(\d+)</code>`)
	older := regexp.MustCompile(`<a href="([^"]+)" rel="next">`)
	for name, tc := range map[string]struct {
		query       string
		rows, pages int
	}{
		"everything":                  {"", 120, 3},
		"an action":                   {"action=webhook.enable", 40, 1},
		"part of the name of the key": {"actor=bo", 40, 1},
		"an organization":             {"organization=org_acme01", 80, 2},
		"a period":                    {"since=2026-11-20T02:30", 10, 1},
		"nothing":                     {"actor=unknown", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			seen, pages := map[string]bool{}, 0
			for path := "/ops/audit?" + tc.query; path != ""; pages++ {
				page := operator.get(t, path).want(t, http.StatusOK, "Audit")
				for _, match := range record.FindAllStringSubmatch(page.text, -1) {
					seen[match[1]] = true
				}
				path = strings.ReplaceAll(found(older, page.text), "&amp;", "&")
			}
			if diff := cmp.Diff([]int{tc.rows, tc.pages}, []int{len(seen), pages}); diff != "" {
				t.Errorf("rows and pages (-want +got):\n%s", diff)
			}
		})
	}
	for _, query := range []string{"action=drop", "since=yesterday", "before=x", "actor=" + strings.Repeat("x", 101)} {
		operator.get(t, "/ops/audit?"+query).want(t, http.StatusBadRequest, "Invalid request")
	}
}

// TestAuditSearchIsBounded looks for an entry that the filter does not select.
func TestAuditSearchIsBounded(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Audit = audited(1500, "") })
	d.signedIn(t, "platform-live").get(t, "/ops/audit?actor=unknown").want(t, http.StatusOK, "1000 entries were searched; continue with older entries.")
}
