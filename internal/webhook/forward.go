// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/transaction"
)

const (
	// forwardTimeout limits a request to a receiver that the user of a command names.
	forwardTimeout = 30 * time.Second
	// maxReceipt limits the response of such a receiver, in bytes.
	maxReceipt = 4 << 10
)

// Received is the response of a receiver.
type Received struct {
	// Code is the status code, and Status the status line such as "200 OK".
	Code   int
	Status string
	// Body is the beginning of the body, at most one byte longer than 4 KiB.
	Body []byte
}

// Accepted reports whether the status is 2xx.
func (r Received) Accepted() bool { return r.Code >= 200 && r.Code <= 299 }

// Forward signs a body as a delivery is signed, and posts it to a receiver that the user of
// a command names. In contrast to [Sender], it accepts every address. It follows no redirect.
func Forward(ctx context.Context, target string, secret credential.Secret, id string, at time.Time, body []byte) (Received, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return Received{}, err
	}
	if request.Header, err = Sign([]credential.Secret{secret}, id, at, body); err != nil {
		return Received{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: forwardTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return Received{}, err
	}
	defer func() { _ = response.Body.Close() }()
	received := Received{Code: response.StatusCode, Status: response.Status}
	if received.Body, err = io.ReadAll(io.LimitReader(response.Body, maxReceipt+1)); err != nil {
		return received, fmt.Errorf("read the response: %w", err)
	}
	return received, nil
}

// SendAnchor sends an anchor of the audit to a webhook, and returns the receipt: the response
// without surrounding space.
func SendAnchor(ctx context.Context, target string, secret credential.Secret, anchor transaction.AuditAnchor) (receipt string, err error) {
	body, err := json.Marshal(anchor)
	if err != nil {
		return "", err
	}
	received, err := Forward(ctx, target, secret, fmt.Sprintf("anchor-%s-%d", anchor.Mode, anchor.Sequence), anchor.At, body)
	switch {
	case err != nil:
		return "", fmt.Errorf("send the anchor: %w", err)
	case !received.Accepted():
		return "", fmt.Errorf("send the anchor: the webhook returned %s; want a status of 2xx", received.Status)
	case len(received.Body) > maxReceipt || !utf8.Valid(received.Body):
		return "", fmt.Errorf("send the anchor: the receipt must be UTF-8 text of at most %d bytes", maxReceipt)
	}
	return strings.TrimSpace(string(received.Body)), nil
}
