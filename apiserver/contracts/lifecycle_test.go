// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

func TestDeprecatedOperationStatesDateSunsetAndNotice(t *testing.T) {
	t.Parallel()
	day := func(year int, month time.Month, day, hour int) time.Time {
		return time.Date(year, month, day, hour, 0, 0, 0, time.UTC)
	}
	const notice = "/docs/api/openapi.yaml"
	tests := map[string]struct {
		members string
		want    contracts.Lifecycle
		failure string
	}{
		"a current operation": {"summary: x", contracts.Lifecycle{}, ""},
		"deprecated: false":   {"deprecated: false", contracts.Lifecycle{}, ""},
		"days": {
			"{deprecated: true, x-deprecated-at: 2026-10-01, x-sunset: 2027-04-01}",
			contracts.Lifecycle{Deprecated: day(2026, 10, 1, 0), Sunset: day(2027, 4, 1, 0), Notice: notice},
			"",
		},
		"instants and a successor": {
			`{deprecated: true, x-deprecated-at: "2026-10-01T06:00:00Z", x-sunset: 2026-10-01T08:00:00+02:00, x-successor: "/api/v2/things"}`,
			contracts.Lifecycle{Deprecated: day(2026, 10, 1, 6), Sunset: day(2026, 10, 1, 6), Notice: notice, Successor: "/api/v2/things"},
			"",
		},
		"no dates":                           {"deprecated: true", contracts.Lifecycle{}, "x-deprecated-at is no date"},
		"no sunset":                          {"{deprecated: true, x-deprecated-at: 2026-10-01}", contracts.Lifecycle{}, "x-sunset is no date"},
		"a sunset that comes first":          {"{deprecated: true, x-deprecated-at: 2026-10-02, x-sunset: 2026-10-01}", contracts.Lifecycle{}, "x-sunset is before"},
		"an invalid date":                    {`{deprecated: true, x-deprecated-at: "2026-02-30", x-sunset: 2027-01-01}`, contracts.Lifecycle{}, "neither a date nor an instant"},
		"a date that is a number":            {"{deprecated: true, x-deprecated-at: 1790812800, x-sunset: 2027-01-01}", contracts.Lifecycle{}, "x-deprecated-at is no date"},
		"a date before year 1":               {`{deprecated: true, x-deprecated-at: "0001-01-01", x-sunset: 2027-01-01}`, contracts.Lifecycle{}, "neither a date"},
		"a sunset of a current operation":    {"x-sunset: 2027-01-01", contracts.Lifecycle{}, "not deprecated"},
		"a successor of a current operation": {"x-successor: /api/v2/things", contracts.Lifecycle{}, "not deprecated"},
		"a successor on another host":        {"{deprecated: true, x-deprecated-at: 2026-10-01, x-sunset: 2027-01-01, x-successor: //elsewhere.example/x}", contracts.Lifecycle{}, "x-successor"},
		"an absolute successor":              {"{deprecated: true, x-deprecated-at: 2026-10-01, x-sunset: 2027-01-01, x-successor: 'https://elsewhere.example/x'}", contracts.Lifecycle{}, "x-successor"},
		"a successor with parameters":        {"{deprecated: true, x-deprecated-at: 2026-10-01, x-sunset: 2027-01-01, x-successor: '/x>; rel=next'}", contracts.Lifecycle{}, "x-successor"},
		"a successor that is a list":         {"{deprecated: true, x-deprecated-at: 2026-10-01, x-sunset: 2027-01-01, x-successor: [/x]}", contracts.Lifecycle{}, "x-successor"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			members := tc.members
			if !strings.HasPrefix(members, "{") {
				members = "{" + members + "}"
			}
			set, err := contracts.Load(files(fmt.Sprintf("paths: {/things: {get: %s}}", members)))
			if tc.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tc.failure) || !strings.Contains(err.Error(), "GET /things") {
					t.Errorf("error %v, want one of GET /things with %q", err, tc.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := set.Lifecycle(contracts.Operation{Contract: contracts.Partner, Method: "GET", Path: "/things"})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lifecycle (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzLifecycle looks for a lifecycle that cannot be written into header fields.
func FuzzLifecycle(f *testing.F) {
	f.Add("2026-10-01", "2027-04-01", "/api/v2/things")
	f.Add("2026-10-01T00:00:00Z", "x", "/\r\nSet-Cookie: a=b")
	f.Fuzz(func(t *testing.T, since, until, successor string) {
		set, err := contracts.Load(files(fmt.Sprintf("paths: {/things: {get: {deprecated: true, x-deprecated-at: %q, x-sunset: %q, x-successor: %q}}}", since, until, successor)))
		if err != nil {
			return
		}
		end := set.Lifecycle(contracts.Operation{Contract: contracts.Partner, Method: "GET", Path: "/things"})
		if end.Sunset.Before(end.Deprecated) || strings.ContainsAny(end.Successor, "<>\"\r\n\x00") || !strings.HasPrefix(end.Successor, "/") {
			t.Fatalf("%+v", end)
		}
	})
}
