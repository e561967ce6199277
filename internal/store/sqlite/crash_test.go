// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// crashEnv names the variable with the path of a database. A test binary that is started with the
// variable runs no tests; it writes until it is killed.
const crashEnv = "PRINTMARKET_TEST_CRASH_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(context.Background(), path, os.Stdout))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var (
	testTime  = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	crasher   = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	crashDay  = transaction.Quota{Limit: 1 << 40, Window: 24 * time.Hour}
	crashBody = rfq.Draft{
		CatalogProductUID: "print:posters:a2", Category: "large-format",
		Title: "Crash", Quantity: 10, DeliveryCity: "Oslo",
	}
)

// records is the part of a store that the services use.
type records interface {
	rfq.Store
	preflightjob.Store
}

func services(store records) (*rfq.Service, *preflightjob.Service, error) {
	catalog, err := catalog.Demo()
	if err != nil {
		return nil, nil, err
	}
	cursors, err := cursor.New([32]byte{1})
	if err != nil {
		return nil, nil, err
	}
	now := func() time.Time { return testTime }
	return rfq.New(rfq.Config{
			Store: store, Cursors: cursors, Now: now, Random: rand.Reader,
			Catalog: func(time.Time) (rfq.Catalog, error) { return catalog, nil },
		}), preflightjob.New(preflightjob.Config{
			Store: store, Dispatcher: discard{}, Profiles: []string{"print_ready"},
			Now: now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		}), nil
}

// discard is a queue without a consumer.
type discard struct{}

func (discard) Submit(context.Context, string, tenant.ID, int) error { return nil }
func (discard) SubmitAll(_ context.Context, all []preflightjob.Submission) (int, error) {
	return len(all), nil
}
func (discard) Cancel(context.Context, string) error { return nil }

func crashTerms(key string) rfq.Terms {
	return rfq.Terms{Quota: crashDay, Idempotency: transaction.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(key))}}
}

// writeUntilKilled creates RFQs, finishes jobs and delivers events from several
// goroutines and writes a line for each only when it is acknowledged.
func writeUntilKilled(ctx context.Context, path string, acknowledged io.Writer) error {
	store, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	rfqs, preflight, err := services(store)
	if err != nil {
		return err
	}
	failures := make(chan error)
	for range 3 {
		go func() {
			for {
				key := rand.Text()
				created, err := rfqs.Create(ctx, crasher, crashBody, crashTerms(key))
				if err != nil {
					failures <- err
					return
				}
				// One call writes the whole line, so that the line is complete or absent.
				_, _ = fmt.Fprintf(acknowledged, "rfq %s %s\n", created.RFQ.ID, key)
			}
		}()
	}
	go func() {
		for {
			id, err := inspectOnce(ctx, preflight)
			if err != nil {
				failures <- err
				return
			}
			_, _ = fmt.Fprintf(acknowledged, "job %s %s\n", id, id)
		}
	}()
	go func() {
		for {
			id, err := deliverOnce(ctx, store)
			if err != nil {
				failures <- err
				return
			}
			_, _ = fmt.Fprintf(acknowledged, "delivery %s %s\n", id, id)
		}
	}()
	return <-failures
}

var crashEndpoint = webhook.Endpoint{
	Address: webhook.Address{Owner: crasher, Name: "orders"}, URL: "https://orders.example.com/",
}

// deliverOnce relays the next event, if there is one, and delivers a due one. The lease
// ends at once, so that a killed process leaves nothing claimed.
func deliverOnce(ctx context.Context, store *Store) (string, error) {
	for {
		if err := relayOne(ctx, store); err != nil {
			return "", err
		}
		claims, err := store.Claim(ctx, []webhook.Lane{{Address: crashEndpoint.Address, Most: 1}}, 1, testTime, 0)
		if err != nil {
			return "", err
		}
		if len(claims) == 0 {
			continue
		}
		_, err = store.Record(ctx, []webhook.Result{{
			Claim: claims[0], State: webhook.Delivered, EndedAt: testTime, Attempt: webhook.Attempt{At: testTime, Status: 204},
		}}, testTime)
		return claims[0].ID, err
	}
}

func relayOne(ctx context.Context, store *Store) error {
	if err := store.Enroll(ctx, []webhook.Endpoint{crashEndpoint}, testTime); err != nil {
		return err
	}
	from, err := store.Relayed(ctx)
	if err != nil {
		return err
	}
	entries, err := store.Events(ctx, from, 1)
	if err != nil || len(entries) == 0 {
		return err
	}
	id, err := recordid.New(webhook.DeliveryPrefix, testTime, rand.Reader)
	if err != nil {
		return err
	}
	_, err = store.Relay(ctx, from, entries[0].Seq, []webhook.Delivery{{
		ID: id, Address: crashEndpoint.Address, Event: entries[0].Event, State: webhook.Pending, DueAt: testTime, CreatedAt: testTime,
	}})
	return err
}

