// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/pgtest"
)

// process describes a kind of process of an installation: its database role, its login
// and the statements that it runs.
type process struct {
	role       string
	login      *url.Userinfo
	statements statementLog
}

// deployment holds the processes of an installation.
type deployment struct {
	api, worker, webhooks *process
	// template is the address of an empty database with the schema, the rights of the
	// processes and a clock that tests set.
	template string
}

// newDeployment creates the roles of the processes, which are dropped when the
// test ends, and the template of their databases.
func newDeployment(t *testing.T) deployment {
	t.Helper()
	address := pgtest.Shared(t)
	create := func() *process {
		role, at := newRole(t, address)
		parsed, err := url.Parse(at)
		if err != nil {
			t.Fatal("the address of the test database cannot be parsed")
		}
		return &process{role: role, login: parsed.User}
	}
	// Created after the roles, so that it is dropped before them.
	d := deployment{create(), create(), create(), pgtest.Shared(t)}
	store, err := Open(t.Context(), d.template, patient)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := errors.Join(store.Migrate(t.Context()), store.Grant(t.Context(), d.roles())); err != nil {
		t.Fatalf("errors.Join: %v", err)
	}
	// A database with connections cannot be copied.
	if err := store.Close(); err != nil {
		t.Fatalf("store.Close: %v", err)
	}
	execute(t, d.template, replaceClock()...)
	execute(t, d.template, `GRANT SELECT ON test_clock TO PUBLIC`)
	return d
}

// newDatabase returns the store of the owner of a new database of the installation.
func (d deployment) newDatabase(t *testing.T) clocked {
	t.Helper()
	address := pgtest.Copy(t, d.template)
	t.Cleanup(func() { wantNoDeadlocks(t, address) }) // once the store is closed
	return clocked{openUnmigrated(t, address, patient), address}
}

// address returns the address of a database for a process.
func (p *process) address(t *testing.T, database string) string {
	t.Helper()
	return with(t, database, func(u *url.URL) { u.User = p.login })
}

// statements returns the statements that all processes have run.
func (d deployment) statements() []string {
	var all statementLog
	for _, p := range []*process{d.api, d.worker, d.webhooks} {
		for _, statement := range p.statements.all() {
			all.add(statement)
		}
	}
	return all.all()
}

// roles returns the roles as [Store.Grant] takes them.
func (d deployment) roles() Roles {
	return Roles{API: d.api.role, Worker: d.worker.role, Webhooks: d.webhooks.role}
}

// deployed runs each operation with the rights of the process that runs it in an installation;
// the default is the rights of the API servers.
type deployed struct {
	*Store
	owner            clocked
	worker, webhooks *Store
}

// open returns a store of a new database.
func (d deployment) open(t *testing.T) deployed {
	t.Helper()
	owner := d.newDatabase(t)
	as := func(p *process) *Store { return openTraced(t, p.address(t, owner.address), &p.statements) }
	return deployed{as(d.api), owner, as(d.worker), as(d.webhooks)}
}

// openTraced is like openUnmigrated, with a tracer.
func openTraced(t *testing.T, address string, log pgx.QueryTracer) *Store {
	t.Helper()
	options := patient.withDefaults()
	config, err := configure(address, options)
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	config.ConnConfig.Tracer = log
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("pgxpool.NewWithConfig: %v", err)
	}
	store := newStore(pool, options)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

// shared lists the statements of other processes that a process may run as well,
// by a part of the statement, with the reason.
var shared = []sharedStatement{
	{"worker", "compare_file, summary, shares FROM job WHERE", "workers read jobs to begin them"},
	{"worker", "SELECT 1 FROM job WHERE tenant", "workers read jobs to begin them"},
	{"worker", "SELECT number_outbox(", "EXPLAIN does not run the function, which has the rights of its caller"},
	{"worker", "FROM uploaded_file", "workers check the tenant of a file before they open it"},
	{"webhooks", "SELECT publish(", "EXPLAIN does not run the function, which has the rights of its caller"},
	{"webhooks", "SELECT 1 FROM outbox WHERE tenant", "workers read events to relay them"},
	{"webhooks", "FROM webhook_delivery", "workers claim, record and erase deliveries"},
	{"webhooks", "UPDATE webhook_delivery", "workers claim, record and erase deliveries"},
	{"webhooks", "FROM webhook_endpoint", "workers enroll and disable endpoints"},
	{"webhooks", "UPDATE webhook_endpoint", "workers enroll and disable endpoints"},
	{"webhooks", "FROM webhook_attempt", "workers record attempts"},
}

type sharedStatement struct{ process, statement, reason string }

// wantConfined checks that no process has rights for statements that only other processes run.
func (d deployment) wantConfined(t *testing.T) {
	t.Helper()
	owner := d.newDatabase(t)
	for name, p := range map[string]*process{"worker": d.worker, "webhooks": d.webhooks} {
		conn, own, denied := connect(t, p.address(t, owner.address)), p.statements.all(), 0
		for i, statement := range d.statements() {
			if !explainable.MatchString(statement) || slices.Contains(own, statement) {
				continue
			}
			_, err := genericPlan(t.Context(), conn, fmt.Sprint("statement_", i), statement)
			if code(err) == insufficientPrivilege {
				denied++
				continue
			}
			if !slices.ContainsFunc(shared, func(s sharedStatement) bool {
				return s.process == name && strings.Contains(statement, s.statement)
			}) {
				t.Errorf("the role of the process %s can run a statement that the process never runs, error = %v, want insufficient privilege:\n%s", name, err, statement)
			}
		}
		if denied == 0 {
			t.Errorf("no statement was denied to the role of the process %s, want those of the other processes", name)
		}
	}
}

func (d deployed) SetClock(t testing.TB, now time.Time) {
	t.Helper()
	d.owner.SetClock(t, now)
}

// Preflight workers.

// AmendJob has the rights of the workers, which begin and finish jobs. API servers
// cancel jobs with the same rights and more.
func (d deployed) AmendJob(ctx context.Context, id string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	return d.worker.AmendJob(ctx, id, decide)
}

// Webhook workers.

func (d deployed) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	return d.webhooks.Events(ctx, after, limit)
}

func (d deployed) Relayed(ctx context.Context) (int64, error) { return d.webhooks.Relayed(ctx) }

func (d deployed) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (bool, error) {
	return d.webhooks.Relay(ctx, from, to, deliveries)
}

func (d deployed) Enroll(ctx context.Context, endpoints []webhook.Endpoint, now time.Time) error {
	return d.webhooks.Enroll(ctx, endpoints, now)
}

func (d deployed) Claim(ctx context.Context, lanes []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	return d.webhooks.Claim(ctx, lanes, room, now, lease)
}

func (d deployed) Release(ctx context.Context, claims []webhook.Claim) error {
	return d.webhooks.Release(ctx, claims)
}

func (d deployed) Record(ctx context.Context, results []webhook.Result, now time.Time) ([]webhook.Standing, error) {
	return d.webhooks.Record(ctx, results, now)
}

func (d deployed) PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error) {
	return d.webhooks.PurgeWebhooks(ctx, before, limit)
}
