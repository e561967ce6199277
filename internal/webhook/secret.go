// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/printmarket/printmarket/internal/credential"
)

// secretPrefix begins every secret, as in Standard Webhooks.
const secretPrefix = "whsec_"

// The bounds of a secret's key, and how long one is that we mint, in bytes.
const (
	minKey    = 24
	maxKey    = 64
	mintedKey = 32
)

// ErrSecret means that a text is not a secret. The errors that wrap it say what is
// wrong, and nothing of the text.
var ErrSecret = errors.New("malformed webhook secret")

// ParseSecret checks that a text is a secret: whsec_ and 24 to 64 bytes in standard
// base64 with padding. It fails with [ErrSecret].
func ParseSecret(text string) (credential.Secret, error) {
	if _, err := keyOf(credential.Secret(text)); err != nil {
		return "", err
	}
	return credential.Secret(text), nil
}

// MintSecret makes a secret of 32 bytes.
func MintSecret(random io.Reader) (credential.Secret, error) {
	var key [mintedKey]byte
	if _, err := io.ReadFull(random, key[:]); err != nil {
		return "", fmt.Errorf("mint webhook secret: %w", err)
	}
	return credential.Secret(secretPrefix + base64.StdEncoding.EncodeToString(key[:])), nil
}

// keyOf decodes a secret.
func keyOf(secret credential.Secret) ([]byte, error) {
	text, found := strings.CutPrefix(secret.Reveal(), secretPrefix)
	if !found {
		return nil, fmt.Errorf("%w: it does not begin with %s", ErrSecret, secretPrefix)
	}
	// The decoder passes over line breaks; a text has one spelling here, because
	// its own bytes are a key, too.
	if strings.ContainsAny(text, "\r\n") {
		return nil, fmt.Errorf("%w: it has a line break", ErrSecret)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: what follows %s is not standard base64 with padding", ErrSecret, secretPrefix)
	}
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("%w: it holds %d bytes, not %d to %d", ErrSecret, len(key), minKey, maxKey)
	}
	return key, nil
}
