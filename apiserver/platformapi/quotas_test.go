// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

type quotaPage struct {
	Items []struct {
		Organization, Capability, ResetsAt string
		Limit, WindowSeconds, Used         int64
		Remaining, UsedIn30Days            int64
		BusiestDayUsed                     int64
	}
	NextCursor *string
}

func TestOperatorsSeeTheQuotaUseOfEveryPartner(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	create(t, server, "acme-live")
	server.Advance(24 * time.Hour)
	create(t, server, "acme-live")
	create(t, server, "acme-live")
	create(t, server, "acme-test")

	var all quotaPage
	get(t, server, "platform-reads", "/quotas").Want(t, 200, "").Into(t, &all)
	if len(all.Items) < 4 || all.NextCursor != nil {
		t.Fatalf("quotas %+v, want those of two capabilities of at least two organizations on one page", all)
	}
	for i := range all.Items {
		got := &all.Items[i]
		if i > 0 && got.Organization+"/"+got.Capability <= all.Items[i-1].Organization+"/"+all.Items[i-1].Capability {
			t.Errorf("%s/%s follows %s/%s, want an ascending order", got.Organization, got.Capability, all.Items[i-1].Organization, all.Items[i-1].Capability)
		}
		var want quotaPage
		want.Items = append(want.Items, *got)
		wanted := &want.Items[0]
		wanted.Used, wanted.UsedIn30Days, wanted.BusiestDayUsed = 0, 0, 0
		if got.Organization == "org_acme01" && got.Capability == "rfq-create" {
			wanted.Used, wanted.UsedIn30Days, wanted.BusiestDayUsed = 2, 3, 2
			if got.WindowSeconds != 86400 || got.ResetsAt != "2026-11-22T00:00:00.000Z" {
				t.Errorf("window %+v, want a day until 2026-11-22", got)
			}
		}
		wanted.Remaining = wanted.Limit - wanted.Used
		if diff := cmp.Diff(*wanted, *got); diff != "" {
			t.Errorf("%s/%s (-want +got):\n%s", got.Organization, got.Capability, diff)
		}
	}

	var paged quotaPage
	for query := ""; ; {
		var page quotaPage
		get(t, server, "platform-reads", "/quotas?limit=1"+query).Want(t, 200, "").Into(t, &page)
		paged.Items = append(paged.Items, page.Items...)
		if page.NextCursor == nil {
			break
		}
		query = "&cursor=" + *page.NextCursor
	}
	if diff := cmp.Diff(all, paged); diff != "" {
		t.Errorf("one by one (-want +got):\n%s", diff)
	}

	var one quotaPage
	get(t, server, "platform-test", "/quotas?organization=org_acme01&capability=rfq-create").Want(t, 200, "").Into(t, &one)
	if len(one.Items) != 1 || one.Items[0].Used != 1 {
		t.Errorf("of the sandbox %+v, want 1 RFQ", one)
	}
	get(t, server, "platform-reads", "/quotas?organization=org_unknown").Want(t, 200, "").Into(t, &one)
	if len(one.Items) != 0 {
		t.Errorf("of an unknown organization %+v, want none", one)
	}
	for _, query := range []string{"capability=rfq-list", "capability=unknown", "limit=0", "limit=101", "colour=red"} {
		get(t, server, "platform-reads", "/quotas?"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
}
