// SPDX-License-Identifier: Apache-2.0

package transaction_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestAnchorFileVerifiesAChainAgainstItsAnchors(t *testing.T) {
	t.Parallel()
	const length = 250 // three pages
	chain := chainOf(length)
	anchorOf := func(sequence int64) transaction.AuditAnchor {
		return transaction.AuditAnchor{Mode: tenant.Live, Sequence: sequence, Hash: chain[sequence-1].Hash.String()}
	}
	wrong := anchorOf(5)
	wrong.Hash = chain[0].Hash.String()
	sandbox := wrong
	sandbox.Mode = tenant.Test
	for name, tc := range map[string]struct {
		anchors []transaction.AuditAnchor
		// stored is the number of entries that the database still has.
		stored, broken int64
	}{
		"a chain without anchors":                {nil, length, 0},
		"anchors on every page":                  {[]transaction.AuditAnchor{anchorOf(3), anchorOf(120), anchorOf(length)}, length, 0},
		"an anchor of the other mode":            {[]transaction.AuditAnchor{sandbox}, length, 0},
		"an anchor with another hash":            {[]transaction.AuditAnchor{wrong}, length, 5},
		"missing entries after the last anchor":  {[]transaction.AuditAnchor{anchorOf(120)}, 200, 201},
		"missing entries before the last anchor": {[]transaction.AuditAnchor{anchorOf(length)}, 100, 101},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := transaction.AnchorFile(filepath.Join(t.TempDir(), "anchors"))
			for _, anchor := range tc.anchors {
				if err := file.Append(anchor); err != nil {
					t.Fatalf("Append: %v", err)
				}
			}
			end, err := file.Verify(time.Unix(1000, 5), func(after int64, limit int) (tenant.Mode, transaction.AuditChain, error) {
				page := chain[min(after, tc.stored):min(after+int64(limit), tc.stored)]
				return tenant.Live, transaction.AuditChain{Entries: page, Head: transaction.AuditHead{Sequence: length}}, nil
			})
			var broken *transaction.BrokenChainError
			if errors.As(err, &broken) != (tc.broken > 0) || broken != nil && broken.Sequence != tc.broken {
				t.Errorf("Verify: %v, want the first broken entry %d", err, tc.broken)
			}
			if err == nil && (end.Sequence != length || end.Hash != chain[length-1].Hash.String() || !end.At.Equal(time.Unix(1000, 0))) {
				t.Errorf("Verify = %+v, want the end of the chain", end)
			}
		})
	}
}
