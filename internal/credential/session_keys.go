// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// When keys of sessions are replaced: a new one is made a day after the last, and is
// known to everybody for some minutes before it seals.
const (
	sessionKeyAge  = 24 * time.Hour
	sessionKeyLead = 10 * time.Minute
	// maxSessionKeys is the new one, and the one that tokens in use are sealed with.
	maxSessionKeys = 2
)

// ErrSessionKeys says that a text holds no keys of sessions. It never holds the text.
var ErrSessionKeys = errors.New("malformed session keys")

// sessionKeyDocument is a key as a Secret has it.
type sessionKeyDocument struct {
	From time.Time `json:"from"`
	Key  []byte    `json:"key"`
}

// EncodeSessionKeys writes keys in the clear, for a Secret and nothing else.
func EncodeSessionKeys(keys []SessionKey) ([]byte, error) {
	documents := make([]sessionKeyDocument, len(keys))
	for i := range keys {
		documents[i] = sessionKeyDocument{keys[i].From.UTC(), keys[i].Key[:]}
	}
	text, err := json.Marshal(documents)
	if err != nil {
		return nil, fmt.Errorf("encode session keys: %w", err)
	}
	return text, nil
}

// DecodeSessionKeys reads what [EncodeSessionKeys] wrote: one key or two. It fails
// with [ErrSessionKeys].
func DecodeSessionKeys(text []byte) ([]SessionKey, error) {
	var documents []sessionKeyDocument
	if json.Unmarshal(text, &documents) != nil || len(documents) < 1 || len(documents) > maxSessionKeys {
		return nil, ErrSessionKeys
	}
	keys := make([]SessionKey, len(documents))
	for i, d := range documents {
		if len(d.Key) != len(keys[i].Key) {
			return nil, ErrSessionKeys
		}
		keys[i].From = d.From.UTC()
		copy(keys[i].Key[:], d.Key)
	}
	if again, err := EncodeSessionKeys(keys); err != nil || !bytes.Equal(again, text) {
		return nil, ErrSessionKeys
	}
	return keys, nil
}

// RotateSessionKeys is what the keys should be at an instant: the same, or with a
// new one in the place of the one that no session can be sealed with any more. It
// reports whether they have changed.
func RotateSessionKeys(keys []SessionKey, now time.Time, random io.Reader) ([]SessionKey, bool, error) {
	newest := time.Time{}
	for i := range keys {
		if keys[i].From.After(newest) {
			newest = keys[i].From
		}
	}
	// A key that begins later than any is made was made by a clock that was wrong.
	ahead := newest.After(now.Add(sessionKeyLead))
	if len(keys) > 0 && !ahead && now.Sub(newest) < sessionKeyAge {
		return keys, false, nil
	}
	next := SessionKey{From: now.UTC().Truncate(time.Second)}
	if len(keys) > 0 {
		next.From = next.From.Add(sessionKeyLead)
	}
	if _, err := io.ReadFull(random, next.Key[:]); err != nil {
		return nil, false, fmt.Errorf("make a session key: %w", err)
	}
	kept := slices.DeleteFunc(slices.Clone(keys), func(k SessionKey) bool { return ahead && k.From.After(now.Add(sessionKeyLead)) })
	slices.SortFunc(kept, func(a, b SessionKey) int { return b.From.Compare(a.From) })
	if len(kept) > maxSessionKeys-1 {
		kept = kept[:maxSessionKeys-1]
	}
	if len(kept) == 0 {
		next.From = now.UTC().Truncate(time.Second)
	}
	return append([]SessionKey{next}, kept...), true, nil
}
