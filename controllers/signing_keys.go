// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"crypto/rand"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// cursorKeyLen is the length of the key that seals list cursors and links to reports, in bytes.
const cursorKeyLen = 32

// signingKeys keeps the keys with which API servers verify the sessions and list cursors that they
// have issued. It keeps the keys of a deleted Secret, so the next Secret has the same keys.
type signingKeys struct {
	cursor   []byte
	sessions []credential.SessionKey
}

// renew adds the keys to the data of a Secret. It creates the cursor key once and restores a missing
// key: with another key, API servers would reject every cursor and link of the partners. It adds a session key
// each day. It replaces invalid session keys, because sessions last only minutes.
func (k *signingKeys) renew(data map[string][]byte, now time.Time) error {
	if len(data[posture.GateSecretCursorKey]) != cursorKeyLen {
		cursor := bytes.Clone(k.cursor)
		if cursor == nil {
			cursor = make([]byte, cursorKeyLen)
			// crypto/rand never returns an error.
			_, _ = rand.Read(cursor)
		}
		data[posture.GateSecretCursorKey] = cursor
	}
	keys, err := credential.DecodeSessionKeys(data[posture.GateSecretSessionsKey])
	valid := err == nil
	if !valid {
		keys = k.sessions
	}
	keys, rotated, err := credential.RotateSessionKeys(keys, now, rand.Reader)
	if err != nil || valid && !rotated {
		return err
	}
	data[posture.GateSecretSessionsKey], err = credential.EncodeSessionKeys(keys)
	return err
}
