// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

const (
	// queueTime bounds how long a page waits for Redis.
	queueTime = 2 * time.Second
	// Limits of the page.
	tenantsShown = 20
	workersShown = 50
	runsShown    = 8
	deadShown    = 50
)

// queueBody is the queue of preflight jobs.
type queueBody struct {
	// Fault is the reason why the queue cannot be read or must not be used. Read reports
	// whether the other members are known.
	Fault   string
	Read    bool
	Stats   queue.Stats
	Server  queue.Server
	Tenants []tenantRow
	// Others is the number of further tenants with waiting jobs.
	Others  int
	Workers []workerRow
	// Idle is the number of further workers.
	Idle int
	Dead []queue.Entry
}

type tenantRow struct {
	queue.Backlog
	// Most is the maximum number of dispatched jobs of the tenant; empty without a limit.
	Most string
}

type workerRow struct {
	Name, Quiet string
	Slots       int
	Runs        []runRow
	// More is the number of further jobs that the worker holds.
	More int
}

type runRow struct{ ID, Owner, Renewed string }

// showQueue serves the queue. If Redis is unavailable, only this page fails.
func (s *server) showQueue(v *visit) response {
	ctx, cancel := context.WithTimeout(v.Context(), queueTime)
	defer cancel()
	body, err := s.readQueue(ctx)
	if err != nil {
		r := show(pageOpsQueue, "Queue", queuePage(queueBody{Fault: "The queue cannot be read: " + err.Error()}))
		r.status, r.cause, r.retry = http.StatusServiceUnavailable, err, queueTime
		return r
	}
	return show(pageOpsQueue, "Queue", queuePage(body))
}

func (s *server) readQueue(ctx context.Context) (queueBody, error) {
	look, err := s.Ops.Queue.Overview(ctx)
	if err != nil {
		return queueBody{}, err
	}
	workers, err := s.Ops.Queue.Workers(ctx)
	if err != nil {
		return queueBody{}, err
	}
	dead, err := s.Ops.Queue.Dead(ctx, deadShown)
	if err != nil {
		return queueBody{}, err
	}
	body := queueBody{
		Read: true, Stats: look.Stats, Server: look.Server, Dead: dead,
		Others: max(0, len(look.Backlogs)-tenantsShown), Idle: max(0, len(workers)-workersShown),
	}
	if look.Fault != nil {
		body.Fault = "The Redis server must not be used: " + look.Fault.Error()
	}
	for _, backlog := range look.Backlogs[:min(len(look.Backlogs), tenantsShown)] {
		body.Tenants = append(body.Tenants, tenantRow{Backlog: backlog, Most: backlog.Share.InFlight()})
	}
	for _, worker := range workers[:min(len(workers), workersShown)] {
		row := workerRow{Name: worker.Name, Quiet: lasted(worker.Quiet), Slots: worker.Slots, More: max(0, len(worker.Jobs)-runsShown)}
		for _, job := range worker.Jobs[:min(len(worker.Jobs), runsShown)] {
			row.Runs = append(row.Runs, runRow{job.ID, job.Tenant.Organization, lasted(job.Renewed)})
		}
		body.Workers = append(body.Workers, row)
	}
	return body, nil
}

// lasted formats a duration: "87 ms", "4.3 s", "43 s", and from one minute on "1m12s".
func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}
