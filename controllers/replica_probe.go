// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	probeTimeout    = time.Second
	maxWatermarkLen = 64 << 10
	maxHeaderLen    = 16 << 10
)

var errNoWatermark = errors.New("probe a replica: the response is not a watermark")

// replicaProbe requests the watermark of the replica at an address.
type replicaProbe func(ctx context.Context, address string) (posture.Watermark, error)

// newReplicaProbe returns a probe that uses no proxy, follows no redirect and keeps no connection,
// because an address may later belong to another replica.
func newReplicaProbe(dial func(ctx context.Context, network, address string) (net.Conn, error)) replicaProbe {
	client := &http.Client{
		Timeout: probeTimeout,
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
			return posture.Watermark{}, fmt.Errorf("probe a replica: %w", err)
		}
		response, err := client.Do(request)
		if err != nil {
			return posture.Watermark{}, fmt.Errorf("probe a replica: %w", err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusOK {
			return posture.Watermark{}, fmt.Errorf("probe a replica: response status %d, want 200", response.StatusCode)
		}
		body, err := io.ReadAll(io.LimitReader(response.Body, maxWatermarkLen+1))
		if err != nil {
			return posture.Watermark{}, fmt.Errorf("probe a replica: %w", err)
		}
		// Unknown members come from a newer version and are ignored.
		var watermark posture.Watermark
		if len(body) > maxWatermarkLen || json.Unmarshal(body, &watermark) != nil {
			return posture.Watermark{}, errNoWatermark
		}
		return watermark, nil
	}
}
