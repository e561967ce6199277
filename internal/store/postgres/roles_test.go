// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/test/pgtest"
)

// insufficientPrivilege is the SQLSTATE of an action for which a role has no right.
const insufficientPrivilege = "42501"

// newRole creates a role that may only log in, and returns its name and the URL under which
// it reaches the database. The role is dropped when the test ends.
func newRole(t testing.TB, address string) (role, at string) {
	t.Helper()
	role, password := "role_"+strings.ToLower(rand.Text()), rand.Text()
	execute(t, address, `CREATE ROLE `+role+` LOGIN PASSWORD '`+password+`'`)
	owner := connect(t, address)
	t.Cleanup(func() {
		if _, err := owner.Exec(context.WithoutCancel(t.Context()), `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Errorf("drop role: %v", err)
		}
	})
	return role, with(t, address, func(u *url.URL) { u.User = url.UserPassword(role, password) })
}

func TestWorkerRoleCanOnlyBeginAndFinishJobs(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	owner := openStore(t, address)
	role, narrow := newRole(t, address)
	execute(t, address, WorkerGrants(role))
	worker := openUnmigrated(t, narrow, patient)
	rfqs, preflight := services(t, owner)
	forbiddenRFQs, running := services(t, worker)
	record := create(t, rfqs, "k1")
	submitted, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 10)
	if err != nil {
		t.Fatalf("preflight.Submit: %v", err)
	}
	id := submitted.Job.ID

	if err := worker.CheckSchema(t.Context()); err != nil {
		t.Errorf("worker.CheckSchema: %v", err)
	}
	if _, err := running.Begin(t.Context(), id, 1, "w1"); err != nil {
		t.Errorf("running.Begin: %v", err)
	}
	if err := running.Progress(t.Context(), id, 1, "w1", preflightjob.Progress{PagesDone: 1, PagesTotal: 2}); err != nil {
		t.Errorf("running.Progress: %v", err)
	}
	result := passed(id)
	file := preflightjob.File{
		ID: recordid.First(preflightjob.FilePrefix, testTime), Tenant: acme, SHA256: strings.Repeat("0f", 32), Bytes: 1, CreatedAt: testTime, ExpiresAt: testTime.Add(time.Hour),
	}
	result.Fixed = &preflightjob.Fixed{File: &file}
	if _, err := running.Finish(t.Context(), id, 1, "w1", result); err != nil {
		t.Errorf("running.Finish: %v", err)
	}
	if got, err := owner.File(t.Context(), acme, file.ID); err != nil || got != file {
		t.Errorf("fixed file = %+v, %v, want that of the worker", got, err)
	}
	if report, err := preflight.Report(t.Context(), acme, id); err != nil || !strings.Contains(string(report), id) {
		t.Errorf("report %s (%v), want the report of the worker", report, err)
	}

	for verb, call := range map[string]func(context.Context) error{
		"create an rfq": func(ctx context.Context) error {
			_, err := forbiddenRFQs.Create(ctx, acme, posters, termsOf("k2"))
			return err
		},
		"read an rfq":  func(ctx context.Context) error { _, err := forbiddenRFQs.Get(ctx, acme, record.ID); return err },
		"list rfqs":    func(ctx context.Context) error { _, err := forbiddenRFQs.List(ctx, acme, rfq.Page{}); return err },
		"submit a job": func(ctx context.Context) error { _, err := running.Submit(ctx, acme, jobOf("k2"), 10); return err },
		"read a report": func(ctx context.Context) error {
			_, err := worker.JobDocument(ctx, acme, id, preflightjob.ReportDocument)
			return err
		},
		"purge jobs":            func(ctx context.Context) error { _, err := worker.PurgeJobs(ctx, testTime, 1); return err },
		"purge keys and quotas": func(ctx context.Context) error { return worker.PurgeKeysAndQuotas(ctx, testTime) },
		"read the outbox":       func(ctx context.Context) error { _, err := worker.Events(ctx, 0, 1); return err },
		"receive a callback": func(ctx context.Context) error {
			_, _, err := worker.ReceiveXJMF(ctx, callback, []xjmf.Job{{ID: "job-1"}}, waits)
			return err
		},
		"read callbacks": func(ctx context.Context) error { _, err := worker.XJMFRecords(ctx, acme, "", 1); return err },
		"read deliveries": func(ctx context.Context) error {
			_, err := worker.Deliveries(ctx, webhook.Query{Owner: acme, Limit: 1})
			return err
		},
		"claim deliveries": func(ctx context.Context) error {
			_, err := worker.Claim(ctx, []webhook.Lane{{Address: orders.Address, Most: 1}}, 1, testTime, 1)
			return err
		},
		"log requests": func(ctx context.Context) error { return worker.AddRequests(ctx, []requestlog.Entry{logged}) },
		"read requests": func(ctx context.Context) error {
			_, err := worker.Requests(ctx, requestlog.Query{Owner: acme, Limit: 1})
			return err
		},
		"relay events": func(ctx context.Context) error { _, err := worker.Relay(ctx, 0, 1, nil); return err },
		"mark jobs":    func(ctx context.Context) error { return worker.MarkDispatched(ctx, []string{id}, testTime) },
		"migrate": func(ctx context.Context) error {
			_, err := worker.pool.Exec(ctx, `DROP FUNCTION ledger_now()`)
			return err
		},
	} {
		if err := call(t.Context()); code(err) != insufficientPrivilege {
			t.Errorf("%s: error = %v, want insufficient privilege", verb, err)
		}
	}
}

func TestRuntimeRoleServesTheAPIAndCannotReplaceTheClock(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	owner := openStore(t, address)
	role, narrow := newRole(t, address)
	// Rights that another version granted are revoked.
	execute(t, address, `GRANT ALL ON rfq, job, report, outbox TO `+role)
	if err := owner.Grant(t.Context(), Roles{API: role}); err != nil {
		t.Fatalf("owner.Grant: %v", err)
	}
	store := openUnmigrated(t, narrow, patient)
	rfqs, preflight := services(t, store)
	record := create(t, rfqs, "k1")
	create(t, rfqs, "k1")
	submitted, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 10)
	if err != nil {
		t.Fatalf("preflight.Submit: %v", err)
	}
	later := testTime.Add(2 * preflightjob.Retention)
	if err := owner.Enroll(t.Context(), []webhook.Endpoint{orders}, testTime); err != nil {
		t.Fatalf("owner.Enroll: %v", err)
	}
	test := deliveryTo(t, orders.Address)
	for verb, call := range map[string]func(context.Context) error{
		"quote": func(ctx context.Context) error {
			_, err := rfqs.SubmitQuote(ctx, acme, record.ID, offerOf(t, "s1"), rfq.Instruction{})
			return err
		},
		"list rfqs":             func(ctx context.Context) error { _, err := rfqs.List(ctx, acme, rfq.Page{}); return err },
		"list quotes":           func(ctx context.Context) error { _, err := rfqs.Quotes(ctx, acme, record.ID); return err },
		"cancel a job":          func(ctx context.Context) error { _, err := preflight.Cancel(ctx, acme, submitted.Job.ID); return err },
		"sweep":                 func(ctx context.Context) error { _, err := preflight.Sweep(ctx, 0, 10); return err },
		"purge jobs":            func(ctx context.Context) error { _, err := store.PurgeJobs(ctx, later, 10); return err },
		"purge keys and quotas": func(ctx context.Context) error { return store.PurgeKeysAndQuotas(ctx, later) },
		"read the outbox":       func(ctx context.Context) error { _, err := store.Events(ctx, 0, 10); return err },
		"receive a callback": func(ctx context.Context) error {
			_, _, err := store.ReceiveXJMF(ctx, callback, []xjmf.Job{{ID: "job-1"}}, waits)
			return err
		},
		"list callbacks":     func(ctx context.Context) error { _, err := store.XJMFRecords(ctx, acme, "", 1); return err },
		"list states":        func(ctx context.Context) error { _, err := store.XJMFStates(ctx, acme, "job-1", 1); return err },
		"purge callbacks":    func(ctx context.Context) error { _, err := store.PurgeXJMF(ctx, later, 1); return err },
		"try an endpoint":    func(ctx context.Context) error { return store.AddDelivery(ctx, test) },
		"enable an endpoint": func(ctx context.Context) error { return store.Enable(ctx, orders.Address, testTime) },
		"recover deliveries": func(ctx context.Context) error {
			_, err := store.Recover(ctx, orders, testTime, testTime, 10, deliveryID)
			return err
		},
		"list deliveries": func(ctx context.Context) error {
			_, err := store.Deliveries(ctx, webhook.Query{Owner: acme, Limit: 1})
			return err
		},
		"log requests": func(ctx context.Context) error { return store.AddRequests(ctx, []requestlog.Entry{logged}) },
		"list requests": func(ctx context.Context) error {
			_, err := store.Requests(ctx, requestlog.Query{Owner: acme, Limit: 1})
			return err
		},
		"list denials": func(ctx context.Context) error {
			_, err := store.Denials(ctx, requestlog.DenialQuery{Since: testTime, Limit: 1})
			return err
		},
		"count denials": func(ctx context.Context) error {
			_, err := store.DeniedTimes(ctx, requestlog.DenialQuery{Since: testTime}, time.Hour)
			return err
		},
		"purge requests":   func(ctx context.Context) error { _, err := store.PurgeRequests(ctx, later, 1); return err },
		"add to the audit": func(ctx context.Context) error { return store.AddAuditEntry(ctx, changed) },
		"list endpoints":   func(ctx context.Context) error { _, err := store.Standings(ctx, acme); return err },
		"check the schema": store.CheckSchema,
		"compare clocks":   func(ctx context.Context) error { _, err := store.Skew(ctx); return err },
	} {
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if _, err := store.Redeliver(t.Context(), acme, test.ID, testTime); err != nil {
		t.Errorf("redeliver: %v", err)
	}
	if _, _, err := store.Delivery(t.Context(), acme, test.ID); err != nil {
		t.Errorf("read a delivery: %v", err)
	}
	for _, statement := range []string{
		`CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'`,
		`ALTER TABLE rfq ADD COLUMN mine text`,
		`DELETE FROM outbox`,
		`UPDATE outbox SET subject = ''`,
		`DELETE FROM rfq`,
		`DELETE FROM quote`,
		`DELETE FROM job`,
		`UPDATE report SET body = ''`,
		`UPDATE request_log SET key_name = ''`,
		`UPDATE audit SET reason = ''`,
		`DELETE FROM audit`,
		`UPDATE audit_head SET sequence = 0`,
		`DELETE FROM audit_head`,
		`DELETE FROM webhook_delivery`,
		`UPDATE webhook_delivery SET subject = ''`,
		`UPDATE webhook_endpoint SET url = ''`,
		`INSERT INTO webhook_endpoint (tenant) VALUES ('')`,
		`INSERT INTO webhook_attempt (delivery_id) VALUES ('')`,
		`UPDATE webhook_head SET relayed = 0`,
	} {
		if _, err := store.pool.Exec(t.Context(), statement); code(err) != insufficientPrivilege {
			t.Errorf("%s: error = %v, want insufficient privilege", statement, err)
		}
	}
}

// logged is a logged request.
var logged = requestlog.Entry{ID: "log_1", At: testTime, Tenant: acme, Requests: 1}

// changed is an audit entry.
var changed = transaction.AuditEntry{ID: "aud_1", At: testTime, Verb: transaction.CancelRFQ, Owner: acme, Subject: "rfq_1"}

// callback is a callback with the status Waiting of a job.
var callback = xjmf.Record{
	ID: "msg_1", Tenant: acme, Sender: "acme-mis", MessageID: "M1", Encoding: "xml", Body: []byte("<XJMF/>"),
	SentAt: testTime, ReceivedAt: testTime,
}

func waits(map[xjmf.Job]xjmf.State) (xjmf.Change, error) {
	status, err := xjmf.ParseNodeStatus("Waiting")
	state := xjmf.State{Update: xjmf.Update{Job: xjmf.Job{ID: "job-1"}, Status: status, Stamp: xjmf.Stamp{At: testTime}}, ReceivedAt: testTime}
	return xjmf.Change{Answer: []byte("<XJMF/>"), States: []xjmf.State{state}}, err
}

// TestRuntimeRoleCannotChooseHashesOfTheAudit inserts an entry with forged hashes.
func TestRuntimeRoleCannotChooseHashesOfTheAudit(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	owner := openStore(t, address)
	role, narrow := newRole(t, address)
	if err := owner.Grant(t.Context(), Roles{API: role}); err != nil {
		t.Fatalf("owner.Grant: %v", err)
	}
	store := openUnmigrated(t, narrow, patient)
	if err := store.AddAuditEntry(t.Context(), changed); err != nil {
		t.Fatalf("store.AddAuditEntry: %v", err)
	}
	if _, err := store.pool.Exec(t.Context(), `INSERT INTO audit (id, at, organization, key, request_id, verb, tenant, subject, reason, mode, sequence, hash)
		SELECT 'aud_2', at, organization, key, request_id, verb, tenant, subject, reason, 'test', 7, '' FROM audit`); err != nil {
		t.Fatalf("insert an entry with hashes: %v", err)
	}
	chain, err := store.AuditChain(t.Context(), tenant.Live, 0, 10)
	if err != nil || len(chain.Entries) != 2 {
		t.Fatalf("store.AuditChain: %d entries (%v), want 2", len(chain.Entries), err)
	}
	var head transaction.AuditHead
	for _, entry := range chain.Entries {
		if head, err = head.Verify(entry); err != nil {
			t.Errorf("Verify(%+v): %v", entry, err)
		}
	}
}

func TestUnknownRoleIsNamedInTheError(t *testing.T) {
	t.Parallel()
	store := openStore(t, pgtest.Shared(t))
	var unavailable *transaction.UnavailableError
	err := store.Grant(t.Context(), Roles{Webhooks: "unknown"})
	if err == nil || errors.As(err, &unavailable) || !strings.Contains(err.Error(), `role "unknown" does not exist`) {
		t.Errorf("error = %v, want the role's name and no UnavailableError", err)
	}
}
