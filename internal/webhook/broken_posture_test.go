// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/webhooktest"
	worker "github.com/printmarket/printmarket/workers/delivery"
)

// receiver counts its requests.
type receiver struct{ posts atomic.Int64 }

func (r *receiver) Post(context.Context, string, http.Header, []byte, int64) (safehttp.Answer, error) {
	r.posts.Add(1)
	return safehttp.Answer{Status: http.StatusNoContent}, nil
}

func (*receiver) Close() {}

// TestEventsDuringAnInvalidPostureAreDeliveredAfterItsFix delivers with a valid
// posture, with one in which acme's object has an unknown package, and with the valid
// one again.
func TestEventsDuringAnInvalidPostureAreDeliveredAfterItsFix(t *testing.T) {
	t.Parallel()
	var store webhooktest.Memory
	var current atomic.Pointer[posture.Snapshot]
	var came receiver
	now := func() time.Time { return evaluated }
	granted := v1alpha1.CapabilityGrant{Name: "webhook-delivery"}
	sound, broken := postureWith(granted), postureOf("Galactic", granted)
	current.Store(sound)
	directory := webhook.NewPostureDirectory(current.Load)
	relay := &webhook.Relay{Store: &store, Directory: directory, Now: now, Random: rand.Reader}
	delivering := worker.New(worker.Config{
		Store: &store, Directory: directory, Relay: relay,
		Sender:  webhook.Sender{Schedule: webhook.Schedule{Random: func() float64 { return 0 }}, Now: now},
		Connect: func() worker.Connection { return &came },
		Every:   time.Millisecond, Random: func() float64 { return 0 }, Now: now,
		Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); delivering.Run(ctx) }()
	defer func() { stop(); <-ended }()
	happen := func() {
		t.Helper()
		event, err := transaction.NewEvent(transaction.RFQQuoted, "rfq_01KDVDNC00000000000000000B", evaluated, rand.Reader)
		if err != nil {
			t.Fatalf("transaction.NewEvent: %v", err)
		}
		store.Append(tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, event)
	}
	until := func(posts int64, waiting int) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			all, _ := store.All()
			pending := 0
			for _, delivery := range all {
				if delivery.State == webhook.Pending {
					pending++
				}
			}
			if got := came.posts.Load(); got != posts || pending != waiting {
				return fmt.Errorf("%d posts came and %d deliveries wait, want %d and %d", got, pending, posts, waiting)
			}
			return nil
		})
	}

	happen()
	until(1, 0)
	current.Store(broken)
	happen()
	until(1, 1)
	current.Store(sound)
	until(2, 0)
}
