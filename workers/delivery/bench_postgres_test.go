// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	domain "github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/programs"
	"github.com/printmarket/printmarket/test/webhooktest"
	"github.com/printmarket/printmarket/workers/delivery"
)

// receiverEnv names the variable that makes this binary run the receivers of a benchmark.
const receiverEnv = "PRINTMARKET_TEST_WEBHOOK_RECEIVER"

func TestMain(m *testing.M) {
	if os.Getenv(receiverEnv) != "" {
		receiveForAnother()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// BenchmarkOnPostgreSQL delivers on a real PostgreSQL: the worker relays events of the
// outbox, claims, signs and posts them to a hundred receivers on this machine, and records
// the results. A second run adds one receiver that never responds. The worker has one CPU;
// database and receivers are other processes, so that its CPU time is measured alone.
func BenchmarkOnPostgreSQL(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var alone, beside []figures
	for b.Loop() {
		alone = append(alone, deliverFromPostgreSQL(b, 100, 50, false))
		beside = append(beside, deliverFromPostgreSQL(b, 100, 50, true))
	}
	of := func(all []figures, figure func(figures) float64) float64 {
		sum := 0.0
		for _, one := range all {
			sum += figure(one)
		}
		return sum / float64(len(all))
	}
	perCore := func(f figures) float64 { return f.perCore }
	p99 := func(f figures) float64 { return f.p99.Seconds() * 1000 }
	b.ReportMetric(of(alone, perCore), "deliveries/core-s")
	b.ReportMetric(of(beside, perCore), "deliveries/core-s-beside")
	b.ReportMetric(of(alone, func(f figures) float64 { return f.rate }), "deliveries/s")
	b.ReportMetric(of(alone, p99), "p99-ms")
	b.ReportMetric(of(beside, p99), "p99-ms-beside")
	b.ReportMetric(of(beside, p99)/of(alone, p99), "p99-ratio")
}

// BenchmarkEndpoints delivers 20,000 events, which are shared equally by some endpoints of one
// partner each, with a worker that uses all CPUs. deliveries/s is measured beside the load of the
// machine. The metrics cpu-us are the CPU time of a delivery in microseconds, and capacity is the
// deliveries per second for which two CPUs suffice. fairness is the number of posts to the
// endpoint that got the fewest when half had arrived, as a share of the mean.
func BenchmarkEndpoints(b *testing.B) {
	for _, endpoints := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("endpoints=", endpoints), func(b *testing.B) { benchmarkEndpoints(b, endpoints) })
	}
}

func benchmarkEndpoints(b *testing.B, endpoints int) {
	var all figures
	for b.Loop() {
		all = deliverFromPostgreSQL(b, endpoints, 20_000/endpoints, false)
	}
	micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(all.rate, "deliveries/s")
	b.ReportMetric(micros(all.worker), "worker-cpu-us")
	b.ReportMetric(micros(all.database), "database-cpu-us")
	b.ReportMetric(micros(all.receivers), "receivers-cpu-us")
	b.ReportMetric(micros(all.worker+all.database+all.receivers), "cpu-us")
	b.ReportMetric(2e6/micros(all.worker+all.database+all.receivers), "capacity")
	b.ReportMetric(all.fairness, "fairness")
}

// benchmarked is the installation that a benchmark measures.
type benchmarked struct {
	*testing.B
	database  string
	store     *postgres.Store
	directory webhooktest.Directory
	owners    []tenant.ID
}

