// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"crypto/rand"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// cursorKeyLen is the length of the key that seals positions in lists.
const cursorKeyLen = 32

// seals are the keys by which API servers know again what they have handed out.
// They outlive what is known of the Secret that holds them: should somebody delete
// it, the next one has the same keys.
type seals struct {
	cursor   []byte
	sessions []credential.SessionKey
}

// renew puts the keys into the data of a Secret that should have them. The key for
// cursors is made once and restored if it is lost: with another one, every position
// that a partner holds would be refused.
func (s *seals) renew(data map[string][]byte, now time.Time) (err error) {
	if len(data[posture.GateSecretCursorKey]) != cursorKeyLen {
		data[posture.GateSecretCursorKey] = s.cursorKey()
	}
	data[posture.GateSecretSessionsKey], err = s.sessionKeys(data[posture.GateSecretSessionsKey], now)
	return err
}

// remember keeps the keys that a Secret has.
func (s *seals) remember(data map[string][]byte) (err error) {
	s.cursor = data[posture.GateSecretCursorKey]
	s.sessions, err = credential.DecodeSessionKeys(data[posture.GateSecretSessionsKey])
	return err
}

// cursorKey is the key that this process has seen in the Secret, or a new one.
func (s *seals) cursorKey() []byte {
	if s.cursor != nil {
		return bytes.Clone(s.cursor)
	}
	key := make([]byte, cursorKeyLen)
	// crypto/rand never returns an error.
	_, _ = rand.Read(key)
	return key
}

// sessionKeys are those that are there, with a new one each day. Keys that cannot be
// read are replaced by those that this process has seen, or by new ones: sessions
// last for minutes.
func (s *seals) sessionKeys(present []byte, now time.Time) ([]byte, error) {
	keys, err := credential.DecodeSessionKeys(present)
	if err != nil {
		keys, present = s.sessions, nil
	}
	keys, changed, err := credential.RotateSessionKeys(keys, now, rand.Reader)
	if err != nil {
		return nil, err
	}
	if !changed && present != nil {
		return present, nil
	}
	return credential.EncodeSessionKeys(keys)
}
