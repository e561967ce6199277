// SPDX-License-Identifier: Apache-2.0

package safehttp

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
)

// Answer is a server's response to [Client.Post].
type Answer struct {
	Status int
	// RetryAfter is the header field of that name, as it came.
	RetryAfter string
	// Body is the beginning of the body.
	Body []byte
}

// Post sends a body with some header fields to a URL. It returns every response as an
// [Answer], including redirects, which it does not follow. It reads at most maxAnswer bytes
// of the response's body. If the response breaks off, Post returns the received part with
// the error. The error is [ErrRefused], [ErrTimeout], [ErrCertificate] or [ErrFailed], or
// ctx's own after its end.
//
// If the server closes a kept connection at that moment, Post sends the request again on a
// new one, so a server may receive it twice.
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
