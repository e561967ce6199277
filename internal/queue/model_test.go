// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// The model describes the queue for its users: a set of jobs, each of which waits, is held
// or is delayed. Random operations run on the model and on the queue. After each operation
// the queue must hold the jobs of the model in the states of the model, and its keys must be
// consistent (see invariants_test.go). The model does not predict which waiting job is
// leased next; fairness has tests of its own.

type modelJob struct {
	owner    tenant.ID
	attempt  int
	lost     int
	holder   string
	delayed  bool
	order    queue.Order
	garbled  bool
	buriedAs string
}

type model struct {
	*testing.T
	queue  *queue.Queue
	redis  *redis.Client
	random *rand.Rand
	pass   func(time.Duration)
	shares map[tenant.ID]queue.Share

	jobs map[string]*modelJob
	dead map[string]*modelJob
	// held are the leases by consumer and job; stale are some that are no more.
	workers map[string]*queue.Consumer
	held    map[string]map[string]queue.Lease
	stale   []staleLease
	drained bool
	next    int
	log     []string
}

type staleLease struct {
	worker string
	lease  queue.Lease
}

// modelLease never expires by itself. Leases expire when the model says so, by a worker that
// considers all others dead.
const (
	modelLease = time.Hour
	tick       = 3 * time.Millisecond
)

func newModel(t *testing.T, client *redis.Client, seed uint64, pass func(time.Duration)) *model {
	m := &model{
		T: t, redis: client, random: rand.New(rand.NewPCG(seed, 1)), pass: pass, shares: map[tenant.ID]queue.Share{},
		jobs: map[string]*modelJob{}, dead: map[string]*modelJob{},
		workers: map[string]*queue.Consumer{}, held: map[string]map[string]queue.Lease{},
	}
	for i := range 5 {
		m.shares[tenant.ID{Organization: fmt.Sprintf("org_tenant%d", i), Mode: tenant.Live}] = queue.Share{Weight: 10 * (i + 1), Most: []int{0, 0, 1, 2, 0}[i]}
	}
	q, err := queue.New(client, "preflight", queue.Options{Shares: func(id tenant.ID) (queue.Share, bool) { return m.shares[id], true }})
	m.must("new", err)
	m.queue = q
	for i := range 3 {
		m.hire(fmt.Sprintf("w%d", i), modelLease)
	}
	return m
}

func (m *model) hire(name string, lease time.Duration) *queue.Consumer {
	c := m.queue.Consumer(queue.ConsumerConfig{Name: name, Slots: 2, Lease: lease, Block: time.Millisecond, Idle: time.Hour})
	if lease == modelLease {
		m.workers[name], m.held[name] = c, map[string]queue.Lease{}
	}
	return c
}

func (m *model) close() {
	for _, c := range m.workers {
		m.must("close", c.Close())
	}
}

func (m *model) must(op string, err error) {
	m.Helper()
	if err != nil {
		m.fail("%s: %v", op, err)
	}
}

func (m *model) fail(format string, args ...any) {
	m.Helper()
	for _, line := range m.log[max(0, len(m.log)-25):] {
		m.Log(line)
	}
	m.Fatalf(format, args...)
}

