// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// The header fields of a delivery.
const (
	// HeaderSignature is the marketplace's own signature.
	HeaderSignature = "X-Marketplace-Signature"

	// The other three are defined by Standard Webhooks 1.0.0.

	// HeaderID is the id of the event, the same for each attempt.
	HeaderID = "Webhook-Id"
	// HeaderTimestamp is the start of the attempt in Unix seconds.
	HeaderTimestamp = "Webhook-Timestamp"
	// HeaderSignatures has one signature for each secret.
	HeaderSignatures = "Webhook-Signature"
)

// Sign returns the header fields that prove the sender and the time of a body.
//
// [HeaderSignature] covers the body with the first secret; the key is the complete text
// of the secret. [HeaderSignatures] covers id, time and body with every secret; the key
// is the decoded secret. It returns [credential.ErrWebhookSecret], also without a
// secret.
func Sign(secrets []credential.Secret, id string, at time.Time, body []byte) (http.Header, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%w: the secret is missing", credential.ErrWebhookSecret)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := credential.ParseWebhookSecret(secret)
		if err != nil {
			return nil, err
		}
		sum := standardSum(key, []byte(id+"."+timestamp+"."), body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(sum)
	}
	header := http.Header{}
	header.Set(HeaderSignature, credential.Sign(credential.SignedBody, secrets[0], "", body))
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, timestamp)
	header.Set(HeaderSignatures, strings.Join(signatures, " "))
	return header, nil
}

// sumLen is the length of a sum, in bytes.
const sumLen = sha256.Size

// standardSum returns a Standard Webhooks signature of a prefix and a body.
func standardSum(key, before, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	// A hash never returns an error.
	_, _ = mac.Write(before)
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}
