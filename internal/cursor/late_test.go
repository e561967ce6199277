// SPDX-License-Identifier: Apache-2.0

package cursor_test

import (
	"errors"
	"testing"

	"github.com/printmarket/printmarket/internal/cursor"
)

func TestLateSealsOnceItHasAKey(t *testing.T) {
	t.Parallel()
	scope := cursor.Scope{Tenant: "org_acme01", Query: "rfqs"}
	var late cursor.Late
	if _, err := late.Seal(scope, "position"); !errors.Is(err, cursor.ErrNoKey) {
		t.Errorf("sealed without a key: %v", err)
	}
	if _, err := late.Open(scope, "anything"); !errors.Is(err, cursor.ErrNoKey) {
		t.Errorf("opened without a key: %v", err)
	}
	if err := late.Use([32]byte{1}); err != nil {
		t.Fatalf("late.Use: %v", err)
	}
	sealed, err := late.Seal(scope, "position")
	if err != nil {
		t.Fatalf("late.Seal: %v", err)
	}
	if position, err := late.Open(scope, sealed); err != nil || position != "position" {
		t.Errorf("opened %q, %v", position, err)
	}
	if err := late.Use([32]byte{2}); err != nil {
		t.Fatalf("late.Use: %v", err)
	}
	if _, err := late.Open(scope, sealed); !errors.Is(err, cursor.ErrInvalid) {
		t.Errorf("a cursor of the former key: %v", err)
	}
}
