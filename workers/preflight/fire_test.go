// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/redistest"
)

// event is a fault or change, with its number of cards in one deck.
type event struct {
	name  string
	times int
	do    func(*fire)
}

// burn lets the events of some decks happen in random order, under load.
func (f *fire) burn(events []event) {
	f.Helper()
	var deck []event
	for _, e := range events {
		for range e.times * fireDecks(f.T) {
			deck = append(deck, e)
		}
	}
	f.rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	done := map[string]int{}
	for _, e := range deck {
		f.getOn()
		f.crew.wake(false)
		f.crew.check()
		f.history = append(f.history, fmt.Sprintf("%s %s, after %d executions", time.Now().Format(time.TimeOnly), e.name, f.executions()))
		e.do(f)
		done[e.name]++
		if f.Failed() {
			f.FailNow()
		}
	}
	drained := f.putOut()
	f.demand()
	f.summarize(done, drained)
}

func restartDatabase(f *fire) {
	f.Helper()
	f.database.Kill()
	f.aMoment()
	f.must(f.database.Restart(f.Context()))
}

// TestSoakFireLosesNoAcknowledgedJob: whatever is killed, stopped, wiped or cut
// off, every job that was acknowledged ends, once. A soak burns Valkey too.
func TestSoakFireLosesNoAcknowledgedJob(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	t.Run("redis-server", func(t *testing.T) {
		t.Parallel()
		burnAll(t, redistest.Real(t))
	})
	t.Run("valkey-server", func(t *testing.T) {
		t.Parallel()
		if fireDecks(t) == 1 {
			t.Skipf("one fire is enough: %s is not set", fireDecksEnv)
		}
		burnAll(t, redistest.Valkey(t))
	})
}

// burnAll lets befall the platform whatever can befall one server.
func burnAll(t *testing.T, server *redistest.Server) {
	t.Helper()
	wire := redistest.Proxy(t, server.Addr)
	f := startFire(t, "redis://"+wire.Addr+"/0", server.Client(t))
	f.burn([]event{
		{"redis killed", 3, func(f *fire) {
			server.Kill()
			f.aMoment()
			server.Restart(t)
		}},
		{"redis wiped", 1, func(f *fire) { f.must(f.redis.FlushAll(t.Context()).Err()) }},
		{"network cut", 1, func(f *fire) {
			wire.Down()
			f.aMoment()
			wire.Up(t)
		}},
		// The next call of a worker, or of a client that submits a job.
		{"answers lost", 5, func(f *fire) {
			speakers := append(f.crew.names(), f.tenants[f.rng.IntN(len(f.tenants))].Organization)
			wire.CutReplyOf(speakers[f.rng.IntN(len(speakers))])
		}},
		{"database killed", 1, restartDatabase},
		{"workers killed", 5, func(f *fire) { f.crew.kill() }},
		{"workers stalled", 1, func(f *fire) { f.crew.stall() }},
		{"workers drained", 2, func(f *fire) { f.crew.drain() }},
	})
}

// TestSoakFailoverLosesNoAcknowledgedJob replaces Redis by a replica that lacks the last
// writes of its primary. Sometimes the primary does not learn of the failover and continues.
func TestSoakFailoverLosesNoAcknowledgedJob(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	group := redistest.Sentinels(t)
	client, err := fireClient(group.URL())
	if err != nil {
		t.Fatalf("fireClient: %v", err)
	}
	t.Cleanup(func() { _ = client.Close() })
	f := startFire(t, group.URL(), client)
	f.burn([]event{
		{"primaries killed", 1, func(f *fire) {
			group.Lag(t)
			f.aMoment()
			group.KillPrimary(t)
			group.Return(t)
		}},
		{"primaries frozen", 1, func(*fire) { group.FreezePrimary(t) }},
		{"workers killed", 1, func(f *fire) { f.crew.kill() }},
		{"workers stalled", 1, func(f *fire) { f.crew.stall() }},
		{"workers drained", 1, func(f *fire) { f.crew.drain() }},
	})
}
