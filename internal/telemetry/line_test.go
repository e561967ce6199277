// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPlainLinesEqualThoseOfSlog gives the same records to both handlers.
func TestPlainLinesEqualThoseOfSlog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 120_000_000, time.FixedZone("CET", 3600))
	tests := map[string]struct {
		at      time.Time
		level   slog.Level
		message string
		attrs   []slog.Attr
		plain   bool
	}{
		"a request": {at, slog.LevelInfo, "request", []slog.Attr{
			slog.String("requestId", "req_01"), slog.String("route", "/api/v1/rfq/{rfqId}"), slog.Int("status", 200),
			slog.Int64("bytes", math.MinInt64), slog.Float64("ms", 0.412), slog.String("code", ""),
		}, true},
		"a line without attributes":          {at, slog.LevelError, "panic", nil, true},
		"a level between those with a name":  {at, slog.LevelWarn + 2, "x", nil, true},
		"whole and negative numbers":         {at, 0, "x", []slog.Attr{slog.Float64("a", 3), slog.Float64("b", -0.25), slog.Float64("c", 0)}, true},
		"the negative zero":                  {at, 0, "x", []slog.Attr{slog.Float64("a", math.Copysign(0, -1))}, true},
		"markup, which JSON need not escape": {at, 0, "x", []slog.Attr{slog.String("a", "<b>&'")}, true},
		"numbers that have an exponent":      {at, 0, "x", []slog.Attr{slog.Float64("a", 1e-7), slog.Float64("b", 1e21)}, false},
		"an infinity and a NaN":              {at, 0, "x", []slog.Attr{slog.Float64("a", math.Inf(1)), slog.Float64("b", math.NaN())}, false},
		"a quote":                            {at, 0, "x", []slog.Attr{slog.String("a", `"`)}, false},
		"a backslash":                        {at, 0, `\`, nil, false},
		"a line break":                       {at, 0, "x\ny", nil, false},
		"another alphabet":                   {at, 0, "x", []slog.Attr{slog.String("å", "é")}, false},
		"a secret":                           {at, 0, "x", []slog.Attr{slog.String("a", "Bearer abc")}, false},
		"a secret in the message":            {at, 0, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", nil, false},
		"a secret in a name":                 {at, 0, "x", []slog.Attr{slog.String("https://u:p@h", "")}, false},
		"an error":                           {at, 0, "x", []slog.Attr{slog.Any("error", errors.New("sha256=00"))}, false},
		"a group":                            {at, 0, "x", []slog.Attr{slog.Group("g", "a", 1)}, false},
		"a nameless value":                   {at, 0, "x", []slog.Attr{slog.String("", "a")}, false},
		"an empty attribute":                 {at, 0, "x", []slog.Attr{{}}, false},
		"a record without a time":            {time.Time{}, 0, "x", nil, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := slog.NewRecord(tc.at, tc.level, tc.message, 0)
			record.AddAttrs(tc.attrs...)
			if plain := new(line).record(&record); plain != tc.plain {
				t.Errorf("plain is %t, want %t", plain, tc.plain)
			}
			var want, got bytes.Buffer
			general := slog.NewJSONHandler(&redactingWriter{to: &want}, &slog.HandlerOptions{ReplaceAttr: replace})
			if err := general.Handle(t.Context(), record); err != nil {
				t.Fatalf("general.Handle: %v", err)
			}
			if err := NewLogger(&got, slog.LevelDebug).Handler().Handle(t.Context(), record); err != nil {
				t.Fatalf("NewLogger().Handler().Handle: %v", err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("line (-slog +ours):\n%s", diff)
			}
		})
	}
}

func TestLoggersWithAttributesKeepThem(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLogger(&out, slog.LevelInfo).With("who", "acme").WithGroup("g").Info("x", "a", 1)
	if got := out.Bytes(); !bytes.HasSuffix(got, []byte(`"msg":"x","who":"acme","g":{"a":1}}`+"\n")) {
		t.Errorf("line %s, want the attributes of both loggers", got)
	}
}

// TestLinesOfBothHandlersDoNotMix writes plain and other lines at once.
func TestLinesOfBothHandlersDoNotMix(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := NewLogger(&out, slog.LevelInfo)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				if i%2 == 0 {
					log.LogAttrs(context.Background(), slog.LevelInfo, "plain", slog.Int("n", i))
				} else {
					log.Info("other", "n", []int{i})
				}
			}
		})
	}
	all.Wait()
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 800 {
		t.Fatalf("%d lines, want 800", len(lines))
	}
	for _, l := range lines {
		if !bytes.HasPrefix(l, []byte(`{"time":"`)) || !bytes.HasSuffix(l, []byte("}")) {
			t.Fatalf("line %q, want one whole record", l)
		}
	}
}
