// SPDX-License-Identifier: Apache-2.0

package safehttp

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
)

// Answer is what a server said to a [Client.Post].
type Answer struct {
	Status int
	// RetryAfter is the header field of that name, as it came.
	RetryAfter string
	// Body is the beginning of the body.
	Body []byte
}

// Post sends a body with some header fields to a URL. Whatever the server answers
// with is an [Answer], redirects too: nothing is followed. At most maxAnswer bytes
// of the answer's body are read. Where the answer broke off, what there is of it
// comes beside the error. The error is [ErrRefused], [ErrTimeout] or [ErrFailed],
// or ctx's own when that has ended.
//
// On a kept connection that the server closes at that moment the request is sent
// again on a new one, so that a server may see it twice.
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte, maxAnswer int64) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, c.config.Total)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, address, bytes.NewReader(body))
	if err != nil || acceptable(request.URL) != nil {
		return Answer{}, ErrRefused
	}
	maps.Copy(request.Header, header)
	request.Header.Set("User-Agent", c.config.UserAgent)
	// The transport reads this as leave to repeat, and does not send it.
	request.Header["Idempotency-Key"] = nil
	// An http.Client would follow redirects, or judge them; the transport does
	// neither.
	response, err := c.ways.RoundTrip(request)
	if err != nil {
		return Answer{}, classify(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer := Answer{Status: response.StatusCode, RetryAfter: response.Header.Get("Retry-After")}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return answer, nil // what follows is a connection, which no context bounds
	}
	answer.Body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer, classify(ctx, err)
	}
	return answer, nil
}
