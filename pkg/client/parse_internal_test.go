// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRetryAfterIsReadAsSecondsOrADate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		field, date string
		want        time.Duration
		found       bool
	}{
		"nothing":                       {"", "", 0, false},
		"seconds":                       {"120", "", 2 * time.Minute, true},
		"seconds with space around":     {" 7 ", "", 7 * time.Second, true},
		"no seconds":                    {"0", "", 0, true},
		"a date, by the answer's own":   {"Fri, 20 Nov 2026 09:00:30 GMT", "Fri, 20 Nov 2026 09:00:00 GMT", 30 * time.Second, true},
		"a date, by our own clock":      {"Fri, 20 Nov 2026 12:00:05 GMT", "", 5 * time.Second, true},
		"a date that has passed":        {"Fri, 20 Nov 2026 11:00:00 GMT", "", 0, true},
		"more seconds than the maximum": {"4000000000", "", maxRetryAfter, true},
		"more digits than a number has": {"99999999999999999999", "", 0, false},
		"less than nothing":             {"-1", "", 0, false},
		"a text":                        {"soon", "", 0, false},
		"a fraction":                    {"1.5", "", 0, false},
	} {
		header := http.Header{}
		header.Set("Retry-After", tt.field)
		header.Set("Date", tt.date)
		if got, found := retryAfter(header, now); got != tt.want || found != tt.found {
			t.Errorf("%s: %s, %t; want %s, %t", name, got, found, tt.want, tt.found)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][2]string{{"1", ""}, {"86400", "x"}, {"Fri, 20 Nov 2026 12:00:05 GMT", "Fri, 20 Nov 2026 12:00:00 GMT"}, {"-3", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, field, date string) {
		header := http.Header{"Retry-After": {field}, "Date": {date}}
		if wait, found := retryAfter(header, time.Unix(0, 0)); wait < 0 || wait > maxRetryAfter || wait > 0 && !found {
			t.Errorf("%q at %q: %s, %t", field, date, wait, found)
		}
	})
}

func TestRateLimitsAreRead(t *testing.T) {
	t.Parallel()
	for field, want := range map[string][]RateLimit{
		``:                                   nil,
		`"partner";r=1999;t=1`:               {{Surface: "partner", Remaining: 1999, Reset: time.Second}},
		`"partner";r=3;t=10, "rfq";r=0;t=60`: {{Surface: "partner", Remaining: 3, Reset: 10 * time.Second}, {Surface: "rfq", Reset: time.Minute}},
		`"partner";r=3`:                      {{Surface: "partner", Remaining: 3}},
		`"partner";r=3;pk=:abc:;t=2`:         {{Surface: "partner", Remaining: 3, Reset: 2 * time.Second}},
		`partner;r=3;t=1`:                    nil,
		`"partner";r=-3;t=1`:                 nil,
		`"partner";t=1`:                      nil,
		`"";r=1;t=1`:                         nil,
		strings.Repeat(`"a";r=1;t=1,`, 1000): nil,
	} {
		if diff := cmp.Diff(want, parseRateLimit(field)); diff != "" {
			t.Errorf("%.40s (-want +got):\n%s", field, diff)
		}
	}
}

func TestRateLimitsOfFewSurfacesAreKept(t *testing.T) {
	t.Parallel()
	limits := &rateLimits{last: map[string]RateLimit{}}
	note := func(surface string, left int) {
		limits.keep(http.Header{"Ratelimit": {fmt.Sprintf(`"%s";r=%d;t=1`, surface, left)}}, time.Unix(int64(left), 0))
	}
	for i := range 3 * maxSurfaces {
		note(fmt.Sprint("s", i), 1)
	}
	note("s0", 7)
	if got, seen := limits.of("s0"); !seen || got.Remaining != 7 || got.At.Unix() != 7 || len(limits.last) != maxSurfaces {
		t.Errorf("limit %+v, seen %t, %d surfaces", got, seen, len(limits.last))
	}
}

func TestJobHasEndedByStatusOrWithoutRetryAfter(t *testing.T) {
	t.Parallel()
	for status, want := range map[PreflightStatus][2]bool{
		PreflightStatusQueued: {false, false}, PreflightStatusProcessing: {false, false},
		PreflightStatusSucceeded: {true, true}, PreflightStatusFailed: {true, true}, PreflightStatusCancelled: {true, true},
		"archived": {true, false},
	} {
		if got := [2]bool{ended(status, false), ended(status, true)}; got != want {
			t.Errorf("%s has ended, without and with Retry-After: %v, want %v", status, got, want)
		}
	}
}

func FuzzRateLimit(f *testing.F) {
	f.Add(`"partner";r=1999;t=1`)
	f.Add(`"partner";r=3;t=10, "rfq";r=0;t=60`)
	f.Fuzz(func(t *testing.T, field string) {
		all := parseRateLimit(field)
		for _, limit := range all {
			if limit.Remaining < 0 || limit.Reset < 0 || limit.Surface == "" {
				t.Errorf("%q: %+v", field, limit)
			}
		}
		if len(all) > maxSurfaces {
			t.Errorf("%d items", len(all))
		}
	})
}

func FuzzRefusal(f *testing.F) {
	f.Add(422, "application/problem+json", `{"type":"about:blank","status":422,"code":"PARTNER_RFQ_INVALID","detail":"d","requestId":"r","errors":[{"pointer":"#/title","detail":"d"}]}`)
	f.Add(502, "text/html; charset=utf-8", `<html>`)
	f.Add(503, "application/problem+json", `{"status":"x"}`)
	f.Fuzz(func(t *testing.T, status int, media, body string) {
		err := refusal(status, http.Header{"Content-Type": {media}}, []byte(body), time.Unix(0, 0))
		text := err.Error()
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("control characters in %q", text)
		}
		if len(text) > 16*maxText {
			t.Errorf("%d bytes of text", len(text))
		}
		var p *Problem
		if errors.As(err, &p) && p.Status != status {
			t.Errorf("status %d became %d", status, p.Status)
		}
	})
}

func TestTextOfServersIsShortAndPrintableInErrors(t *testing.T) {
	t.Parallel()
	p := &Problem{Status: 400, Code: "X", Detail: "a\x1b[2Jb\nc\u2028d\u0085e" + strings.Repeat("é", 10000)}
	for range 5 {
		p.Violations = append(p.Violations, Violation{"#/title", "is required"})
	}
	text := p.Error()
	if len(text) > 3*maxText || strings.ContainsAny(text, "\x1b\n\u2028\u0085") || !strings.HasSuffix(text, "; and 2 more") {
		t.Errorf("text %q", text)
	}
}
