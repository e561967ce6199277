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

// The rotation of session keys: a new key is created a day after the last one, and is
// distributed to all replicas some minutes before it seals.
const (
	sessionKeyAge  = 24 * time.Hour
	sessionKeyLead = 10 * time.Minute
	// maxSessionKeys counts the new key and the one that sealed the tokens in use.
	maxSessionKeys = 2
)

// ErrSessionKeys means that a text does not contain session keys. The error never
// contains the text.
var ErrSessionKeys = errors.New("malformed session keys")

// sessionKeyDocument is a key as it is stored in a Secret.
type sessionKeyDocument struct {
	From time.Time `json:"from"`
	Key  []byte    `json:"key"`
}

// EncodeSessionKeys encodes keys in clear text, to be stored in a Secret only.
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

// DecodeSessionKeys decodes the output of [EncodeSessionKeys]: one or two keys. Errors:
// [ErrSessionKeys].
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

// RotateSessionKeys returns the keys to use at an instant: the given keys, or these
// keys with a new one in place of the one that no longer seals sessions. It reports
// whether the keys have changed.
func RotateSessionKeys(keys []SessionKey, now time.Time, random io.Reader) ([]SessionKey, bool, error) {
	newest := time.Time{}
	for i := range keys {
		if keys[i].From.After(newest) {
			newest = keys[i].From
		}
	}
	// A key that starts after now plus the lead time was created by a wrong clock.
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
