// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WebhookSecretPrefix starts the secrets that sign webhooks, as defined by Standard
// Webhooks 1.0.0.
const WebhookSecretPrefix = "whsec_"

// MinWebhookKeyLen and MaxWebhookKeyLen limit the number of random bytes of a webhook
// secret.
const (
	MinWebhookKeyLen = 24
	MaxWebhookKeyLen = 64
)

// mintedWebhookKeyLen is the number of random bytes in a minted secret.
const mintedWebhookKeyLen = 32

// ErrWebhookSecret means that a text is not a webhook secret. Errors that wrap it
// describe the fault without a part of the text.
var ErrWebhookSecret = errors.New("malformed webhook secret")

// ParseWebhookSecret returns the random bytes of a webhook secret: whsec_ and 24 to 64
// bytes in standard base64 with padding. Each value has only one text, so that two
// sides that use the whole text as the key agree. A trailing newline, which editors
// often add, makes the text invalid. Errors: [ErrWebhookSecret].
func ParseWebhookSecret(s Secret) ([]byte, error) {
	encoded, found := strings.CutPrefix(s.Reveal(), WebhookSecretPrefix)
	if !found {
		return nil, fmt.Errorf("%w: it does not begin with %s", ErrWebhookSecret, WebhookSecretPrefix)
	}
	// The decoder skips line breaks.
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

// MintWebhookSecret returns a secret with 32 random bytes.
func MintWebhookSecret(random io.Reader) (Secret, error) {
	var key [mintedWebhookKeyLen]byte
	if _, err := io.ReadFull(random, key[:]); err != nil {
		return "", fmt.Errorf("mint webhook secret: %w", err)
	}
	return Secret(WebhookSecretPrefix + base64.StdEncoding.EncodeToString(key[:])), nil
}
