// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/client"
)

func TestCreateIsReplayedWithItsKey(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c, again := h.client(t, "acme-live"), h.client(t, "acme-live")
	key := client.NewIdempotencyKey()
	first, err := c.CreateRFQ(t.Context(), flyers(), client.IdempotencyKey(key))
	if err != nil || first.Replayed {
		t.Fatalf("created %+v, error %v", first, err)
	}
	second, err := again.CreateRFQ(t.Context(), flyers(), client.IdempotencyKey(key))
	if err != nil || !second.Replayed || second.ID != first.ID {
		t.Errorf("created %+v, error %v", second, err)
	}
	draft := flyers()
	draft.Quantity++
	_, err = c.CreateRFQ(t.Context(), draft, client.IdempotencyKey(key))
	var call *client.CallError
	if !client.IsCode(err, client.CodeIdempotencyKeyReused) || !errors.As(err, &call) || call.IdempotencyKey != key || call.Attempts != 1 {
		t.Errorf("error %v", err)
	}
	if n := len(all(t, c, client.RFQFilter{})); n != 1 {
		t.Errorf("%d RFQs, want 1", n)
	}
}

func TestCreatesWithoutAKeyAreSeparate(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	for range 2 {
		if _, err := c.CreateRFQ(t.Context(), flyers()); err != nil {
			t.Fatalf("CreateRFQ: %v", err)
		}
	}
	if n := len(all(t, c, client.RFQFilter{})); n != 2 {
		t.Errorf("%d RFQs, want 2", n)
	}
	keys := map[string]bool{}
	for _, r := range h.requests() {
		if r.Method == "POST" {
			keys[r.Header.Get("Idempotency-Key")] = true
		}
	}
	if len(keys) != 2 || keys[""] {
		t.Errorf("keys %v", keys)
	}
}

func TestInvalidArgumentsAreNotSent(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	latin1 := flyers()
	latin1.DeliveryCity = "K\xf6ln"
	for name, call := range map[string]func(context.Context) error{
		"an empty id":            func(ctx context.Context) error { _, err := c.RFQ(ctx, ""); return err },
		"an id that is a path":   func(ctx context.Context) error { _, err := c.CancelPreflight(ctx, ".."); return err },
		"an id with a query":     func(ctx context.Context) error { _, err := c.Preflight(ctx, "pref_x?a=b"); return err },
		"an id that is too long": func(ctx context.Context) error { _, err := c.Quotes(ctx, strings.Repeat("a", 129)); return err },
		"a report of no job":     func(ctx context.Context) error { _, err := c.PreflightReport(ctx, "a/b"); return err },
		"an empty idempotency key": func(ctx context.Context) error {
			_, err := c.CreateRFQ(ctx, flyers(), client.IdempotencyKey(""))
			return err
		},
		"a long idempotency key": func(ctx context.Context) error {
			_, err := c.SubmitPreflight(ctx, client.PreflightSubmit{}, client.IdempotencyKey(strings.Repeat("k", 256)))
			return err
		},
		"an idempotency key with a line break": func(ctx context.Context) error {
			_, err := c.CreateRFQ(ctx, flyers(), client.IdempotencyKey("a\nb"))
			return err
		},
		"a text that is no UTF-8": func(ctx context.Context) error { _, err := c.CreateRFQ(ctx, latin1); return err },
	} {
		err := call(t.Context())
		var argument *client.ArgumentError
		if !errors.As(err, &argument) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n := len(h.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
