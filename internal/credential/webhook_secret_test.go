// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/printmarket/printmarket/internal/credential"
)

func whsec(length int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, length))
}

func TestParseWebhookSecretAcceptsOneForm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		// want is the number of random bytes; 0 is a refusal.
		want int
	}{
		"the fewest bytes":          {whsec(24), 24},
		"usual bytes, padded":       {whsec(32), 32},
		"the most bytes":            {whsec(64), 64},
		"too few bytes":             {whsec(23), 0},
		"too many bytes":            {whsec(65), 0},
		"nothing":                   {"", 0},
		"the prefix alone":          {"whsec_", 0},
		"no prefix":                 {strings.TrimPrefix(whsec(24), "whsec_"), 0},
		"a prefix in another case":  {"WHSEC_" + strings.TrimPrefix(whsec(24), "whsec_"), 0},
		"a new line behind it":      {whsec(24) + "\n", 0},
		"a new line within it":      {whsec(24)[:20] + "\n" + whsec(24)[20:], 0},
		"the alphabet of URLs":      {strings.ReplaceAll(whsec(24), "+", "-"), 0},
		"no padding":                {strings.TrimRight(whsec(32), "="), 0},
		"bits that have no meaning": {strings.TrimSuffix(whsec(32), "s=") + "t=", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := credential.ParseWebhookSecret(credential.Secret(tc.text))
			if len(key) != tc.want || (err == nil) != (tc.want > 0) || err != nil && !errors.Is(err, credential.ErrWebhookSecret) {
				t.Errorf("%d bytes, %v; want %d", len(key), err, tc.want)
			}
		})
	}
}

func TestMintedWebhookSecretsAreValid(t *testing.T) {
	t.Parallel()
	secret, err := credential.MintWebhookSecret(rand.Reader)
	if err != nil {
		t.Fatalf("credential.MintWebhookSecret: %v", err)
	}
	if _, err := credential.ParseWebhookSecret(secret); err != nil {
		t.Errorf("credential.ParseWebhookSecret: %v", err)
	}
	broken := errors.New("no entropy")
	if secret, err := credential.MintWebhookSecret(iotest.ErrReader(broken)); !errors.Is(err, broken) || secret != "" {
		t.Errorf("from a broken source: %v", err)
	}
}

func FuzzParseWebhookSecret(f *testing.F) {
	f.Add(whsec(24))
	f.Add(whsec(64))
	f.Add("whsec_")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := credential.ParseWebhookSecret(credential.Secret(text))
		if err != nil {
			if len(text) > 6 && strings.Contains(err.Error(), text) {
				t.Errorf("the error contains the secret: %v", err)
			}
			return
		}
		if again := "whsec_" + base64.StdEncoding.EncodeToString(key); again != text {
			t.Errorf("%q and %q are one secret", text, again)
		}
	})
}
