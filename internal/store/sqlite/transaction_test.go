// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/transaction"
)

func TestPurgeErasesOnlyExpiredKeysAndWindows(t *testing.T) {
	t.Parallel()
	store := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	rfqs, _, err := services(store)
	if err != nil {
		t.Fatalf("services: %v", err)
	}
	if _, err := rfqs.Create(t.Context(), crasher, crashBody, crashTerms("k1")); err != nil {
		t.Fatalf("rfqs.Create: %v", err)
	}
	tests := []struct {
		name         string
		at           time.Time
		keys, quotas int
	}{
		{"within the window", testTime, 1, 1},
		{"when the window has ended", crashDay.End(testTime), 1, 0},
		{"just within the retention of keys", testTime.Add(transaction.KeyRetention - time.Millisecond), 1, 0},
		{"when the retention has ended", testTime.Add(transaction.KeyRetention), 0, 0},
	}
	for _, tc := range tests {
		if err := store.PurgeKeysAndQuotas(t.Context(), tc.at); err != nil {
			t.Fatalf("store.PurgeKeysAndQuotas: %v", err)
		}
		var keys, quotas int
		if err := store.reader.QueryRowContext(t.Context(),
			`SELECT (SELECT count(*) FROM idempotency), (SELECT count(*) FROM quota)`).Scan(&keys, &quotas); err != nil {
			t.Fatalf("store.reader.QueryRowContext: %v", err)
		}
		if keys != tc.keys || quotas != tc.quotas {
			t.Errorf("%s: %d keys and %d windows are left, want %d and %d", tc.name, keys, quotas, tc.keys, tc.quotas)
		}
	}
}

func TestPathMayContainCharactersWithAMeaningInAURI(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "50% of? records#1.db")
	openStore(t, path)
	if _, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("a second open succeeded, want ErrLocked: the lock is on another file than the database")
	}
}

// BenchmarkCreateRFQ measures rfq.Create on a real file: idempotency, quota, record, outbox, and
// the synchronization of the disk, which takes most of the time.
func BenchmarkCreateRFQ(b *testing.B) {
	for name, parallelism := range map[string]int{"one caller": 0, "16 callers per core": 16} {
		b.Run(name, func(b *testing.B) {
			rfqs, _, err := services(openStore(b, filepath.Join(b.TempDir(), "records.db")))
			if err != nil {
				b.Fatalf("services: %v", err)
			}
			create := func() {
				if _, err := rfqs.Create(b.Context(), crasher, crashBody, crashTerms(rand.Text())); err != nil {
					b.Errorf("rfqs.Create: %v", err)
				}
			}
			b.ReportAllocs()
			if parallelism == 0 {
				for b.Loop() {
					create()
				}
				return
			}
			b.SetParallelism(parallelism)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					create()
				}
			})
		})
	}
}

// BenchmarkReplayRFQ measures a repeated key: a transaction that writes nothing.
func BenchmarkReplayRFQ(b *testing.B) {
	rfqs, _, err := services(openStore(b, filepath.Join(b.TempDir(), "records.db")))
	if err != nil {
		b.Fatalf("services: %v", err)
	}
	for b.Loop() {
		if _, err := rfqs.Create(b.Context(), crasher, crashBody, crashTerms("k1")); err != nil {
			b.Fatalf("rfqs.Create: %v", err)
		}
	}
}