func (m *model) did(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

func (m *model) ctx() context.Context { return m.Context() }

// pick returns a key in an order that the seed determines.
func pick[V any](m *model, from map[string]V) (string, bool) {
	if len(from) == 0 {
		return "", false
	}
	keys := slices.Sorted(maps.Keys(from))
	return keys[m.random.IntN(len(keys))], true
}

// operations are the operations of a run with their weights.
var operations = []struct {
	weight int
	do     func(*model)
}{
	{30, (*model).submitNew},
	{5, (*model).submitAgain},
	{8, (*model).submitTogether},
	{40, (*model).take},
	{20, (*model).finish},
	{15, (*model).finishNext},
	{10, (*model).finishTogether},
	{6, (*model).retryLater},
	{4, (*model).retryNever},
	{4, (*model).release},
	{2, (*model).bury},
	{5, (*model).cancel},
	{5, (*model).renew},
	{10, (*model).settleStale},
	{4, (*model).lapse},
	{3, (*model).leave},
	{3, (*model).orderRetry},
	{3, (*model).orderCancel},
	{2, (*model).drain},
	{3, (*model).reshare},
	{2, (*model).wipe},
	{2, (*model).damage},
	{2, (*model).garble},
}

func (m *model) step() {
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	n := m.random.IntN(total)
	for _, op := range operations {
		if n -= op.weight; n < 0 {
			op.do(m)
			break
		}
	}
	m.compare()
}

// newJob returns a job that the queue does not have.
func (m *model) newJob() queue.Submission {
	owners := slices.SortedFunc(maps.Keys(m.shares), func(a, b tenant.ID) int { return compareText(a.String(), b.String()) })
	m.next++
	return queue.Submission{ID: fmt.Sprintf("pref_%04d", m.next), Owner: owners[m.random.IntN(len(owners))], Attempt: m.random.IntN(2) * m.random.IntN(4)}
}

func (m *model) submitNew() {
	job := m.newJob()
	m.did("submit %s of %s after attempt %d", job.ID, job.Owner, job.Attempt)
	m.must("submit", m.queue.Submit(m.ctx(), job.ID, job.Owner, job.Attempt))
	m.jobs[job.ID] = &modelJob{owner: job.Owner, attempt: job.Attempt}
}

func compareText(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

func (m *model) submitAgain() {
	id, ok := pick(m, m.jobs)
	if !ok {
		return
	}
	job := m.jobs[id]
	if m.random.IntN(3) == 0 && job.holder == "" {
		job.attempt += 2
	}
	m.did("submit %s again after attempt %d", id, job.attempt)
	m.must("submit", m.queue.Submit(m.ctx(), id, job.owner, job.attempt))
	job.restore()
}

// restore applies a valid submission to a garbled job.
func (j *modelJob) restore() {
	if j.garbled {
		*j = modelJob{owner: j.owner, attempt: j.attempt, order: j.order}
	}
}

// submitTogether submits new and known jobs alternately, some of them twice.
func (m *model) submitTogether() {
	var all []queue.Submission
	for range m.random.IntN(4) {
		fresh := m.newJob()
		all = append(all, fresh)
		m.jobs[fresh.ID] = &modelJob{owner: fresh.Owner, attempt: fresh.Attempt}
		if id, ok := pick(m, m.jobs); ok {
			known := m.jobs[id]
			all = append(all, queue.Submission{ID: id, Owner: known.owner, Attempt: known.attempt})
		}
	}
	m.did("submit together %v", all)
	m.submitAll(all)
}

func (m *model) submitAll(all []queue.Submission) {
	done, err := m.queue.SubmitAll(m.ctx(), all)
	m.must("submit together", err)
	if done != len(all) {
		m.fail("SubmitAll = %d of %d jobs without an error", done, len(all))
	}
	for _, job := range all {
		m.jobs[job.ID].restore()
	}
}

// granted checks leases that the queue granted, and notes them.
func (m *model) granted(worker string, leases []queue.Lease) {
	for _, lease := range leases {
		job := m.jobs[lease.ID]
		switch {
		case job == nil:
			m.fail("%s got %+v, which is no open job", worker, lease)
		case job.holder != "" || job.delayed:
			m.fail("%s got %+v, which is held by %q, delayed %t", worker, lease, job.holder, job.delayed)
		case lease.Attempt != job.attempt+1 || lease.Lost != job.lost || lease.Tenant != job.owner || lease.Order != job.order:
			m.fail("%s got %+v of %+v", worker, lease, *job)
		}
		job.attempt, job.holder = lease.Attempt, worker
		m.held[worker][lease.ID] = lease
	}
}

// buryGarbled records that the queue may have detected the garbled jobs.
func (m *model) buryGarbled() {
	for id, job := range m.jobs {
		if !job.garbled {
			continue
		}
		entry, err := m.queue.Show(m.ctx(), id)
		m.must("show", err)
		if entry.State == queue.Dead {
			if entry.Reason != "MALFORMED" {
				m.fail("%s became a dead letter because of %s", id, entry.Reason)
			}
			delete(m.jobs, id)
			m.dead[id] = &modelJob{owner: job.owner, garbled: true, buriedAs: "MALFORMED"}
		}
	}
}

func (m *model) take() {
	name, _ := pick(m, m.workers)
	free := 2 - len(m.held[name])
	if free < 1 {
		return
	}
	m.did("%s takes up to %d", name, free)
	// Renewing counts the worker's slots even if it took jobs a moment ago.
	_, err := m.workers[name].Renew(m.ctx())
	m.must("renew", err)
	leases, err := m.workers[name].Next(m.ctx(), free)
	m.must("next", err)
	if len(leases) > free {
		m.fail("%d leases for %d slots", len(leases), free)
	}
	m.granted(name, leases)
}

// one picks a valid lease.
func (m *model) one() (worker string, lease queue.Lease, ok bool) {
	busy := map[string]map[string]queue.Lease{}
	for name, held := range m.held {
		if len(held) > 0 {
			busy[name] = held
		}
	}
	worker, ok = pick(m, busy)
	if !ok {
		return "", queue.Lease{}, false
	}
	id, _ := pick(m, busy[worker])
	return worker, busy[worker][id], true
}

// let ends a lease in the model.
func (m *model) let(worker string, lease queue.Lease) *modelJob {
	delete(m.held[worker], lease.ID)
	m.stale = append(m.stale, staleLease{worker, lease})
	if len(m.stale) > 20 {
		m.stale = m.stale[1:]
	}
	job := m.jobs[lease.ID]
	job.holder = ""
	return job
}

func (m *model) finish() {
	worker, lease, ok := m.one()
	if !ok {
		return
	}
	m.did("%s finishes %s", worker, lease.ID)
	m.must("finish", m.workers[worker].Finish(m.ctx(), lease))
	m.let(worker, lease)
	delete(m.jobs, lease.ID)
}

func (m *model) finishNext() {
	worker, lease, ok := m.one()
	if !ok {
		return
	}
	m.did("%s finishes %s and takes the next", worker, lease.ID)
	next, err := m.workers[worker].FinishNext(m.ctx(), lease)
	m.must("finish", err)
	m.let(worker, lease)
	delete(m.jobs, lease.ID)
	m.granted(worker, next)
}

// finishTogether ends all jobs that a worker holds.
func (m *model) finishTogether() {
	worker, _, ok := m.one()
	if !ok {
		return
	}
	var leases []queue.Lease
	for _, id := range slices.Sorted(maps.Keys(m.held[worker])) {
		leases = append(leases, m.held[worker][id])
	}
	wanted := m.random.IntN(len(leases) + 1)
	m.did("%s finishes %d jobs together and takes up to %d", worker, len(leases), wanted)
	next, errs := m.workers[worker].FinishTogether(m.ctx(), wanted, leases...)
	m.must("finish together", errors.Join(errs...))
	if len(next) > wanted {
		m.fail("%d leases, of %d that were wanted", len(next), wanted)
	}
	for _, lease := range leases {
		m.let(worker, lease)
		delete(m.jobs, lease.ID)
	}
	m.granted(worker, next)
}

func (m *model) retryLater() { m.retry(tick / 2) }
func (m *model) retryNever() { m.retry(queue.MostBackoff) }

func (m *model) retry(delay time.Duration) {
	worker, lease, ok := m.one()
	if !ok {
		return
	}
	m.did("%s retries %s in %s", worker, lease.ID, delay)
	m.must("retry", m.workers[worker].Retry(m.ctx(), lease, delay))
	m.let(worker, lease).delayed = true
	if delay < tick {
		// The next worker finds it due.
		m.pass(tick)
		m.jobs[lease.ID].delayed = false
		m.reaper(func(*queue.Consumer) {}, modelLease)
	}
}

func (m *model) release() {
	worker, lease, ok := m.one()
	if !ok {
		return
	}
	m.did("%s releases %s", worker, lease.ID)
	m.must("release", m.workers[worker].Release(m.ctx(), lease))
	m.let(worker, lease)
}

func (m *model) bury() {
	worker, lease, ok := m.one()
	if !ok {
		return
	}
	m.did("%s buries %s", worker, lease.ID)
	m.must("bury", m.workers[worker].DeadLetter(m.ctx(), lease, "ODD"))
	job := m.let(worker, lease)
	delete(m.jobs, lease.ID)
	m.dead[lease.ID] = &modelJob{owner: job.owner, attempt: job.attempt, buriedAs: "ODD"}
}

func (m *model) cancel() {
	id, ok := pick(m, m.jobs)
	if !ok {
		return
	}
	m.did("cancel %s", id)
	m.must("cancel", m.queue.Cancel(m.ctx(), id))
	m.forget(id)
	delete(m.jobs, id)
}

// forget makes the lease of a job stale, if there is one.
func (m *model) forget(id string) {
	if holder := m.jobs[id].holder; holder != "" {
		m.let(holder, m.held[holder][id])
	}
}

func (m *model) renew() {
	name, _ := pick(m, m.workers)
	leases := slices.Collect(maps.Values(m.held[name]))
	m.did("%s renews %d leases", name, len(leases))
	lost, err := m.workers[name].Renew(m.ctx(), leases...)
	m.must("renew", err)
	if len(lost) != 0 {
		m.fail("%s has lost %v", name, lost)
	}
}

// settleStale makes a worker settle leases that it no longer holds.
func (m *model) settleStale() {
	if len(m.stale) == 0 {
		return
	}
	s := m.stale[m.random.IntN(len(m.stale))]
	worker, job := m.workers[s.worker], m.jobs[s.lease.ID]
	if worker == nil || job != nil && job.holder == s.worker && job.attempt == s.lease.Attempt {
		return
	}
	m.did("%s settles the stale lease %+v", s.worker, s.lease)
	lost, err := worker.Renew(m.ctx(), s.lease)
	m.must("renew", err)
	if len(lost) != 1 {
		m.fail("a stale lease was renewed: %+v", s.lease)
	}
	if err := worker.Finish(m.ctx(), s.lease); !errors.Is(err, queue.ErrLost) && (err != nil || job != nil && !job.garbled) {
		m.fail("stale finish = %v, of a job %+v", err, job)
	}
	// A job whose lease expired or that was given back has no holder yet. Giving it
	// back again succeeds then.
	given := job != nil && job.holder == "" && job.attempt == s.lease.Attempt
	if err := worker.Retry(m.ctx(), s.lease, time.Hour); !errors.Is(err, queue.ErrLost) && (err != nil || !given) {
		m.fail("stale retry = %v", err)
	}
	if err := worker.DeadLetter(m.ctx(), s.lease, "LATE"); !errors.Is(err, queue.ErrLost) && (err != nil || m.dead[s.lease.ID] == nil) {
		m.fail("stale dead letter = %v", err)
	}
}

// reaper runs a worker that joins and leaves.
func (m *model) reaper(do func(*queue.Consumer), lease time.Duration) {
	c := m.hire("reaper", lease)
	delete(m.workers, "reaper")
	delete(m.held, "reaper")
	_, err := c.Renew(m.ctx())
	m.must("maintain", err)
	if lease == modelLease {
		// Only a take dispatches due jobs at once.
		_, err = c.Next(m.ctx(), 0)
		m.must("take", err)
	}
	do(c)
	m.must("leave", c.Leave(m.ctx()))
	m.must("close", c.Close())
}

// lapse waits until every lease has expired.
func (m *model) lapse() {
	m.did("all leases run out")
	m.pass(tick)
	m.reaper(func(c *queue.Consumer) {
		// At first the queue assumes that Redis was unavailable.
		m.pass(tick)
		_, err := c.Renew(m.ctx())
		m.must("maintain", err)
	}, time.Millisecond)
	for worker, held := range m.held {
		for _, lease := range held {
			m.let(worker, lease).lost++
		}
	}
}

func (m *model) leave() {
	name, _ := pick(m, m.workers)
	m.did("%s leaves", name)
	for _, lease := range m.held[name] {
		m.must("release", m.workers[name].Release(m.ctx(), lease))
		m.let(name, lease)
	}
	m.must("leave", m.workers[name].Leave(m.ctx()))
	m.must("close", m.workers[name].Close())
	delete(m.workers, name)
	delete(m.held, name)
	m.next++
	// The name of one of the first workers may still be in use.
	m.hire(fmt.Sprintf("hired-%d", m.next), modelLease)
}

func (m *model) orderRetry() {
	if id, ok := pick(m, m.dead); ok && m.random.IntN(2) == 0 && !m.dead[id].garbled {
		m.did("retry %s, which is dead", id)
		m.must("order", m.queue.Order(m.ctx(), id, queue.OrderRetry))
		job := m.dead[id]
		delete(m.dead, id)
		m.jobs[id] = &modelJob{owner: job.owner, attempt: job.attempt, order: queue.OrderRetry}
		return
	}
	m.order(queue.OrderRetry)
}

func (m *model) orderCancel() { m.order(queue.OrderCancel) }

func (m *model) order(order queue.Order) {
	id, ok := pick(m, m.jobs)
	if !ok || m.jobs[id].garbled {
		return
	}
	m.did("%s %s", order, id)
	m.must("order", m.queue.Order(m.ctx(), id, order))
	if order == queue.OrderRetry && m.jobs[id].holder != "" {
		return
	}
	m.forget(id)
	m.jobs[id].delayed, m.jobs[id].order = false, order
}

func (m *model) drain() {
	m.drained = !m.drained
	m.did("drained: %t", m.drained)
	d := time.Duration(0)
	if m.drained {
		d = time.Hour
	}
	_, err := m.queue.Drain(m.ctx(), d)
	m.must("drain", err)
}

func (m *model) reshare() {
	owners := slices.SortedFunc(maps.Keys(m.shares), func(a, b tenant.ID) int { return compareText(a.String(), b.String()) })
	owner := owners[m.random.IntN(len(owners))]
	m.shares[owner] = queue.Share{Weight: 1 + m.random.IntN(100), Most: m.random.IntN(4)}
	m.did("%s gets %+v", owner, m.shares[owner])
	backlogs, err := m.queue.Backlogs(m.ctx())
	m.must("backlogs", err)
	_, err = m.queue.Reweigh(m.ctx(), backlogs)
	m.must("reweigh", err)
}

// wipe empties Redis and submits the rows again.
func (m *model) wipe() {
	m.did("wiped")
	m.must("flush", m.redis.FlushAll(m.ctx()).Err())
	for id := range m.jobs {
		m.forget(id)
		job := m.jobs[id]
		m.jobs[id] = &modelJob{owner: job.owner, attempt: job.attempt}
	}
	m.dead, m.drained = map[string]*modelJob{}, false
	m.resubmit()
}

func (m *model) resubmit() {
	var all []queue.Submission
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		all = append(all, queue.Submission{ID: id, Owner: m.jobs[id].owner, Attempt: m.jobs[id].attempt})
	}
	m.submitAll(all)
}

// damage deletes a key; the rows are submitted again.
func (m *model) damage() {
	keys := []string{"s", "ring", "parked", "open", "delayed"}
	for owner := range m.shares {
		keys = append(keys, "b:"+owner.String())
	}
	slices.Sort(keys)
	key := keys[m.random.IntN(len(keys))]
	m.did("%s is deleted", key)
	m.must("del", m.redis.Del(m.ctx(), "pm:{preflight}:"+key).Err())
	for id, job := range m.jobs {
		switch {
		case key == "s" && job.holder != "":
			m.forget(id)
			*job = modelJob{owner: job.owner, attempt: job.attempt, order: job.order}
		case key == "delayed" && job.delayed:
			*job = modelJob{owner: job.owner, attempt: job.attempt, order: job.order}
		}
	}
	m.forgetLost(key)
	m.resubmit()
}

// forgetLost resets the jobs of the model that lost everything but their attempt: the queue
// has them in no state, so they become new jobs.
func (m *model) forgetLost(key string) {
	for id, job := range m.jobs {
		if job.holder != "" || job.delayed || job.garbled {
			continue
		}
		dispatched := m.words("pm:{preflight}:job:" + id)["entry"] != "-"
		if key == "s" && dispatched || key == "b:"+job.owner.String() && !dispatched {
			*job = modelJob{owner: job.owner, attempt: job.attempt, order: job.order}
		}
	}
}

// garble overwrites a job.
func (m *model) garble() {
	id, ok := pick(m, m.jobs)
	if !ok || m.jobs[id].holder != "" || m.jobs[id].delayed || m.jobs[id].garbled {
		return
	}
	m.did("%s is garbled", id)
	m.must("garble", rewrite(m.ctx(), m.redis, "pm:{preflight}:job:"+id, "attempt", "many"))
	m.jobs[id].garbled = true
}

// compare compares the queue with the model.
func (m *model) compare() {
	m.Helper()
	m.buryGarbled()
	found := map[string]queue.Entry{}
	entries, err := m.queue.List(m.ctx(), 0, queue.MostListed)
	m.must("list", err)
	for _, e := range entries {
		found[e.ID] = e
	}
	for id, job := range m.jobs {
		e, ok := found[id]
		switch {
		case !ok:
			m.fail("%s is missing: %+v", id, *job)
		case job.garbled:
		case e.Attempt != job.attempt || e.Lost != job.lost || e.Order != job.order || e.Tenant != job.owner:
			m.fail("%s is %+v, want %+v", id, e, *job)
		case e.Holder != job.holder || (e.State == queue.Held) != (job.holder != "") || (e.State == queue.Delayed) != job.delayed:
			m.fail("%s is %+v, want %+v", id, e, *job)
		}
	}
	if len(found) != len(m.jobs) {
		m.fail("%d jobs, want %d", len(found), len(m.jobs))
	}
	m.invariants(m.readKeys())
}

// end finishes all jobs, and checks that the queue is empty.
func (m *model) end() {
	if m.drained {
		m.drain()
	}
	m.lapse()
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		if m.jobs[id].delayed || m.jobs[id].garbled {
			m.must("cancel", m.queue.Cancel(m.ctx(), id))
			delete(m.jobs, id)
		}
	}
	for round := 0; len(m.jobs) > 0; round++ {
		if round > 1000 {
			m.fail("%d jobs are stuck", len(m.jobs))
		}
		m.take()
		m.finishNext()
		m.finish()
		m.compare()
	}
	stats, err := m.queue.Stats(m.ctx())
	m.must("stats", err)
	if stats.Open != 0 || stats.Held != 0 || stats.Waiting != 0 || stats.Delayed != 0 {
		m.fail("left: %+v", stats)
	}
}

