// SPDX-License-Identifier: Apache-2.0

package webhooksapi_test

import (
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/webhooksapi"
)

// FuzzSince checks that parsed times survive a round trip.
func FuzzSince(f *testing.F) {
	for _, seed := range []string{"", "2026-11-20T09:00:00Z", "2026-11-20t09:00:00.5z", "2026-11-20T09:00:00,5Z", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := webhooksapi.Since(text)
		if err != nil {
			return
		}
		again, err := webhooksapi.Since(at.Format(time.RFC3339Nano))
		if year := at.Year(); year >= 0 && year <= 9999 && (err != nil || !again.Equal(at)) {
			t.Errorf("%q is %s, which is read as %s (%v)", text, at, again, err)
		}
	})
}

// FuzzFilter checks that accepted filters contain only valid values.
func FuzzFilter(f *testing.F) {
	f.Add("mis", "pending", "rfq.quoted", 20)
	f.Add("", "", "", 0)
	f.Add("Mis\x00", "PENDING", "rfq", 101)
	f.Fuzz(func(t *testing.T, endpoint, state, kind string, limit int) {
		q, err := webhooksapi.Filter{Endpoint: &endpoint, State: &state, Type: &kind, Limit: &limit}.Query()
		if err != nil {
			return
		}
		if q.Endpoint != endpoint || len(endpoint) > 63 || q.State == "" || len(q.Type) > 64 || q.Limit < 1 || q.Limit > webhooksapi.MaxLimit {
			t.Errorf("%q, %q, %q and %d were accepted as %+v", endpoint, state, kind, limit, q)
		}
		for _, text := range []string{endpoint, state, kind} {
			for _, r := range text {
				if r < '-' || r > 'z' {
					t.Errorf("%q contains the character %q", text, r)
				}
			}
		}
	})
}
