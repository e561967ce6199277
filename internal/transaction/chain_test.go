// SPDX-License-Identifier: Apache-2.0

package transaction_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// chainOf returns a chain of valid entries.
func chainOf(entries int) (chain []transaction.ChainedEntry) {
	var head transaction.AuditHead
	for i := range entries {
		next := head.Extend(transaction.AuditEntry{
			ID: fmt.Sprintf("aud_%d", i+1), At: time.UnixMilli(int64(i)).UTC(), Verb: transaction.CloseRFQ, Subject: "rfq_1", Reason: "because",
			Actor: transaction.Actor{Organization: "org_ops001", Key: "operations", RequestID: "request-1"},
			Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live},
		}, fmt.Sprint("salt", i))
		chain, head = append(chain, next), transaction.AuditHead{Sequence: next.Sequence, Hash: next.Hash}
	}
	return chain
}

func TestVerifyNamesTheFirstChangedEntry(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func([]transaction.ChainedEntry) []transaction.ChainedEntry
		broken int64
	}{
		"an untouched chain is whole": {func(c []transaction.ChainedEntry) []transaction.ChainedEntry { return c }, 0},
		"a changed reason breaks its entry": {func(c []transaction.ChainedEntry) []transaction.ChainedEntry {
			c[2].Reason = "other"
			return c
		}, 3},
		"a changed key breaks its entry": {func(c []transaction.ChainedEntry) []transaction.ChainedEntry {
			c[1].Actor.Key = "other"
			return c
		}, 2},
		"a removed entry breaks its place": {func(c []transaction.ChainedEntry) []transaction.ChainedEntry { return append(c[:2], c[3:]...) }, 3},
		"an entry that was made to fit its digest breaks the next one": {func(c []transaction.ChainedEntry) []transaction.ChainedEntry {
			entry := c[1].AuditEntry
			entry.Reason = "other"
			c[1] = transaction.AuditHead{Sequence: 1, Hash: c[0].Hash}.Extend(entry, "salt")
			return c
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var head transaction.AuditHead
			var err error
			for _, entry := range tc.change(chainOf(4)) {
				if head, err = head.Verify(entry); err != nil {
					break
				}
			}
			var broken *transaction.BrokenChainError
			if errors.As(err, &broken) != (tc.broken > 0) || broken != nil && broken.Sequence != tc.broken {
				t.Errorf("error %v, want the first broken entry %d", err, tc.broken)
			}
		})
	}
}

func FuzzReadAnchors(f *testing.F) {
	f.Add(`{"at":"2026-11-24T00:00:00Z","mode":"live","sequence":6,"hash":"68"}` + "\n")
	f.Add("{}\n{")
	f.Fuzz(func(t *testing.T, text string) {
		anchors, err := transaction.ReadAnchors(strings.NewReader(text))
		if err != nil {
			return
		}
		hashes, count, err := transaction.AnchoredHashes(anchors, tenant.Live)
		if err == nil && (len(hashes) > count || count > len(anchors)) {
			t.Errorf("%d hashes of %d anchors of %d lines", len(hashes), count, len(anchors))
		}
	})
}

func TestContradictingAnchorsAreRejected(t *testing.T) {
	t.Parallel()
	first := transaction.AuditAnchor{Mode: tenant.Live, Sequence: 6, Hash: "aa"}
	other := first
	other.Hash = "bb"
	if _, _, err := transaction.AnchoredHashes([]transaction.AuditAnchor{first, other}, tenant.Live); err == nil {
		t.Error("AnchoredHashes accepted two hashes for one entry")
	}
	if hashes, count, err := transaction.AnchoredHashes([]transaction.AuditAnchor{first, first}, tenant.Live); err != nil || count != 2 || hashes[6] != "aa" {
		t.Errorf("AnchoredHashes = %v, %d, %v; want the hash aa of two anchors", hashes, count, err)
	}
}
