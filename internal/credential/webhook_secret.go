// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"encoding/base64"
	"errors"
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

// ErrWebhookSecret is the error of a text that is no webhook secret.
var ErrWebhookSecret = errors.New("not whsec_ and the standard base64 of 24 to 64 bytes")

// ParseWebhookSecret returns the random bytes of a webhook secret. There is one
// text for each value, so that both sides that key with the whole text agree; a
// new line behind it, which editors like to add, makes it another one. The error
// is [ErrWebhookSecret].
func ParseWebhookSecret(s Secret) ([]byte, error) {
	encoded, found := strings.CutPrefix(s.Reveal(), WebhookSecretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) < MinWebhookKeyLen || len(key) > MaxWebhookKeyLen ||
		base64.StdEncoding.EncodeToString(key) != encoded {
		return nil, ErrWebhookSecret
	}
	return key, nil
}
