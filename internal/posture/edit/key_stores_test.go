// SPDX-License-Identifier: Apache-2.0

package edit_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/tenant"
)

// memory is a store in memory. It rejects every change if fault is set.
type memory struct {
	keys  edit.Keys
	fault error
}

func (m *memory) Keys() edit.Keys { return m.keys }

func (m *memory) Scopes() []v1alpha1.Scope { return []v1alpha1.Scope{"rfq:read", "rfq:write"} }

func (m *memory) Change(_ context.Context, change func(edit.Keys) (edit.Keys, error)) error {
	keys, err := change(m.keys)
	if err == nil {
		err = m.fault
	}
	if err == nil {
		m.keys = keys
	}
	return err
}

// errLacking stands for a [edit.ScopeError].
var errLacking = errors.New("a scope is lacking")

func TestNewKeyIsReturnedOnlyIfItsEntryIsStored(t *testing.T) {
	t.Parallel()
	fault := errors.New("read-only")
	before := edit.Keys{{Name: "main", Kind: "Live", SHA256: strings.Repeat("a", 64), State: "Active", Scopes: []v1alpha1.Scope{"rfq:read"}}}
	issue := func(scopes []string) func(edit.KeyStore) (credential.Key, error) {
		return func(s edit.KeyStore) (credential.Key, error) {
			return edit.IssueKey(t.Context(), s, "next", tenant.Test, time.Time{}, scopes, rand.Reader)
		}
	}
	rotate := func(old string) func(edit.KeyStore) (credential.Key, error) {
		return func(s edit.KeyStore) (credential.Key, error) {
			return edit.RotateKey(t.Context(), s, old, "next", issuedAt, time.Time{}, rand.Reader)
		}
	}
	tests := map[string]struct {
		add        func(edit.KeyStore) (credential.Key, error)
		fault      error
		wantKind   v1alpha1.KeyKind
		wantScopes []v1alpha1.Scope
		wantErr    error
	}{
		"without scopes, the entry lists those of the partner": {
			add: issue(nil), wantKind: "Test", wantScopes: []v1alpha1.Scope{"rfq:read", "rfq:write"},
		},
		"an empty list of scopes opens nothing":      {add: issue([]string{}), wantKind: "Test", wantScopes: []v1alpha1.Scope{}},
		"a repeated scope is stored once":            {add: issue([]string{"rfq:read", "rfq:read"}), wantKind: "Test", wantScopes: []v1alpha1.Scope{"rfq:read"}},
		"a scope that the partner lacks is rejected": {add: issue([]string{"rfq:read", "quote:read"}), wantErr: errLacking},
		"a rotated key keeps kind and scopes":        {add: rotate("main"), wantKind: "Live", wantScopes: []v1alpha1.Scope{"rfq:read"}},
		"an unknown key cannot be rotated":           {add: rotate("none"), wantErr: edit.ErrNoKey},
		"a store that rejects the entry":             {add: issue(nil), fault: fault, wantErr: fault},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &memory{keys: before, fault: tc.fault}
			key, err := tc.add(store)
			var lacking *edit.ScopeError
			if errors.As(err, &lacking) {
				if diff := cmp.Diff([]v1alpha1.Scope{"quote:read"}, lacking.Lacking); diff != "" {
					t.Errorf("lacking scopes (-want +got):\n%s", diff)
				}
				err = errLacking
			}
			if !errors.Is(err, tc.wantErr) {
				t.Fatalf("error = %v, want %v", err, tc.wantErr)
			}
			if tc.wantErr != nil {
				if !key.IsZero() || len(store.keys) != len(before) {
					t.Errorf("key returned: %t, %d entries, want none and %d", !key.IsZero(), len(store.keys), len(before))
				}
				return
			}
			want := v1alpha1.APIKey{Name: "next", Kind: tc.wantKind, SHA256: key.Digest().String(), State: "Active", Scopes: tc.wantScopes}
			if diff := cmp.Diff(want, store.keys[len(before)]); diff != "" {
				t.Errorf("entry (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExpiredKeyHasTheStateExpired(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		key  v1alpha1.APIKey
		want v1alpha1.KeyState
	}{
		"an active key without end":          {v1alpha1.APIKey{State: v1alpha1.KeyStateActive}, v1alpha1.KeyStateActive},
		"an active key that expires later":   {v1alpha1.APIKey{State: v1alpha1.KeyStateActive, ExpiresAt: at(time.Hour)}, v1alpha1.KeyStateActive},
		"an active key that has expired":     {v1alpha1.APIKey{State: v1alpha1.KeyStateActive, ExpiresAt: at(0)}, edit.StateExpired},
		"a revoked key that expired as well": {v1alpha1.APIKey{State: v1alpha1.KeyStateRevoked, ExpiresAt: at(0)}, v1alpha1.KeyStateRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := edit.StateAt(tc.key, issuedAt); got != tc.want {
				t.Errorf("state %s, want %s", got, tc.want)
			}
		})
	}
}
