// SPDX-License-Identifier: Apache-2.0

package recordid_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

var nine = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestIDsHaveTheFormOfTheirPrefix(t *testing.T) {
	t.Parallel()
	for _, prefix := range []recordid.Prefix{recordid.RFQ, recordid.Quote, recordid.Job, recordid.Event} {
		id, err := recordid.New(prefix, nine, rand.Reader)
		if err != nil {
			t.Fatalf("recordid.New: %v", err)
		}
		if !recordid.Valid(prefix, id) {
			t.Errorf("IsID(%q, %q) = false", prefix, id)
		}
		for name, other := range map[string]string{
			"another prefix": "x" + id, "shorter": id[:len(id)-1], "longer": id + "0", "a letter that the alphabet lacks": id[:len(id)-1] + "U",
			"lower case": strings.ToLower(id), "no prefix": strings.TrimPrefix(id, string(prefix)), "empty": "",
		} {
			if recordid.Valid(prefix, other) {
				t.Errorf("%s: IsID(%q, %q) = true", name, prefix, other)
			}
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, age := range []time.Duration{0, time.Millisecond, time.Second, 40 * 24 * time.Hour, 200 * 365 * 24 * time.Hour} {
		id, err := recordid.New(recordid.RFQ, nine.Add(age), rand.Reader)
		if err != nil {
			t.Fatalf("recordid.New: %v", err)
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
		id, err := recordid.New(recordid.RFQ, nine, bytes.NewReader(entropy))
		if err != nil {
			t.Fatalf("recordid.New: %v", err)
		}
		seen[id] = bit
	}
	if len(seen) != 80 {
		t.Errorf("80 different random bits gave %d ids", len(seen))
	}
}

func TestFailingRandomSourceIsAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	if id, err := recordid.New(recordid.RFQ, nine, iotest.ErrReader(broken)); id != "" || !errors.Is(err, broken) {
		t.Errorf("NewID = %q, %v; want the source's error", id, err)
	}
	if event, err := transaction.NewEvent(transaction.RFQCreated, "rfq_", nine, iotest.ErrReader(broken)); event != (transaction.Event{}) || !errors.Is(err, broken) {
		t.Errorf("NewEvent = %v, %v; want the source's error", event, err)
	}
}

func FuzzIsID(f *testing.F) {
	f.Add("rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ")
	f.Add("rfq_")
	f.Fuzz(func(t *testing.T, text string) {
		if recordid.Valid(recordid.RFQ, text) && (len(text) != 30 || !strings.HasPrefix(text, "rfq_")) {
			t.Errorf("IsID(%q) = true", text)
		}
	})
}
