// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

// worker is a worker process. It takes jobs while it has free slots; a slot that ends a job takes
// the next job in the same call.
type worker struct {
	model    *Model
	consumer *queue.Consumer
	born     time.Duration
	// leaving workers take no more jobs; gone workers have ended.
	leaving, gone bool
	running       []*execution
	// suspects holds the leases of jobs that must run alone and wait for that.
	suspects []queue.Lease
	alone    bool
	// turn numbers the waits for work, so that an expired wait is recognised.
	turn    int
	waiting bool
}

// execution is one attempt at one job.
type execution struct {
	lease queue.Lease
	job   *job
	began time.Duration
	over  bool
}

// turn is one wait of a worker.
type turn struct {
	worker *worker
	number int
}

func (t turn) valid() bool { return !t.worker.gone && t.worker.waiting && t.worker.turn == t.number }

// addWorker adds a worker.
func (w *Model) addWorker() {
	w.born++
	blocks := cmp.Or(w.config.Block, block)
	added := &worker{model: w, born: w.now, consumer: w.queue.Consumer(queue.ConsumerConfig{
		Name: fmt.Sprint("worker-", w.born), Slots: w.config.Slots, Lease: lease, Block: blocks, Idle: idle,
	})}
	w.workers = append(w.workers, added)
	w.figures.most = max(w.figures.most, len(w.workers))
	// Workers start at different instants.
	first := time.Duration(w.crashes.Int64N(int64(lease / 3)))
	w.at(w.now, added.take)
	w.at(w.now+first, added.beat)
	if w.config.Crashes > 0 {
		w.at(w.now+time.Duration(w.crashes.ExpFloat64()/w.config.Crashes*float64(time.Minute)), added.die)
	}
}

// reserved is true for a worker that runs, or is about to run, a job alone.
func (k *worker) reserved() bool { return k.alone || len(k.suspects) > 0 }

// take fills the free slots, or waits if no job is ready.
func (k *worker) take() {
	k.waiting = false
	for !k.gone && !k.leaving && !k.reserved() && k.model.err == nil {
		free := k.model.config.Slots - len(k.running)
		if free <= 0 {
			return
		}
		k.model.redis.blocked = 0
		leases, err := k.consumer.Next(context.Background(), free)
		k.model.check(err)
		k.model.granted += len(leases)
		for _, l := range leases {
			k.begin(l)
		}
		if blocked := k.model.redis.blocked; len(leases) == 0 && blocked > 0 {
			k.wait(blocked)
			return
		}
	}
}

func (k *worker) wait(most time.Duration) {
	k.turn++
	k.waiting = true
	mine := turn{k, k.turn}
	k.model.waiting = append(k.model.waiting, mine)
	k.model.at(k.model.now+most, func() {
		if mine.valid() {
			k.turn++
			k.take()
		}
	})
}

// begin starts the job of a lease, or keeps a suspect until it can run alone.
func (k *worker) begin(l queue.Lease) {
	if most := k.model.config.Alone; most > 0 && l.Lost >= most {
		k.suspects = append(k.suspects, l)
		k.isolate()
		return
	}
	k.start(l)
}

// isolate starts a suspect when no other job runs on the worker.
func (k *worker) isolate() {
	if len(k.running) == 0 && len(k.suspects) > 0 && !k.gone {
		first := k.suspects[0]
		k.suspects = k.suspects[1:]
		k.alone = true
		k.start(first)
	}
}

func (k *worker) start(l queue.Lease) {
	w := k.model
	j := w.jobOf(l.ID)
	if j.tries >= mostTries {
		w.end(j, Exhausted)
		k.alone = false
		k.goOn(l)
		return
	}
	if j.tries++; j.begun < 0 {
		j.begun = w.now
	}
	x := &execution{lease: l, job: j, began: w.now}
	k.running = append(k.running, x)
	w.figures.began(j)
	ending, takes := j.attempt(w.now)
	w.at(w.now+takes, func() { k.ended(x, ending) })
}

// ended handles the end of an attempt, unless the attempt has already ended otherwise.
func (k *worker) ended(x *execution, ending Ending) {
	if x.over {
		return
	}
	w := k.model
	if ending == Kills {
		k.die()
		return
	}
	k.stop(x)
	switch {
	case ending == Succeeds:
		w.end(x.job, Succeeded)
	case x.job.tries >= fetchTries:
		w.end(x.job, Failed)
	default:
		delay := queue.Backoff(fetchPause, x.job.tries, func(d time.Duration) time.Duration {
			return time.Duration(w.jitter.Int64N(int64(d) + 1))
		})
		w.check(k.consumer.Retry(context.Background(), x.lease, delay))
		k.rest()
		return
	}
	k.goOn(x.lease)
}

// stop removes an execution from its slot.
func (k *worker) stop(x *execution) {
	x.over = true
	k.alone = false
	k.running = slices.DeleteFunc(k.running, func(y *execution) bool { return x == y })
	k.model.figures.ran(x, k.model.now)
}

// goOn ends a job in the queue and takes the next job, if allowed.
func (k *worker) goOn(l queue.Lease) {
	if k.leaving || k.reserved() {
		k.model.check(k.consumer.Finish(context.Background(), l))
		k.rest()
		return
	}
	leases, err := k.consumer.FinishNext(context.Background(), l)
	k.model.check(err)
	k.model.granted += len(leases)
	for _, next := range leases {
		k.begin(next)
	}
	k.rest()
}

// rest handles a free slot.
func (k *worker) rest() {
	k.isolate()
	if k.leaving && len(k.running) == 0 && len(k.suspects) == 0 {
		k.leave()
	} else if !k.waiting {
		k.take()
	}
}

// beat renews all leases, three times per lease duration.
func (k *worker) beat() {
	if k.gone {
		return
	}
	leases := slices.Clone(k.suspects)
	for _, x := range k.running {
		leases = append(leases, x.lease)
	}
	lost, err := k.consumer.Renew(context.Background(), leases...)
	k.model.check(err)
	if len(lost) > 0 {
		k.model.check(fmt.Errorf("a worker that renews lost %v", lost))
	}
	k.model.at(k.model.now+lease/3, k.beat)
}

// die ends the worker without notice. A replacement starts later.
func (k *worker) die() {
	if k.gone {
		return
	}
	w := k.model
	w.figures.deaths++
	for _, x := range slices.Clone(k.running) {
		k.stop(x)
	}
	k.dismiss()
	if !k.leaving {
		w.at(w.now+podStart, w.addWorker)
	}
}

// drain makes a worker finish its jobs and leave.
func (k *worker) drain() {
	k.leaving, k.waiting = true, false
	k.rest()
}

func (k *worker) leave() {
	if !k.gone {
		k.model.check(k.consumer.Leave(context.Background()))
		k.dismiss()
	}
}

func (k *worker) dismiss() {
	w := k.model
	k.gone = true
	w.workers = slices.DeleteFunc(w.workers, func(other *worker) bool { return other == k })
	w.figures.capacity(k.born, w.now, w.config.Slots)
	w.check(k.consumer.Close())
}
