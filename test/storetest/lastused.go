// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

var keyUseCases = map[string]func(*testing.T, *fixture){
	"the use of a key only ever moves forward":    usesMoveForward,
	"each scope of a key has a use of its own":    scopesMoveForward,
	"replicas that mark the same keys all get on": usesRace,
}

func digest(n uint64) (d credential.Digest) {
	binary.BigEndian.PutUint64(d[:], n)
	return d
}

func (w *fixture) uses(t *testing.T, keys ...credential.Digest) []credential.Use {
	t.Helper()
	uses, err := w.store.KeyUses(t.Context(), keys)
	if err != nil {
		t.Fatalf("w.store.KeyUses: %v", err)
	}
	slices.SortFunc(uses, func(a, b credential.Use) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return uses
}

func usesMoveForward(t *testing.T, w *fixture) {
	at := func(minutes int) time.Time {
		return time.Date(2026, 11, 20, 9, minutes, 0, 0, time.UTC)
	}
	if uses := w.uses(t, digest(1)); len(uses) != 0 {
		t.Errorf("uses of an empty store: %v", uses)
	}
	if uses := w.uses(t); len(uses) != 0 {
		t.Errorf("uses of no keys: %v", uses)
	}
	for _, uses := range [][]credential.Use{
		{{Key: digest(2), At: at(5)}, {Key: digest(1), At: at(5)}},
		{{Key: digest(1), At: at(3)}, {Key: digest(2), At: at(6)}},
		{},
	} {
		if err := w.store.MarkKeysUsed(t.Context(), uses); err != nil {
			t.Fatalf("w.store.MarkKeysUsed: %v", err)
		}
	}
	want := []credential.Use{{Key: digest(1), At: at(5), Since: at(3)}, {Key: digest(2), At: at(6), Since: at(5)}}
	wantEqual(t, "uses", want, w.uses(t, digest(3), digest(2), digest(1)))
	wantEqual(t, "uses of one", want[1:], w.uses(t, digest(2)))
}

func scopesMoveForward(t *testing.T, w *fixture) {
	at := func(minutes int) time.Time { return time.Date(2026, 11, 20, 9, minutes, 0, 0, time.UTC) }
	for _, use := range []credential.Use{
		{At: at(5)},
		{At: at(6), Scopes: map[string]time.Time{"rfq:read": at(6), "rfq:write": at(4)}},
		{At: at(4), Scopes: map[string]time.Time{"rfq:read": at(3), "rfq:write": at(5)}},
		{At: at(7), Scopes: map[string]time.Time{"quote:read": at(7)}},
	} {
		use.Key = digest(1)
		if err := w.store.MarkKeysUsed(t.Context(), []credential.Use{use}); err != nil {
			t.Fatalf("w.store.MarkKeysUsed: %v", err)
		}
	}
	wantEqual(t, "uses", []credential.Use{{
		Key: digest(1), At: at(7), Since: at(4), Scopes: map[string]time.Time{"rfq:read": at(6), "rfq:write": at(5), "quote:read": at(7)},
	}}, w.uses(t, digest(1)))
}

func usesRace(t *testing.T, w *fixture) {
	const keys = 50
	for i, err := range concurrently(8, func(i int) error {
		var uses []credential.Use
		for n := range uint64(keys) {
			uses = append(uses, credential.Use{Key: digest(n), At: time.Date(2026, 11, 20, 9, i, 0, 0, time.UTC)})
		}
		if i%2 == 1 {
			slices.Reverse(uses)
		}
		return w.store.MarkKeysUsed(t.Context(), uses)
	}) {
		if err != nil {
			t.Errorf("replica %d: %v", i, err)
		}
	}
	for n := range uint64(keys) {
		if uses := w.uses(t, digest(n)); len(uses) != 1 || uses[0].At.Minute() != 7 {
			t.Errorf("uses of %d: %v, want the latest", n, uses)
		}
	}
}
