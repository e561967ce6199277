// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

func with(t testing.TB, address string, change func(*url.URL)) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal("the address of the test database cannot be parsed")
	}
	change(parsed)
	return parsed.String()
}

func withParameter(t testing.TB, address, name, value string) string {
	t.Helper()
	return with(t, address, func(u *url.URL) {
		query := u.Query()
		query.Set(name, value)
		u.RawQuery = query.Encode()
	})
}

func TestSessionLimitsOverrideTheURL(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	for name := range map[string]bool{"statement_timeout": true, "lock_timeout": true, "timezone": true, "application_name": true} {
		address = withParameter(t, address, name, "0")
	}
	store := openUnmigrated(t, address, Options{})
	for setting, want := range map[string]string{
		"application_name": "printmarket", "timezone": "UTC", "statement_timeout": "5s", "lock_timeout": "2s",
		"idle_in_transaction_session_timeout": "10s", "default_transaction_isolation": "read committed",
	} {
		if got := queryOne[string](t, store.pool, `SELECT current_setting($1)`, setting); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
}

func TestVolatileDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	address := server.URL("postgres")
	refused := func(address, setting string) bool {
		store, err := Open(t.Context(), address, Options{})
		if err == nil {
			_ = store.Close()
		}
		var volatile *VolatileError
		return errors.As(err, &volatile) && volatile.Setting == setting && volatile.Got == "off"
	}
	if !refused(withParameter(t, address, "synchronous_commit", "off"), "synchronous_commit") {
		t.Error("synchronous_commit=off in the URL was accepted, want VolatileError")
	}
	execute(t, address, `ALTER ROLE `+pgtest.Superuser+` SET synchronous_commit = 'off'`)
	if !refused(address, "synchronous_commit") {
		t.Error("synchronous_commit=off of the role was accepted, want VolatileError")
	}
	execute(t, address, `ALTER ROLE `+pgtest.Superuser+` RESET synchronous_commit`)
	for _, mode := range []string{"local", "remote_write", "on", "remote_apply"} {
		openUnmigrated(t, withParameter(t, address, "synchronous_commit", mode), Options{})
	}
	running := openUnmigrated(t, address, Options{})
	for _, setting := range []string{"fsync", "full_page_writes"} {
		execute(t, address, `ALTER SYSTEM SET `+setting+` = 'off'`, `SELECT pg_reload_conf()`)
		eventually.Holds(t, setting+"=off is refused", func() bool { return refused(address, setting) })
		// An open store detects the setting when it is pinged, and then rejects every write.
		for _, err := range []error{running.Ping(t.Context()), running.CheckSchema(t.Context())} {
			var volatile *VolatileError
			if !errors.As(err, &volatile) {
				t.Errorf("with %s=off: error = %v, want VolatileError", setting, err)
			}
		}
		execute(t, address, `ALTER SYSTEM RESET `+setting, `SELECT pg_reload_conf()`)
		eventually.Holds(t, setting+"=on is accepted", func() bool { return running.Ping(t.Context()) == nil })
	}
}

func TestReadOnlyDatabaseIsReported(t *testing.T) {
	t.Parallel()
	address := pgtest.Start(t).URL("postgres")
	running := openUnmigrated(t, address, Options{})
	execute(t, address, `ALTER SYSTEM SET default_transaction_read_only = 'on'`, `SELECT pg_reload_conf()`)
	eventually.Holds(t, "an open store is not writable", func() bool { return errors.Is(running.Ping(t.Context()), ErrReadOnly) })
	execute(t, withParameter(t, address, "default_transaction_read_only", "off"), `ALTER SYSTEM RESET default_transaction_read_only`, `SELECT pg_reload_conf()`)
	eventually.Holds(t, "an open store is writable again", func() bool { return running.Ping(t.Context()) == nil })
}

func TestErrorOfAnUnreachableDatabaseOmitsThePassword(t *testing.T) {
	t.Parallel()
	const password = "hunter2-s3cret"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	present := pgtest.Shared(t)
	unreachable := func(err error) bool {
		var unavailable *transaction.UnavailableError
		return errors.As(err, &unavailable)
	}
	badURL := func(err error) bool { return errors.Is(err, ErrURL) }
	tests := map[string]struct {
		address string
		want    func(error) bool
		part    string
	}{
		"closed port": {"postgres://app:" + password + "@" + closed + "/market", unreachable, "connection refused"},
		"the password is wrong": {
			with(t, present, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), password) }), unreachable, "authentication failed",
		},
		"the database is missing":             {with(t, present, func(u *url.URL) { u.Path = "/missing" }), unreachable, "does not exist"},
		"an invalid port":                     {"postgres://app:" + password + "@db:port/market", badURL, "postgres://"},
		"a broken escape":                     {"postgres://app:" + password + "%zz@db/market", badURL, "postgres://"},
		"a password with reserved characters": {"postgres://app:" + password + "/@#?[@db:1:2/market", badURL, "postgres://"},
		"words in place of a URL":             {"host=db port=x password=" + password, badURL, "postgres://"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := Open(t.Context(), tc.address, Options{})
			if err == nil {
				_ = store.Close()
				t.Fatal("Open succeeded, want an error")
			}
			if !tc.want(err) || !strings.Contains(err.Error(), tc.part) {
				t.Errorf("error = %v, want one that contains %q", err, tc.part)
			}
			if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, password) {
				t.Error("the error contains the password")
			}
		})
	}
}

