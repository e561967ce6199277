// SPDX-License-Identifier: Apache-2.0

package cursor_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/cursor"
)

var scope = cursor.Scope{Tenant: "org_acme01/live", Query: "rfq by descending id"}

func Example() {
	sealer, err := cursor.New([32]byte{ /* a secret that all replicas share */ })
	if err != nil {
		panic(err)
	}
	sealed, err := sealer.Seal(scope, "rfq_01KB0QXR80")
	if err != nil {
		panic(err)
	}
	position, err := sealer.Open(scope, sealed)
	fmt.Println(position, err)
	_, err = sealer.Open(cursor.Scope{Tenant: "org_stark1/live", Query: scope.Query}, sealed)
	fmt.Println(err)
	// Output:
	// rfq_01KB0QXR80 <nil>
	// invalid cursor
}

func newSealer(t testing.TB, key byte) *cursor.Sealer {
	t.Helper()
	sealer, err := cursor.New([32]byte{key})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	return sealer
}

func seal(t testing.TB, s *cursor.Sealer, scope cursor.Scope, position string) string {
	t.Helper()
	sealed, err := s.Seal(scope, position)
	if err != nil {
		t.Fatalf("s.Seal: %v", err)
	}
	return sealed
}

func TestCursorOpensOnlyInItsScope(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t, 1)
	sealed := seal(t, sealer, scope, "position")
	tests := map[string]struct {
		sealer *cursor.Sealer
		scope  cursor.Scope
		want   string
	}{
		"the same scope":                      {sealer, scope, "position"},
		"another replica with the key":        {newSealer(t, 1), scope, "position"},
		"another key":                         {newSealer(t, 2), scope, ""},
		"another organization":                {sealer, cursor.Scope{Tenant: "org_stark1/live", Query: scope.Query}, ""},
		"the other mode":                      {sealer, cursor.Scope{Tenant: "org_acme01/test", Query: scope.Query}, ""},
		"another filter":                      {sealer, cursor.Scope{Tenant: scope.Tenant, Query: "rfq by title"}, ""},
		"members that join to the same bytes": {sealer, cursor.Scope{Tenant: scope.Tenant + "r", Query: scope.Query[1:]}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.sealer.Open(tc.scope, sealed)
			if got != tc.want || (tc.want == "") != errors.Is(err, cursor.ErrInvalid) {
				t.Errorf("Open = %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func TestCursorWithAFlippedBitIsRejected(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t, 1)
	sealed, err := base64.RawURLEncoding.DecodeString(seal(t, sealer, scope, "position"))
	if err != nil {
		t.Fatalf("base64.RawURLEncoding.DecodeString: %v", err)
	}
	for i := range len(sealed) * 8 {
		sealed[i/8] ^= 1 << (i % 8)
		if _, err := sealer.Open(scope, base64.RawURLEncoding.EncodeToString(sealed)); !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("bit %d flipped: error = %v, want ErrInvalid", i, err)
		}
		sealed[i/8] ^= 1 << (i % 8)
	}
}

func TestInvalidCursorIsRejected(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t, 1)
	sealed := seal(t, sealer, scope, "position")
	for name, text := range map[string]string{
		"nothing":         "",
		"a bare position": "rfq_01KB0QXR80",
		"truncated":       sealed[:len(sealed)-1],
		"with more":       sealed + "A",
		"with padding":    sealed + "=",
		"twice":           sealed + sealed,
		"with a newline":  sealed[:4] + "\n" + sealed[4:],
		"huge":            strings.Repeat("A", 1<<20),
	} {
		if _, err := sealer.Open(scope, text); !errors.Is(err, cursor.ErrInvalid) {
			t.Errorf("%s: error = %v, want ErrInvalid", name, err)
		}
	}
}

func TestCursorsAreOpaqueSafeInURLsAndBounded(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t, 1)
	for _, length := range []int{0, 1, 30, cursor.MaxPosition} {
		position := strings.Repeat("p", length)
		sealed := seal(t, sealer, scope, position)
		if url.QueryEscape(sealed) != sealed || len(sealed) > cursor.MaxLength {
			t.Errorf("position of %d bytes seals to %q of %d characters", length, sealed, len(sealed))
		}
		if length > 8 && strings.Contains(sealed, base64.RawURLEncoding.EncodeToString([]byte(position))[:8]) {
			t.Error("the position can be read in the cursor")
		}
		if got, err := sealer.Open(scope, sealed); got != position || err != nil {
			t.Errorf("position of %d bytes opens as %q, %v", length, got, err)
		}
	}
	if _, err := sealer.Seal(scope, strings.Repeat("p", cursor.MaxPosition+1)); !errors.Is(err, cursor.ErrInvalid) {
		t.Errorf("a position that is too long: error = %v, want ErrInvalid", err)
	}
}

func TestSealingIsDeterministicAndNoncesDiffer(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t, 1)
	if seal(t, sealer, scope, "a") != seal(t, newSealer(t, 1), scope, "a") {
		t.Error("one position in one scope has two cursors")
	}
	const nonceText = 16
	seen := map[string]bool{}
	for _, sealed := range []string{
		seal(t, sealer, scope, "a"), seal(t, sealer, scope, "b"), seal(t, sealer, cursor.Scope{Tenant: scope.Tenant}, "a"),
		seal(t, sealer, cursor.Scope{Tenant: scope.Tenant, Query: scope.Query + "a"}, ""), seal(t, newSealer(t, 2), scope, "a"),
	} {
		if nonce := sealed[:nonceText]; seen[nonce] {
			t.Errorf("nonce %s is used for two positions", nonce)
		}
		seen[sealed[:nonceText]] = true
	}
}

func FuzzOpen(f *testing.F) {
	sealer := newSealer(f, 1)
	f.Add(seal(f, sealer, scope, "rfq_01KB0QXR80"))
	f.Add("")
	f.Add(strings.Repeat("A", cursor.MaxLength))
	f.Fuzz(func(t *testing.T, text string) {
		position, err := sealer.Open(scope, text)
		if err == nil && seal(t, sealer, scope, position) != text {
			t.Errorf("Open(%q) = %q, which seals to something else", text, position)
		}
	})
}
