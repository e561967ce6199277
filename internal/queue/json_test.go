// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/queue"
)

func TestEntriesAndLooksHaveTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	morning := time.Date(2026, 11, 20, 9, 0, 0, 500_000_000, time.UTC)
	for want, value := range map[string]any{
		`{"id":"pref_1","organization":"org_acme01","mode":"live","state":"held","attempt":2,"lost":1,"holder":"<host>-1",` +
			`"order":"cancel","submitted":"2026-11-20T09:00:00.5Z","since":"2026-11-20T09:00:00.5Z"}`: queue.Entry{
			ID: "pref_1", Tenant: owner, State: queue.Held, Attempt: 2, Lost: 1, Holder: "<host>-1", Order: queue.OrderCancel,
			Submitted: morning, Since: morning,
		},
		`{"id":"","organization":"","mode":"","state":"dead","attempt":0,"lost":0,"reason":"a & b","buried":"2026-11-20T09:00:00.5Z"}`: queue.Entry{
			State: queue.Dead, Reason: "a & b", Buried: morning,
		},
		`{"open":0,"waiting":0,"held":0,"delayed":0,"dead":0,"reclaimed":0,"workers":0,"slots":0,"oldestAgeSeconds":0,"meanRunSeconds":0,` +
			`"drainedSeconds":0,"redisMemoryRatio":0,"redisDurable":false,"tenants":[]}`: queue.Overview{},
		`{"open":6,"waiting":3,"held":2,"delayed":1,"dead":4,"reclaimed":5,"workers":7,"slots":8,"oldestAgeSeconds":1.5,"meanRunSeconds":2,` +
			`"drainedSeconds":60,"redisMemoryRatio":0.5,"redisDurable":true,"fault":"maxmemory-policy is not noeviction",` +
			`"tenants":[{"organization":"org_acme01","mode":"live","waiting":3,"dispatched":2,"weight":10,"maxInFlight":4}]}`: queue.Overview{
			Stats: queue.Stats{
				Open: 6, Waiting: 3, Held: 2, Delayed: 1, Dead: 4, Reclaimed: 5, Consumers: 7, Slots: 8,
				OldestAge: 1500 * time.Millisecond, MeanRun: 2 * time.Second, DrainedFor: time.Minute,
			},
			Server: queue.Server{Memory: 0.5, Durable: true}, Fault: queue.ErrPolicy,
			Backlogs: []queue.Backlog{{Tenant: owner, Waiting: 3, Dispatched: 2, Share: queue.Share{Weight: 10, Most: 4}}},
		},
	} {
		var got bytes.Buffer
		encoder := json.NewEncoder(&got)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			t.Fatalf("encoder.Encode: %v", err)
		}
		if diff := cmp.Diff(want+"\n", got.String()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", value, diff)
		}
	}
}
