// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	askTimeout   = time.Second
	maxMarkLen   = 64 << 10
	maxHeaderLen = 16 << 10
)

// question asks one replica what it has compiled.
type question func(ctx context.Context, address string) (posture.Watermark, error)

// newQuestion makes the client for all questions. It uses no proxy, follows no
// redirect and keeps no connection: an address may belong to another replica
// next time.
func newQuestion(dial func(ctx context.Context, network, address string) (net.Conn, error)) question {
	client := &http.Client{
		Timeout: askTimeout,
		Transport: &http.Transport{
			DialContext:            dial,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeaderLen,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, address string) (posture.Watermark, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/posture/watermark", nil)
		if err != nil {
			return posture.Watermark{}, fmt.Errorf("ask a replica: %w", err)
		}
		response, err := client.Do(request)
		if err != nil {
			return posture.Watermark{}, fmt.Errorf("ask a replica: %w", err)
		}
		defer func() { _ = response.Body.Close() }()
		return readWatermark(response)
	}
}

func readWatermark(response *http.Response) (posture.Watermark, error) {
	if response.StatusCode != http.StatusOK {
		return posture.Watermark{}, fmt.Errorf("ask a replica: it answered %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxMarkLen+1))
	if err != nil {
		return posture.Watermark{}, fmt.Errorf("ask a replica: %w", err)
	}
	var mark posture.Watermark
	// Members that are not known are those of a newer version, and ignored.
	if len(body) > maxMarkLen || json.Unmarshal(body, &mark) != nil {
		return posture.Watermark{}, errNoWatermark
	}
	return mark, nil
}
