// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

const (
	// sendTimeout limits the sending of a callback.
	sendTimeout = 30 * time.Second
	// maxAnswer limits the answer to a callback, in bytes.
	maxAnswer = 1 << 20
)

// Answer is the answer to a callback.
type Answer struct {
	Accepted bool   `json:"accepted"`
	Status   string `json:"status"`
	// Body is the body as it was received.
	Body string `json:"answer"`
}

// Send posts a callback with the headers of [Sign], as the machine of a partner does. It
// follows no redirect.
func Send(ctx context.Context, target string, headers http.Header, body []byte) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header = headers.Clone()
	request.Header.Set("Content-Type", MediaType(body))
	client := &http.Client{Timeout: sendTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return Answer{Accepted: Accepted(response.StatusCode, answer), Status: response.Status, Body: string(answer)}, err
}