func inspectOnce(ctx context.Context, preflight *preflightjob.Service) (string, error) {
	submitted, err := preflight.Submit(ctx, crasher, preflightjob.Request{FileURL: "https://files.example.com/a.pdf", Profile: "print_ready"}, 1<<30)
	if err != nil {
		return "", err
	}
	id := submitted.Job.ID
	if _, err := preflight.Begin(ctx, id, 1, "w1"); err != nil {
		return "", err
	}
	_, err = preflight.Finish(ctx, id, 1, "w1", preflightjob.Result{Report: []byte(`{"id":"` + id + `"}`), Verdict: preflightjob.Pass})
	return id, err
}

func TestAcknowledgedWritesSurviveAKillAtAnyInstant(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	acknowledged := map[string][]string{}
	for round := range 4 {
		for _, line := range killAfter(t, path, 1+mathrand.IntN(80)) {
			if kind, rest, whole := strings.Cut(line, " "); whole {
				acknowledged[kind] = append(acknowledged[kind], rest)
			}
		}
		checkSurvivors(t, path, acknowledged)
		t.Logf("round %d: %d rfqs, %d jobs and %d deliveries acknowledged so far", round,
			len(acknowledged["rfq"]), len(acknowledged["job"]), len(acknowledged["delivery"]))
	}
}

// killAfter runs the writing process, kills it once it has acknowledged n
// writes, while it is busy with the next ones, and returns every line it wrote.
func killAfter(t *testing.T, path string, n int) []string {
	t.Helper()
	writing := exec.CommandContext(t.Context(), os.Args[0])
	writing.Env = append(os.Environ(), crashEnv+"="+path)
	var diagnosis strings.Builder
	writing.Stderr = &diagnosis
	output, err := writing.StdoutPipe()
	if err != nil {
		t.Fatalf("writing.StdoutPipe: %v", err)
	}
	if err := writing.Start(); err != nil {
		t.Fatalf("writing.Start: %v", err)
	}
	var lines []string
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		if lines = append(lines, scanner.Text()); len(lines) == n {
			_ = writing.Process.Kill()
		}
	}
	// The wait for a killed process always returns an error; the test checks the lines.
	_ = writing.Wait()
	if len(lines) < n {
		t.Fatalf("the writing process ended before it was killed, after %d writes: %s", len(lines), diagnosis.String())
	}
	return lines
}

func checkSurvivors(t *testing.T, path string, acknowledged map[string][]string) {
	t.Helper()
	store, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatalf("open after kill: %v", err)
	}
	defer func() { _ = store.Close() }()
	rfqs, preflight, err := services(store)
	if err != nil {
		t.Fatalf("services: %v", err)
	}
	for _, entry := range acknowledged["rfq"] {
		id, key, _ := strings.Cut(entry, " ")
		if _, err := rfqs.Get(t.Context(), crasher, id); err != nil {
			t.Errorf("acknowledged rfq %s: %v", id, err)
		}
		if got, found, err := rfqs.Replay(t.Context(), crasher, crashTerms(key).Idempotency); err != nil || !found || got.ID != id {
			t.Errorf("key of acknowledged rfq %s replays %s, found = %t, %v; want the same id", id, got.ID, found, err)
		}
	}
	for _, entry := range acknowledged["job"] {
		id, _, _ := strings.Cut(entry, " ")
		if report, err := preflight.Report(t.Context(), crasher, id); err != nil || !strings.Contains(string(report), id) {
			t.Errorf("report of acknowledged job %s: %s, %v", id, report, err)
		}
	}
	for _, entry := range acknowledged["delivery"] {
		id, _, _ := strings.Cut(entry, " ")
		if got, attempts, err := store.Delivery(t.Context(), crasher, id); err != nil || got.State != webhook.Delivered || len(attempts) != 1 {
			t.Errorf("acknowledged delivery %+v with %d attempts, %v", got, len(attempts), err)
		}
	}
	checkWhole(t, store)
}

// checkWhole asserts that no transaction survived in part.
func checkWhole(t *testing.T, store *Store) {
	t.Helper()
	for question, want := range map[string]string{
		"PRAGMA integrity_check": "ok",
		"SELECT (SELECT count(*) FROM rfq) = (SELECT count(*) FROM idempotency)":                                              "1",
		"SELECT (SELECT count(*) FROM rfq) = (SELECT sum(used) FROM quota)":                                                   "1",
		"SELECT (SELECT count(*) FROM rfq) = (SELECT count(*) FROM outbox WHERE type = 'rfq.created')":                        "1",
		"SELECT (SELECT count(*) FROM report) = (SELECT count(*) FROM job WHERE status = 'succeeded')":                        "1",
		"SELECT (SELECT count(*) FROM outbox WHERE type LIKE 'preflight.%') = (SELECT count(*) FROM job WHERE verdict <> '')": "1",
		"SELECT (SELECT relayed FROM webhook_head) = (SELECT count(*) FROM webhook_delivery)":                                 "1",
		"SELECT (SELECT count(*) FROM webhook_attempt) = (SELECT count(*) FROM webhook_delivery WHERE state = 'delivered')":   "1",
	} {
		var got string
		if err := store.reader.QueryRowContext(t.Context(), question).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", question, got, err, want)
		}
	}
}
