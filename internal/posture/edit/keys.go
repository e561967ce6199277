// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Errors of the verbs. Wrapping errors name the affected objects.
var (
	ErrNoKey   = errors.New("there is no such key")
	ErrTaken   = errors.New("the name is taken; names of keys are never reused")
	ErrRevoked = errors.New("the key is revoked")
	ErrKind    = errors.New("the kind of the key is neither Test nor Live")
)

// ScopeError reports scopes of a new key that its partner lacks.
type ScopeError struct{ Lacking, Granted []v1alpha1.Scope }

func (e *ScopeError) Error() string {
	granted := "none"
	if len(e.Granted) > 0 {
		granted = listed(e.Granted)
	}
	return fmt.Sprintf("the partner lacks the scopes %s; it has: %s. Choose among these, or add the scopes to spec.scopes of the PartnerEntitlement first", listed(e.Lacking), granted)
}

func listed(scopes []v1alpha1.Scope) string {
	names := make([]string, len(scopes))
	for i := range scopes {
		names[i] = string(scopes[i])
	}
	return strings.Join(names, ", ")
}

// StateExpired is the state of an active key whose validity has ended.
const StateExpired v1alpha1.KeyState = "Expired"

// StateAt returns the state of a key at a time: Active, Revoked or [StateExpired].
func StateAt(key v1alpha1.APIKey, now time.Time) v1alpha1.KeyState {
	if key.State == v1alpha1.KeyStateActive && key.ExpiresAt != nil && !now.Before(key.ExpiresAt.Time) {
		return StateExpired
	}
	return key.State
}

// Keys holds the entries of one partner.
type Keys []v1alpha1.APIKey

// Issue adds an entry for a key with scopes. expires is zero for a key that does not
// expire. Errors: ErrTaken.
func (k Keys) Issue(name string, key credential.Key, expires time.Time, scopes []v1alpha1.Scope) (Keys, error) {
	if k.index(name) >= 0 {
		return nil, fmt.Errorf("issue %s: %w", name, ErrTaken)
	}
	entry := v1alpha1.APIKey{
		Name: name, Kind: KindOf(key.Mode()), SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive, Scopes: scopes,
	}
	if !expires.IsZero() {
		entry.ExpiresAt = new(metav1.NewTime(expires.UTC().Truncate(time.Second)))
	}
	return append(slices.Clone(k), entry), nil
}

// Rotate adds an entry with the scopes of the entry old, and lets old expire at ends.
// expires is zero for a new key that does not expire.
// An earlier expiry of old stays. Errors: ErrNoKey, ErrRevoked, ErrTaken, ErrKind for a
// key of another kind.
func (k Keys) Rotate(old, name string, key credential.Key, ends, expires time.Time) (Keys, error) {
	i := k.index(old)
	switch {
	case i < 0:
		return nil, fmt.Errorf("rotate %s: %w", old, ErrNoKey)
	case k[i].State != v1alpha1.KeyStateActive:
		return nil, fmt.Errorf("rotate %s: %w", old, ErrRevoked)
	case k[i].Kind != KindOf(key.Mode()):
		return nil, fmt.Errorf("rotate %s: %w", old, ErrKind)
	}
	next, err := k.Issue(name, key, expires, slices.Clone(k[i].Scopes))
	if err != nil {
		return nil, err
	}
	ends = ends.UTC().Truncate(time.Second)
	if next[i].ExpiresAt == nil || ends.Before(next[i].ExpiresAt.Time) {
		next[i].ExpiresAt = new(metav1.NewTime(ends))
	}
	return next, nil
}

// Revoke invalidates a key at once and permanently. Revoking it again has no effect.
// Errors: ErrNoKey.
func (k Keys) Revoke(name string) (Keys, error) {
	i := k.index(name)
	if i < 0 {
		return nil, fmt.Errorf("revoke %s: %w", name, ErrNoKey)
	}
	next := slices.Clone(k)
	next[i].State = v1alpha1.KeyStateRevoked
	return next, nil
}

// Mode returns the mode of a key. Errors: ErrNoKey, ErrKind.
func (k Keys) Mode(name string) (tenant.Mode, error) {
	i := k.index(name)
	if i < 0 {
		return "", fmt.Errorf("find %s: %w", name, ErrNoKey)
	}
	switch k[i].Kind {
	case v1alpha1.KeyKindLive:
		return tenant.Live, nil
	case v1alpha1.KeyKindTest:
		return tenant.Test, nil
	default:
		return "", fmt.Errorf("find %s: %w", name, ErrKind)
	}
}

func (k Keys) index(name string) int {
	return slices.IndexFunc(k, func(key v1alpha1.APIKey) bool { return key.Name == name })
}

// KindOf returns the kind of the keys of a mode.
func KindOf(mode tenant.Mode) v1alpha1.KeyKind {
	if mode == tenant.Live {
		return v1alpha1.KeyKindLive
	}
	return v1alpha1.KeyKindTest
}
