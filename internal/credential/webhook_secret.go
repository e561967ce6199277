// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WebhookSecretPrefix begins the secrets that sign webhooks, as Standard Webhooks
// 1.0.0 has it.
const WebhookSecretPrefix = "whsec_"

// MinWebhookKeyLen and MaxWebhookKeyLen bound the random bytes of a webhook secret.
const (
	MinWebhookKeyLen = 24
	MaxWebhookKeyLen = 64
)

// mintedWebhookKeyLen is how long the random part is of a secret that we make.
const mintedWebhookKeyLen = 32

// ErrWebhookSecret means that a text is no webhook secret. The errors that wrap it
// say what is wrong, and nothing of the text.
var ErrWebhookSecret = errors.New("malformed webhook secret")

// ParseWebhookSecret returns the random bytes of a webhook secret: whsec_ and 24 to 64
// bytes in standard base64 with padding. There is one text for each value, so that
// both sides that key with the whole text agree; a new line behind it, which editors
// like to add, makes it another one. It fails with [ErrWebhookSecret].
func ParseWebhookSecret(s Secret) ([]byte, error) {
	encoded, found := strings.CutPrefix(s.Reveal(), WebhookSecretPrefix)
	if !found {
		return nil, fmt.Errorf("%w: it does not begin with %s", ErrWebhookSecret, WebhookSecretPrefix)
	}
	// The decoder passes over line breaks.
	if strings.ContainsAny(encoded, "\r\n") {
		return nil, fmt.Errorf("%w: it has a line break", ErrWebhookSecret)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("%w: what follows %s is not standard base64 with padding", ErrWebhookSecret, WebhookSecretPrefix)
	}
	if len(key) < MinWebhookKeyLen || len(key) > MaxWebhookKeyLen {
		return nil, fmt.Errorf("%w: it holds %d bytes, not %d to %d", ErrWebhookSecret, len(key), MinWebhookKeyLen, MaxWebhookKeyLen)
	}
	return key, nil
}

// MintWebhookSecret makes a secret of 32 random bytes.
func MintWebhookSecret(random io.Reader) (Secret, error) {
	var key [mintedWebhookKeyLen]byte
	if _, err := io.ReadFull(random, key[:]); err != nil {
		return "", fmt.Errorf("mint webhook secret: %w", err)
	}
	return Secret(WebhookSecretPrefix + base64.StdEncoding.EncodeToString(key[:])), nil
}
