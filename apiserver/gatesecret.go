// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/posture"
)

// UseGateSecret puts the keys of a gate Secret into use: the key of list cursors, and those of
// sessions. A controller of a former release writes no keys for sessions; then there are no
// sessions.
func UseGateSecret(data map[string][]byte, cursors *cursor.Late, sessions *credential.Sessions) error {
	var key [32]byte
	if copy(key[:], data[posture.GateSecretCursorKey]) != len(key) {
		return errors.New("the gate Secret has no valid cursor key; it must have 32 bytes")
	}
	var keys []credential.SessionKey
	if text := data[posture.GateSecretSessionsKey]; len(text) > 0 {
		var err error
		if keys, err = credential.DecodeSessionKeys(text); err != nil {
			return errors.Join(cursors.Use(key), fmt.Errorf("the gate Secret: %w", err))
		}
	}
	return errors.Join(cursors.Use(key), sessions.Use(keys))
}
