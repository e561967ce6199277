// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"crypto/rand"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

func TestEventsBeforeTheFirstMigrationOfDeliveriesAreNotRelayed(t *testing.T) {
	t.Parallel()
	store, err := Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = store.Close() }()
	migrateTo(t, store, 9)
	if _, err := store.writer.ExecContext(t.Context(), `INSERT INTO outbox (id, tenant, type, subject, at)
		VALUES ('evt_1', ?1, 'rfq.created', 'rfq_1', 1), ('evt_2', ?1, 'rfq.created', 'rfq_2', 2)`, crasher.String()); err != nil {
		t.Fatalf("store.writer.ExecContext: %v", err)
	}
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	rfqs, _, err := services(store)
	if err != nil {
		t.Fatalf("services: %v", err)
	}
	later, err := rfqs.Create(t.Context(), crasher, crashBody, crashTerms("k3"))
	if err != nil {
		t.Fatalf("rfqs.Create: %v", err)
	}
	relayed, err := store.Relayed(t.Context())
	if err != nil || relayed != 2 {
		t.Errorf("relayed up to %d (%v), want 2", relayed, err)
	}
	entries, err := store.Events(t.Context(), relayed, 10)
	if err != nil || len(entries) != 1 || entries[0].Event.Subject != later.RFQ.ID {
		t.Errorf("events to relay: %+v (%v), want the event of %s", entries, err, later.RFQ.ID)
	}
}

// migrateTo migrates a store to a version.
func migrateTo(t *testing.T, store *Store, version int64) {
	t.Helper()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatalf("fs.Sub: %v", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, store.writer, files)
	if err != nil {
		t.Fatalf("goose.NewProvider: %v", err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatalf("provider.UpTo: %v", err)
	}
}

// TestDatabaseRejectsUnreadableDeliveries inserts damaged rows, which would stop statements that
// read or claim for many endpoints.
func TestDatabaseRejectsUnreadableDeliveries(t *testing.T) {
	t.Parallel()
	store := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	if err := store.Enroll(t.Context(), []webhook.Endpoint{crashEndpoint}, testTime); err != nil {
		t.Fatalf("store.Enroll: %v", err)
	}
	event, err := transaction.NewEvent(transaction.RFQCreated, "rfq_1", testTime, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewEvent: %v", err)
	}
	if err := store.AddDelivery(t.Context(), webhook.Delivery{
		ID: "dlv_1", Address: crashEndpoint.Address, Event: event, State: webhook.Pending, DueAt: testTime, CreatedAt: testTime,
	}); err != nil {
		t.Fatalf("store.AddDelivery: %v", err)
	}
	for _, statement := range []string{
		`UPDATE webhook_delivery SET trace = hex(zeroblob(28))`,
		`UPDATE webhook_endpoint SET tenant = 'unknown'`,
		`UPDATE webhook_endpoint SET tenant = 'org_acme-1/live'`,
		`UPDATE webhook_endpoint SET name = ''`,
		`UPDATE webhook_endpoint SET disabled = 'Tired', disabled_at = 1`,
		`UPDATE webhook_endpoint SET disabled = 'Gone'`,
		`UPDATE webhook_endpoint SET disabled_at = 1`,
		`UPDATE webhook_delivery SET tenant = 'org_acme01/staging'`,
		`UPDATE webhook_delivery SET tenant = 'org_acme/live'`,
		`UPDATE webhook_delivery SET endpoint = ''`,
		`UPDATE webhook_delivery SET state = 'lost'`,
		`UPDATE webhook_delivery SET state = 'delivered', due_at = 0`,
		`UPDATE webhook_delivery SET due_at = 0`,
		`UPDATE webhook_delivery SET ended_at = 1`,
		`UPDATE webhook_delivery SET tries = 1`,
		`UPDATE webhook_delivery SET state = 'exhausted', due_at = 0, ended_at = 1, claimed_until = 1`,
	} {
		if _, err := store.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "CHECK constraint") {
			t.Errorf("%s: error = %v, want a check violation", statement, err)
		}
	}
}
