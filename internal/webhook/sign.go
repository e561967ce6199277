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
	"github.com/printmarket/printmarket/internal/credential/signature"
)

// The header fields of a delivery.
const (
	// HeaderSignature is the signature of section 6 of the interface specification.
	HeaderSignature = "X-Marketplace-Signature"

	// The other three are those of Standard Webhooks 1.0.0.

	// HeaderID is the id of the event, the same for each attempt.
	HeaderID = "Webhook-Id"
	// HeaderTimestamp is when the attempt was begun, in seconds since 1970.
	HeaderTimestamp = "Webhook-Timestamp"
	// HeaderSignatures has a signature for each secret.
	HeaderSignatures = "Webhook-Signature"
)

// Sign makes the header fields that prove who sent a body, and when.
//
// [HeaderSignature] is of the body alone, by the first secret, keyed with the bytes
// of its whole text. [HeaderSignatures] is of id, time and body, by every secret,
// keyed with the bytes that the text stands for. It fails with
// [credential.ErrWebhookSecret], also when there is no secret.
func Sign(secrets []credential.Secret, id string, at time.Time, body []byte) (http.Header, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%w: there is none", credential.ErrWebhookSecret)
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
	header.Set(HeaderSignature, signature.Sign(signature.Body, secrets[0], "", body))
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, timestamp)
	header.Set(HeaderSignatures, strings.Join(signatures, " "))
	return header, nil
}

// sumLen is the length of every sum, in bytes.
const sumLen = sha256.Size

// standardSum is a signature of Standard Webhooks: of what stands before the body, and
// of the body.
func standardSum(key, before, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	// A hash never fails to take bytes.
	_, _ = mac.Write(before)
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}