// inBubble runs a test with miniredis, without a network, in a bubble whose clock jumps.
func inBubble(t *testing.T, run func(*testing.T, *redis.Client)) {
	synctest.Test(t, func(t *testing.T) {
		mini := miniredis.NewMiniRedis()
		mini.ClockTTL(true)
		defer mini.Close()
		client := redis.NewClient(&redis.Options{
			Addr: "127.0.0.1:1", Protocol: 2, Dialer: func(context.Context, string, string) (net.Conn, error) { return mini.Dial() },
		})
		defer func() { _ = client.Close() }()
		run(t, client)
	})
}

func TestSoakQueueEqualsTheModelAfterEveryStep(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, client *redis.Client, steps int, pass func(time.Duration)) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		m := newModel(t, client, seed, pass)
		defer m.close()
		for range steps {
			m.step()
		}
		m.end()
	}
	rounds := 1
	if soak, err := strconv.Atoi(os.Getenv("PRINTMARKET_SOAK_MODELS")); err == nil {
		rounds = soak
	}
	t.Run("miniredis in a bubble", func(t *testing.T) {
		t.Parallel()
		for range rounds {
			inBubble(t, func(t *testing.T, client *redis.Client) { run(t, client, 120, time.Sleep) })
		}
	})
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis-server": redistest.Real, "valkey-server": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t)
			for range rounds {
				client := server.Client(t)
				if err := client.FlushAll(t.Context()).Err(); err != nil {
					t.Fatalf("client.FlushAll().Err: %v", err)
				}
				run(t, client, 300, server.Pass)
			}
		})
	}
}
