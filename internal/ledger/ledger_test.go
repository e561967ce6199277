// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/printmarket/printmarket/internal/ledger"
)

var nine = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestQuotaWindowsAreAlignedToTheEpoch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		window     time.Duration
		now        time.Time
		start, end time.Time
	}{
		"a day begins at midnight UTC": {
			24 * time.Hour, nine.Add(30 * time.Minute),
			time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		},
		"its first instant belongs to a window": {time.Hour, nine, nine, nine.Add(time.Hour)},
		"its last instant does too":             {time.Hour, nine.Add(time.Hour - 1), nine, nine.Add(time.Hour)},
		"the zone of the clock does not matter": {
			24 * time.Hour, nine.In(time.FixedZone("", 11*3600)),
			time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quota := ledger.Quota{Window: tc.window}
			if start, end := quota.Start(tc.now), quota.End(tc.now); start != tc.start || end != tc.end {
				t.Errorf("window = %s to %s, want %s to %s", start, end, tc.start, tc.end)
			}
		})
	}
}

func TestIDsHaveTheFormOfTheirPrefix(t *testing.T) {
	t.Parallel()
	for _, prefix := range []ledger.Prefix{ledger.RFQPrefix, ledger.QuotePrefix, ledger.JobPrefix, ledger.EventPrefix} {
		id, err := ledger.NewID(prefix, nine, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if !ledger.IsID(prefix, id) {
			t.Errorf("IsID(%q, %q) = false", prefix, id)
		}
		for name, other := range map[string]string{
			"another prefix": "x" + id, "shorter": id[:len(id)-1], "longer": id + "0", "a letter that the alphabet lacks": id[:len(id)-1] + "U",
			"lower case": strings.ToLower(id), "no prefix": strings.TrimPrefix(id, string(prefix)), "empty": "",
		} {
			if ledger.IsID(prefix, other) {
				t.Errorf("%s: IsID(%q, %q) = true", name, prefix, other)
			}
		}
	}
}

func TestIDsSortByTheTimeOfTheirBirth(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, age := range []time.Duration{0, time.Millisecond, time.Second, 40 * 24 * time.Hour, 200 * 365 * 24 * time.Hour} {
		id, err := ledger.NewID(ledger.RFQPrefix, nine.Add(age), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("ids of growing times do not sort: %v", ids)
	}
}

func TestIDsCarryEveryRandomBit(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for bit := range 80 {
		entropy := make([]byte, 10)
		entropy[bit/8] = 1 << (bit % 8)
		id, err := ledger.NewID(ledger.RFQPrefix, nine, bytes.NewReader(entropy))
		if err != nil {
			t.Fatal(err)
		}
		seen[id] = bit
	}
	if len(seen) != 80 {
		t.Errorf("80 different random bits gave %d ids", len(seen))
	}
}

func TestARandomSourceThatFailsMintsNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	if id, err := ledger.NewID(ledger.RFQPrefix, nine, iotest.ErrReader(broken)); id != "" || !errors.Is(err, broken) {
		t.Errorf("NewID = %q, %v; want the source's error", id, err)
	}
	if event, err := ledger.NewEvent(ledger.RFQCreated, "rfq_", nine, iotest.ErrReader(broken)); event != (ledger.Event{}) || !errors.Is(err, broken) {
		t.Errorf("NewEvent = %v, %v; want the source's error", event, err)
	}
}

func FuzzIsID(f *testing.F) {
	f.Add("rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ")
	f.Add("rfq_")
	f.Fuzz(func(t *testing.T, text string) {
		if ledger.IsID(ledger.RFQPrefix, text) && (len(text) != 30 || !strings.HasPrefix(text, "rfq_")) {
			t.Errorf("IsID(%q) = true", text)
		}
	})
}