// deliverFromPostgreSQL delivers events to each of some healthy partners.
func deliverFromPostgreSQL(b *testing.B, healthy, events int, dead bool) figures {
	receivers := startReceivers(b)
	defer receivers.stop()
	m := newBenchmarked(b)
	for i := range healthy {
		m.declare(i, fmt.Sprintf("%s/healthy/%d", receivers.address, i))
	}
	if dead {
		m.declare(healthy, receivers.address+"/dead")
	}
	m.enroll()
	m.commit(events)
	database, receiver := pgtest.PID(b, m.database), receivers.process.Process.Pid
	began, used, usedByDatabase, usedByReceivers := time.Now(), programs.OwnCPUTime(b), programs.CPUTime(b, database), programs.CPUTime(b, receiver)
	stop := m.work()
	for receivers.get("/count") != fmt.Sprint(healthy*events) {
		if time.Since(began) > 2*time.Minute {
			b.Fatalf("%s of %d posts arrived", receivers.get("/count"), healthy*events)
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	used, usedByDatabase, usedByReceivers = programs.OwnCPUTime(b)-used, programs.CPUTime(b, database)-usedByDatabase, programs.CPUTime(b, receiver)-usedByReceivers
	var came []arrival
	if err := json.Unmarshal([]byte(receivers.get("/arrivals")), &came); err != nil {
		b.Fatalf("json.Unmarshal: %v", err)
	}
	m.mustHaveRecorded(healthy * events)
	posts, count := time.Duration(len(came)), map[string]int{}
	took := make([]time.Duration, len(came))
	for i, one := range came {
		took[i] = one.At.Sub(began)
		if i < len(came)/2 {
			count[one.Path]++
		}
	}
	least := events
	for i := range healthy {
		least = min(least, count[fmt.Sprintf("/healthy/%d", i)])
	}
	slices.Sort(took)
	return figures{
		perCore: float64(posts) / used.Seconds(), rate: float64(posts) / took[len(took)-1].Seconds(), p99: took[len(took)*99/100],
		worker: used / posts, database: usedByDatabase / posts, receivers: usedByReceivers / posts,
		fairness: float64(least) / (float64(events) / 2),
	}
}

func newBenchmarked(b *testing.B) *benchmarked {
	b.Helper()
	m := &benchmarked{B: b, database: pgtest.Start(b).URL("postgres")}
	store, err := postgres.Open(b.Context(), m.database, postgres.Options{MaxConns: 4})
	if err != nil {
		b.Fatalf("postgres.Open: %v", err)
	}
	b.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(b.Context()); err != nil {
		b.Fatalf("store.Migrate: %v", err)
	}
	m.store = store
	return m
}

// declare adds a partner with one endpoint.
func (m *benchmarked) declare(i int, url string) {
	owner := tenant.ID{Organization: fmt.Sprintf("org_bench%03d", i), Mode: tenant.Live}
	m.owners = append(m.owners, owner)
	m.directory.Declare(append(m.directory.Endpoints(time.Now()), domain.Endpoint{
		Address: domain.Address{Owner: owner, Name: "mis"}, URL: url, Secrets: []credential.Secret{newer},
	})...)
}

func (m *benchmarked) enroll() {
	if err := m.store.Enroll(m.Context(), m.directory.Endpoints(time.Now()), time.Now()); err != nil {
		m.Fatalf("m.store.Enroll: %v", err)
	}
}

// commit commits n events of each partner, in turn.
func (m *benchmarked) commit(n int) {
	conn, err := pgx.Connect(m.Context(), m.database)
	if err != nil {
		m.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = conn.Close(m.Context()) }()
	var rows [][]any
	for range n {
		for _, owner := range m.owners {
			subject, err := recordid.New(recordid.RFQ, time.Now(), rand.Reader)
			if err != nil {
				m.Fatalf("recordid.New: %v", err)
			}
			event, err := transaction.NewEvent(transaction.RFQQuoted, subject, time.Now(), rand.Reader)
			if err != nil {
				m.Fatalf("transaction.NewEvent: %v", err)
			}
			rows = append(rows, []any{event.ID, owner.String(), string(event.Type), event.Subject, event.At})
		}
	}
	columns := []string{"id", "tenant", "type", "subject", "at"}
	if _, err := conn.CopyFrom(m.Context(), pgx.Identifier{"outbox"}, columns, pgx.CopyFromRows(rows)); err != nil {
		m.Fatalf("conn.CopyFrom: %v", err)
	}
}

// work starts a worker with the defaults of an installation; stop waits until the worker has
// ended.
func (m *benchmarked) work() (stop func()) {
	f := &fixture{TB: m.B}
	return f.run(delivery.New(delivery.Config{
		Store: m.store, Directory: &m.directory,
		Relay:   &domain.Relay{Store: m.store, Directory: &m.directory, Now: time.Now, Random: rand.Reader},
		Sender:  domain.Sender{Schedule: domain.Schedule{Random: mathrand.Float64}, Now: time.Now},
		Connect: delivery.Connections(safehttp.Config{Allow: local, UserAgent: "test/1"}),
		Drain:   time.Millisecond, Random: mathrand.Float64, Now: time.Now,
		Log: telemetry.NewLogger(io.Discard, slog.LevelInfo), Metrics: telemetry.NewMetrics(),
	}))
}

// mustHaveRecorded fails the benchmark unless n deliveries are recorded as delivered.
func (m *benchmarked) mustHaveRecorded(want int) {
	conn, err := pgx.Connect(m.Context(), m.database)
	if err != nil {
		m.Fatalf("pgx.Connect: %v", err)
	}
	defer func() { _ = conn.Close(m.Context()) }()
	var recorded int
	err = conn.QueryRow(m.Context(), `SELECT count(*) FROM webhook_delivery d WHERE state = 'delivered' AND attempts = 1
		AND EXISTS (SELECT FROM webhook_attempt a WHERE a.delivery_id = d.id)`).Scan(&recorded)
	if err != nil || recorded != want {
		m.Fatalf("%d are delivered, %v; want %d", recorded, err, want)
	}
}

// remote holds the receivers, which run in a separate process.
type remote struct {
	*testing.B
	address string
	process *exec.Cmd
	input   io.Closer
}

func startReceivers(b *testing.B) *remote {
	b.Helper()
	r := &remote{B: b, process: exec.CommandContext(b.Context(), os.Args[0])}
	r.process.Env = append(os.Environ(), receiverEnv+"=1")
	r.process.Stderr = os.Stderr
	input, err := r.process.StdinPipe()
	if err != nil {
		b.Fatalf("r.process.StdinPipe: %v", err)
	}
	output, err := r.process.StdoutPipe()
	if err != nil {
		b.Fatalf("r.process.StdoutPipe: %v", err)
	}
	r.input = input
	if err := r.process.Start(); err != nil {
		b.Fatalf("r.process.Start: %v", err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		b.Fatalf("bufio.NewReader().ReadString: %v", err)
	}
	r.address = strings.TrimSpace(line)
	return r
}

// stop closes the input of the process, which ends the process.
func (r *remote) stop() {
	_ = r.input.Close()
	if err := r.process.Wait(); err != nil {
		r.Errorf("r.process.Wait: %v", err)
	}
}

func (r *remote) get(path string) string {
	answer, err := http.Get(r.address + path)
	if err != nil {
		r.Fatalf("http.Get: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil {
		r.Fatalf("body.ReadFrom: %v", err)
	}
	return body.String()
}

// receiveForAnother receives posts until the standard input ends, and reports them.
func receiveForAnother() {
	var came arrivals
	var over atomic.Bool
	mux := http.NewServeMux()
	mux.Handle("/healthy/", &came)
	mux.HandleFunc("/dead", func(_ http.ResponseWriter, r *http.Request) {
		for !over.Load() && r.Context().Err() == nil {
			time.Sleep(100 * time.Millisecond)
		}
	})
	mux.HandleFunc("/count", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, came.count()) })
	mux.HandleFunc("/arrivals", func(w http.ResponseWriter, _ *http.Request) {
		came.mu.Lock()
		defer came.mu.Unlock()
		_ = json.NewEncoder(w).Encode(came.all) // the reader notices missing data
	})
	server := httptest.NewServer(mux)
	_, _ = fmt.Fprintln(os.Stdout, server.URL) // the parent notices a missing line
	_, _ = io.Copy(io.Discard, os.Stdin)
	over.Store(true)
	server.CloseClientConnections()
	server.Close()
}
