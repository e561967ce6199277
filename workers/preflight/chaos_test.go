// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/redistest"
)

// event is a fault or change, with its number of repetitions in one round.
type event struct {
	name  string
	times int
	do    func(*chaos)
}

// inject runs the events of all rounds in random order, under load.
func (f *chaos) inject(events []event) {
	f.Helper()
	var schedule []event
	for _, e := range events {
		for range e.times * chaosRounds(f.T) {
			schedule = append(schedule, e)
		}
	}
	f.rng.Shuffle(len(schedule), func(i, j int) { schedule[i], schedule[j] = schedule[j], schedule[i] })
	done := map[string]int{}
	for _, e := range schedule {
		f.waitForExecutions()
		f.workers.resume(false)
		f.workers.check()
		f.history = append(f.history, fmt.Sprintf("%s %s, after %d executions", time.Now().Format(time.TimeOnly), e.name, f.executions()))
		e.do(f)
		done[e.name]++
		if f.Failed() {
			f.FailNow()
		}
	}
	drained := f.endLoad()
	f.checkInvariants()
	f.summarize(done, drained)
}

func restartDatabase(f *chaos) {
	f.Helper()
	f.database.Kill()
	f.outage()
	f.must(f.database.Restart(f.Context()))
}

// TestSoakChaosLosesNoAcknowledgedJob checks that every acknowledged job ends once, whatever is
// killed, stopped, emptied or disconnected. A soak also uses Valkey.
func TestSoakChaosLosesNoAcknowledgedJob(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	t.Run("redis-server", func(t *testing.T) {
		t.Parallel()
		injectServerFaults(t, redistest.Real(t))
	})
	t.Run("valkey-server", func(t *testing.T) {
		t.Parallel()
		if chaosRounds(t) == 1 {
			t.Skipf("%s is not set: redis-server alone is enough", chaosRoundsEnv)
		}
		injectServerFaults(t, redistest.Valkey(t))
	})
}

// injectServerFaults injects every fault of a platform with one server of the queue.
func injectServerFaults(t *testing.T, server *redistest.Server) {
	t.Helper()
	wire := redistest.Proxy(t, server.Addr)
	f := startChaos(t, "redis://"+wire.Addr+"/0", server.Client(t))
	f.inject([]event{
		{"redis killed", 3, func(f *chaos) {
			server.Kill()
			f.outage()
			server.Restart(t)
		}},
		{"redis wiped", 1, func(f *chaos) { f.must(f.redis.FlushAll(t.Context()).Err()) }},
		{"network cut", 1, func(f *chaos) {
			wire.Down()
			f.outage()
			wire.Up(t)
		}},
		// This cuts off the reply to the next call of a worker, or of a client that submits a job.
		{"replies lost", 5, func(f *chaos) {
			clients := append(f.workers.names(), f.tenants[f.rng.IntN(len(f.tenants))].Organization)
			wire.CutReplyOf(clients[f.rng.IntN(len(clients))])
		}},
		{"database killed", 1, restartDatabase},
		{"workers killed", 5, func(f *chaos) { f.workers.kill() }},
		{"workers stalled", 1, func(f *chaos) { f.workers.stall() }},
		{"workers drained", 2, func(f *chaos) { f.workers.drain() }},
	})
}

// TestSoakFailoverLosesNoAcknowledgedJob replaces Redis by a replica that lacks the last
// writes of its primary. A frozen primary continues after the failover.
func TestSoakFailoverLosesNoAcknowledgedJob(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	group := redistest.Sentinels(t)
	client, err := chaosClient(group.URL())
	if err != nil {
		t.Fatalf("chaosClient: %v", err)
	}
	t.Cleanup(func() { _ = client.Close() })
	f := startChaos(t, group.URL(), client)
	f.inject([]event{
		{"primaries killed", 1, func(f *chaos) {
			group.Lag(t)
			f.outage()
			group.KillPrimary(t)
			group.Return(t)
		}},
		{"primaries frozen", 1, func(*chaos) { group.FreezePrimary(t) }},
		{"workers killed", 1, func(f *chaos) { f.workers.kill() }},
		{"workers stalled", 1, func(f *chaos) { f.workers.stall() }},
		{"workers drained", 1, func(f *chaos) { f.workers.drain() }},
	})
}
