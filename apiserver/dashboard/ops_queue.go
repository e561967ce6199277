// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

const (
	// queueTime bounds what a page asks of Redis.
	queueTime = 2 * time.Second
	// Bounds of what the page of the queue shows.
	tenantsShown = 20
	workersShown = 50
	runsShown    = 8
	deadShown    = 50
)

// queueBody is the queue of preflight jobs.
type queueBody struct {
	// Fault is why the queue cannot be read, or must not be used; Read is whether
	// there is anything else to show.
	Fault   string
	Read    bool
	Stats   queue.Stats
	Server  queue.Server
	Tenants []tenantRow
	// Others is how many tenants wait beside those that are shown.
	Others  int
	Workers []workerRow
	// Idle is how many workers live beside those that are shown.
	Idle int
	Dead []queue.Entry
}

type tenantRow struct {
	queue.Backlog
	// Most is how many jobs of the tenant may be with workers; empty: any number.
	Most string
}

type workerRow struct {
	Name, Quiet string
	Slots       int
	Runs        []runRow
	// More is how many jobs it holds beside Runs.
	More int
}

type runRow struct{ ID, Owner, Renewed string }

// showQueue serves the queue. A Redis that is away is told of, and nothing else waits
// for it.
func (b *board) showQueue(v *visit) answer {
	ctx, cancel := context.WithTimeout(v.Context(), queueTime)
	defer cancel()
	body, err := b.readQueue(ctx)
	a := answer{status: http.StatusOK, page: pageOpsQueue, title: "Queue", content: queuePage(body)}
	if err != nil {
		a.status, a.cause, a.retry = http.StatusServiceUnavailable, err, queueTime
		a.content = queuePage(queueBody{Fault: "The queue cannot be read: " + err.Error()})
	}
	return a
}

func (b *board) readQueue(ctx context.Context) (queueBody, error) {
	look, err := b.Ops.Queue.Look(ctx)
	if err != nil {
		return queueBody{}, err
	}
	workers, err := b.Ops.Queue.Workers(ctx)
	if err != nil {
		return queueBody{}, err
	}
	dead, err := b.Ops.Queue.Dead(ctx, deadShown)
	if err != nil {
		return queueBody{}, err
	}
	body := queueBody{
		Read: true, Stats: look.Stats, Server: look.Server, Dead: dead,
		Others: max(0, len(look.Backlogs)-tenantsShown), Idle: max(0, len(workers)-workersShown),
	}
	if look.Fault != nil {
		body.Fault = "The server must not be used: " + look.Fault.Error()
	}
	for _, backlog := range look.Backlogs[:min(len(look.Backlogs), tenantsShown)] {
		row := tenantRow{Backlog: backlog}
		if backlog.Share.Most > 0 {
			row.Most = strconv.Itoa(backlog.Share.Most)
		}
		body.Tenants = append(body.Tenants, row)
	}
	for _, worker := range workers[:min(len(workers), workersShown)] {
		body.Workers = append(body.Workers, workerRowOf(worker))
	}
	return body, nil
}

func workerRowOf(w queue.Worker) workerRow {
	row := workerRow{Name: w.Name, Quiet: lasted(w.Quiet), Slots: w.Slots, More: max(0, len(w.Jobs)-runsShown)}
	for _, job := range w.Jobs[:min(len(w.Jobs), runsShown)] {
		row.Runs = append(row.Runs, runRow{job.ID, job.Tenant.Organization, lasted(job.Renewed)})
	}
	return row
}

// lasted is a length of time, to the second from one second on.
func lasted(d time.Duration) string {
	if d >= time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}