func TestStandbyIsRefused(t *testing.T) {
	t.Parallel()
	address := withParameter(t, pgtest.Shared(t), "default_transaction_read_only", "on")
	var unavailable *transaction.UnavailableError
	if _, err := Open(t.Context(), address, Options{}); !errors.As(err, &unavailable) || !errors.Is(err, ErrReadOnly) {
		t.Errorf("error = %v, want an UnavailableError and ErrReadOnly", err)
	}
}

func TestClosedStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	store, err := Open(t.Context(), pgtest.Shared(t), Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	_ = store.Close()
	for name, call := range map[string]func(context.Context) error{
		"ping":  store.Ping,
		"read":  func(ctx context.Context) error { _, err := store.Events(ctx, 0, 1); return err },
		"write": func(ctx context.Context) error { return store.MarkDispatched(ctx, []string{"pref_"}, testTime) },
	} {
		var unavailable *transaction.UnavailableError
		if err := call(t.Context()); !errors.As(err, &unavailable) || unavailable.Op == "" {
			t.Errorf("%s: error = %v, want UnavailableError that names its operation", name, err)
		}
	}
}

// TestCallsEndSoonIfTheServerHangs uses a server that sends nothing and does not enforce its own
// timeouts.
func TestCallsEndSoonIfTheServerHangs(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	open := func(options Options) *Store {
		store, err := Open(t.Context(), server.URL("postgres"), options)
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	patient := open(Options{})
	if err := patient.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	_, preflight := services(t, patient)
	submitted, err := preflight.Submit(t.Context(), acme, jobOf("k0"), 10)
	if err != nil {
		t.Fatalf("preflight.Submit: %v", err)
	}
	store := open(Options{MaxConns: 2, StatementTimeout: 100 * time.Millisecond})
	rfqs, preflight := services(t, store)
	t.Cleanup(server.Thaw)
	server.Freeze()
	for name, call := range map[string]func(context.Context) error{
		"a create": func(ctx context.Context) error { _, err := rfqs.Create(ctx, acme, posters, termsOf("k1")); return err },
		"a transaction": func(ctx context.Context) error {
			_, err := preflight.Begin(ctx, submitted.Job.ID, 1, "w1")
			return err
		},
		"a read": func(ctx context.Context) error { _, err := rfqs.List(ctx, acme, rfq.Page{}); return err },
		"a ping": store.Ping,
	} {
		ended := make(chan error, 1)
		go func() { ended <- call(t.Context()) }()
		select {
		case err := <-ended:
			var unavailable *transaction.UnavailableError
			if !errors.As(err, &unavailable) {
				t.Errorf("%s: error = %v, want UnavailableError", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s has not returned, want an UnavailableError in time", name)
		}
	}
	server.Thaw()
	eventually.Holds(t, "a create after the server goes on", func() bool {
		_, err := rfqs.Create(t.Context(), acme, posters, termsOf("k2"))
		return err == nil
	})
}

func TestOpenPreparesConnections(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	for name, tc := range map[string]struct {
		options Options
		want    int32
	}{
		"one by default":                            {Options{}, 1},
		"the configured number":                     {Options{Prepared: 5}, 5},
		"at most the maximum number of connections": {Options{MaxConns: 2, Prepared: 5}, 2},
	} {
		if got := openUnmigrated(t, address, tc.options).pool.Stat().IdleConns(); got != tc.want {
			t.Errorf("%s: %d connections, want %d", name, got, tc.want)
		}
	}
	role, narrow := newRole(t, address)
	execute(t, address, `ALTER ROLE `+role+` CONNECTION LIMIT 1`)
	openUnmigrated(t, narrow, Options{Prepared: 5}) // opens fewer connections and succeeds
}

// TestRefusalsUnderLoadAreOverloads runs more callers than connections: some callers always find
// a connection between two holders.
func TestRefusalsUnderLoadAreOverloads(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	store := openUnmigrated(t, address, Options{MaxConns: 2, AcquireTimeout: 20 * time.Millisecond})
	// Both connections are established first: until then, a wait is not an overload.
	var made []*pgxpool.Conn
	for range 2 {
		conn, err := store.pool.Acquire(t.Context())
		if err != nil {
			t.Fatalf("store.pool.Acquire: %v", err)
		}
		made = append(made, conn)
	}
	for _, conn := range made {
		conn.Release()
	}
	var group sync.WaitGroup
	var refused atomic.Int64
	for range 32 {
		group.Go(func() {
			for range 40 {
				err := store.use(t.Context(), "sleep", func(ctx context.Context, conn *pgxpool.Conn) error {
					_, err := conn.Exec(ctx, `SELECT pg_sleep(0.005)`)
					return err
				})
				if err == nil {
					continue
				}
				if refused.Add(1); !errors.Is(err, transaction.ErrOverloaded) {
					t.Errorf("error = %v, want ErrOverloaded", err)
				}
			}
		})
	}
	group.Wait()
	if refused.Load() == 0 {
		t.Error("no call was rejected, want some: otherwise the test proves nothing")
	}
}

func TestFullPoolIsOverloadedAndWritesNothing(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	store := openUnmigrated(t, address, Options{MaxConns: 2, AcquireTimeout: 20 * time.Millisecond, StatementTimeout: time.Minute})
	rfqs, _ := services(t, store)
	var busy []*pgxpool.Conn
	for range 2 {
		conn, err := store.pool.Acquire(t.Context())
		if err != nil {
			t.Fatalf("store.pool.Acquire: %v", err)
		}
		busy = append(busy, conn)
	}
	_, err := rfqs.Create(t.Context(), acme, posters, termsOf("k1"))
	var unavailable *transaction.UnavailableError
	if !errors.Is(err, transaction.ErrOverloaded) || !errors.As(err, &unavailable) {
		t.Errorf("error = %v, want ErrOverloaded in an UnavailableError", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Ping(cancelled); !errors.Is(err, context.Canceled) || errors.Is(err, transaction.ErrOverloaded) {
		t.Errorf("a cancelled caller: error = %v, want its cancellation and not ErrOverloaded", err)
	}
	for _, conn := range busy {
		conn.Release()
	}
	eventually.Holds(t, "a create after connections are free again", func() bool {
		created, err := rfqs.Create(t.Context(), acme, posters, termsOf("k1"))
		if err == nil && created.Replayed {
			t.Error("the overloaded create was written")
		}
		return err == nil
	})
}

func TestServerWithoutAFreeConnectionIsOverloaded(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	role, narrow := newRole(t, address)
	execute(t, address, `ALTER ROLE `+role+` CONNECTION LIMIT 1`)
	store := openUnmigrated(t, narrow, patient)
	held, err := store.pool.Acquire(t.Context())
	if err != nil {
		t.Fatalf("store.pool.Acquire: %v", err)
	}
	defer held.Release()
	if err := store.Ping(t.Context()); !errors.Is(err, transaction.ErrOverloaded) {
		t.Errorf("error = %v, want ErrOverloaded", err)
	}
}

func TestSkewIsTheDifferenceOfTheTwoClocks(t *testing.T) {
	t.Parallel()
	database := newClocked(t)
	database.SetClock(t, testTime.Add(90*time.Second))
	var calls atomic.Int64
	options := patient
	// On this clock the query takes two seconds, half of which is subtracted.
	options.Now = func() time.Time { return testTime.Add(time.Duration(2*(calls.Add(1)-1)) * time.Second) }
	store := openUnmigrated(t, database.address, options)
	if got, err := store.Skew(t.Context()); err != nil || got != 89*time.Second {
		t.Errorf("skew = %s (%v), want 1m29s", got, err)
	}
}

// roundTrips counts the messages that the driver sends.
type roundTrips struct{ queries, batches, prepares atomic.Int64 }

func (r *roundTrips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	r.queries.Add(1)
	return ctx
}
func (r *roundTrips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (r *roundTrips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	r.batches.Add(1)
	return ctx
}
func (r *roundTrips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (r *roundTrips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (r *roundTrips) TracePrepareStart(ctx context.Context, _ *pgx.Conn, _ pgx.TracePrepareStartData) context.Context {
	r.prepares.Add(1)
	return ctx
}
func (r *roundTrips) TracePrepareEnd(context.Context, *pgx.Conn, pgx.TracePrepareEndData) {}

func TestCreateIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	openStore(t, address)
	config, err := configure(address, patient)
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
	sent := &roundTrips{}
	config.ConnConfig.Tracer = sent
	config.MaxConns = 1
	// A ping after an idle second would be a second round trip.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("pgxpool.NewWithConfig: %v", err)
	}
	t.Cleanup(pool.Close)
	rfqs, preflight := services(t, newStore(pool, patient))
	both := func(key string) {
		create(t, rfqs, key)
		if _, err := preflight.Submit(t.Context(), acme, jobOf(key), 10); err != nil {
			t.Fatalf("preflight.Submit: %v", err)
		}
	}
	both("prepares its statements on a new connection")
	before := [3]int64{sent.queries.Load(), sent.batches.Load(), sent.prepares.Load()}
	both("k2")
	after := [3]int64{sent.queries.Load(), sent.batches.Load(), sent.prepares.Load()}
	if want := [3]int64{before[0] + 2, before[1], before[2]}; after != want {
		t.Errorf("queries, batches, prepares went from %v to %v by two creates, want %v", before, after, want)
	}
}
