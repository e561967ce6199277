// SPDX-License-Identifier: Apache-2.0

package cursor

import (
	"errors"
	"sync/atomic"
)

// ErrNoKey means that the key is not loaded yet.
var ErrNoKey = errors.New("cursor key not loaded")

// Late is a Sealer whose key is set later and may be replaced: the replicas of a cluster share
// the key of a Secret. The zero Late is ready to use; both of its methods return [ErrNoKey]
// until [Late.Use]. It is safe for concurrent use.
type Late struct{ sealer atomic.Pointer[Sealer] }

// Use seals and opens with this key from now on. Cursors of the former key are
// [ErrInvalid].
func (l *Late) Use(key [32]byte) error {
	sealer, err := New(key)
	if err == nil {
		l.sealer.Store(sealer)
	}
	return err
}

// Seal is [Sealer.Seal], or [ErrNoKey].
func (l *Late) Seal(scope Scope, position string) (string, error) {
	if sealer := l.sealer.Load(); sealer != nil {
		return sealer.Seal(scope, position)
	}
	return "", ErrNoKey
}

// Open is [Sealer.Open], or [ErrNoKey].
func (l *Late) Open(scope Scope, text string) (string, error) {
	if sealer := l.sealer.Load(); sealer != nil {
		return sealer.Open(scope, text)
	}
	return "", ErrNoKey
}
