// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// endLoad ends the load and all faults, waits until every job has ended and returns the time of
// the wait.
func (f *chaos) endLoad() time.Duration {
	f.Helper()
	f.stopLoad()
	f.workers.resume(true)
	f.workers.check()
	started := time.Now()
	f.until("every job has ended", func() bool {
		return f.count(`SELECT count(*) FROM job WHERE status IN ('queued', 'processing')`) == 0
	})
	return time.Since(started)
}

// demand checks the conditions that hold after every run.
func (f *chaos) checkInvariants() {
	f.Helper()
	f.checkRows()
	f.checkQueue()
	f.workers.check()
	f.workers.leave()
	if left := f.consumers(); len(left) > 0 {
		f.Errorf("consumers that have left are still registered: %v", left)
	}
	stats, err := f.queue.Stats(f.Context())
	if err != nil || stats.Slots != 0 || stats.Consumers != 0 {
		f.Errorf("without workers the queue has %d workers with %d slots (%v), want 0", stats.Consumers, stats.Slots, err)
	}
}

func (f *chaos) checkRows() {
	f.Helper()
	if got := f.count(`SELECT count(*) FROM job WHERE id = ANY($1)`, f.acknowledged); got != len(f.acknowledged) {
		f.Errorf("%d of %d acknowledged jobs are stored", got, len(f.acknowledged))
	}
	f.query(func(ctx context.Context, conn *pgx.Conn) error {
		var faults *string
		err := conn.QueryRow(ctx, `SELECT string_agg(id || ': ' || what, '; ') FROM (SELECT * FROM fault LIMIT 10) AS first`).Scan(&faults)
		if faults != nil {
			f.Errorf("forbidden changes of rows: %s", *faults)
		}
		return err
	})
	for what, query := range map[string]string{
		"jobs that succeeded without a report":          `SELECT count(*) FROM job WHERE status = 'succeeded' AND id NOT IN (SELECT job_id FROM report)`,
		"reports of jobs that did not succeed":          `SELECT count(*) FROM report JOIN job ON id = job_id WHERE status <> 'succeeded'`,
		"jobs without exactly one event of their end":   `SELECT count(*) FROM job WHERE 1 <> (SELECT count(*) FROM outbox WHERE subject = job.id)`,
		"jobs whose event has another status":           `SELECT count(*) FROM job JOIN outbox ON subject = job.id WHERE outbox.type <> 'preflight.' || job.status`,
		"jobs that failed though the engine did not":    `SELECT count(*) FROM job WHERE status = 'failed' AND failure_code <> 'ENGINE_CRASH'`,
		"jobs that ended without a worker or a partner": `SELECT count(*) FROM job WHERE attempt = 0 AND status <> 'cancelled'`,
	} {
		if got := f.count(query); got != 0 {
			f.Errorf("%s: %d, want 0", what, got)
		}
	}
}

// remains matches the keys of an empty queue: its own figures, those of tenants for some
// time, and dead letters. The stream exists and is empty.
var remains = regexp.MustCompile(`^pm:\{preflight\}:(s|epoch|meta|slots|seen|reclaimed|dead|t:.*|dead:.*)$`)

func (f *chaos) checkQueue() {
	f.Helper()
	var strange, behind []string
	defer func() {
		if f.Failed() {
			f.Logf("strange keys %q, consumers that are gone %q of %q", strange, behind, f.consumers())
		}
	}()
	f.until("the queue is empty and only the living are in it", func() bool {
		stats, err := f.queue.Stats(f.Context())
		if err != nil || stats.Open != 0 || stats.Held != 0 || stats.Delayed != 0 {
			return false
		}
		strange, behind = f.strangeKeys(), slices.DeleteFunc(f.consumers(), func(name string) bool { return slices.Contains(f.workers.names(), name) })
		return len(strange) == 0 && len(behind) == 0
	})
	if n, err := f.redis.XLen(f.Context(), "pm:{preflight}:s").Result(); err != nil || n != 0 {
		f.Errorf("%d entries in the stream, %v", n, err)
	}
	dead, err := f.redis.ZRange(f.Context(), "pm:{preflight}:dead", 0, -1).Result()
	f.must(err)
	if got := f.count(`SELECT count(*) FROM job WHERE id = ANY($1) AND status = 'failed'`, dead); got != len(dead) {
		f.Errorf("%d dead letters, of which %d failed", len(dead), got)
	}
}

func (f *chaos) strangeKeys() []string {
	f.Helper()
	keys, err := f.redis.Keys(f.Context(), "*").Result()
	f.must(err)
	return slices.DeleteFunc(keys, remains.MatchString)
}

func (f *chaos) consumers() (names []string) {
	f.Helper()
	infos, err := f.redis.XInfoConsumers(f.Context(), "pm:{preflight}:s", "workers").Result()
	f.must(err)
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}

// summarize prints the events of the run and its cost.
func (f *chaos) summarize(done map[string]int, drained time.Duration) {
	f.Helper()
	lines, err := os.ReadFile(f.executed)
	f.must(err)
	inspected, planned := map[string]bool{}, 0
	executions := 0
	for line := range strings.Lines(string(lines)) {
		address, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		inspected[address] = true
		executions++
		if outcome != "good" {
			planned++
		}
	}
	f.Logf("%v", done)
	failed := f.count(`SELECT count(*) FROM job WHERE status = 'failed'`)
	f.query(func(ctx context.Context, conn *pgx.Conn) error {
		var ends string
		err := conn.QueryRow(ctx, `SELECT string_agg(n || ' ' || status, ', ') FROM (SELECT status, count(*) AS n FROM job GROUP BY status) AS by`).Scan(&ends)
		f.Logf("%d jobs acknowledged; ended: %s", len(f.acknowledged), ends)
		return err
	})
	f.Logf("%d executions of %d jobs: %d extra, about %d of them because the engine failed; most attempts of a job: %d",
		executions, len(inspected), executions-len(inspected), planned-failed, f.count(`SELECT max(attempt) FROM job`))
	f.Logf("the rest took %s", drained.Round(time.Millisecond))
}
