// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// crash is one way of losing a worker. Crashes cost no processor time to
// speak of, so all rounds run at once, each on a server of its own.
type crash struct {
	contender string
	// lease is zero where it cannot be chosen.
	lease time.Duration
	// after is how long the worker has its job when it is killed. It differs
	// between rounds, because a worker's age decides where in its timers' turns
	// it dies.
	after time.Duration
}

// recovered measures how long the job had no holder.
type recovered struct {
	fromKill, fromRenewal time.Duration
}

func measureRecovery(ctx context.Context, s size, r *report) error {
	kinds := []crash{{contender: "printmarket", lease: 3 * time.Second}, {contender: "printmarket", lease: 10 * time.Second}}
	if s.slowAsynq {
		kinds = append(kinds, crash{contender: "asynq"})
	}
	rounds := min(s.rounds, 3)
	times, errs := make([][]recovered, len(kinds)), make([][]error, len(kinds))
	var group sync.WaitGroup
	for k, kind := range kinds {
		times[k], errs[k] = make([]recovered, rounds), make([]error, rounds)
		for i := range rounds {
			c := kind
			c.after = time.Duration(i+1) * 5 * time.Second
			group.Go(func() { times[k][i], errs[k][i] = c.play(ctx) })
		}
	}
	group.Wait()
	for k := range kinds {
		if err := errors.Join(errs[k]...); err != nil {
			return fmt.Errorf("%s: %w", kinds[k].contender, err)
		}
	}
	reportRecovery(r, kinds, times)
	return nil
}

func reportRecovery(r *report, kinds []crash, times [][]recovered) {
	var rows [][]string
	for k, kind := range kinds {
		lease, renewal := "30 s, fixed", "not measured"
		if kind.lease > 0 {
			worst := time.Duration(0)
			for _, t := range times[k] {
				worst = max(worst, t.fromRenewal)
			}
			lease, renewal = kind.lease.String(), number(medianOf(times[k], recovered.sinceRenewal))
			r.result("recovery/lease="+kind.lease.String(), metric{worst.Seconds() / kind.lease.Seconds(), "leases"})
		}
		rows = append(rows, []string{kind.contender, lease, number(medianOf(times[k], recovered.sinceKill)), renewal})
	}
	r.table("From the death of a worker by SIGKILL until another one has its job, in seconds",
		[]string{"queue", "lease", "from the kill", "from the last renewal"}, rows)
}

func (t recovered) sinceKill() float64    { return t.fromKill.Seconds() }
func (t recovered) sinceRenewal() float64 { return t.fromRenewal.Seconds() }

func (c crash) join(addr string) (contender, error) {
	if c.contender == "asynq" {
		return newAsynq(addr, asynqConfig{keep: kept}), nil
	}
	return newPlatform(addr, c.lease)
}

// play lets a victim take the only job, starts a second worker, kills the
// victim and waits until the second one has the job.
func (c crash) play(ctx context.Context) (took recovered, err error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	server, err := startServer(ctx, anywhere, everysec)
	if err != nil {
		return recovered{}, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	contender, err := c.join(server.addr)
	if err != nil {
		return recovered{}, err
	}
	defer func() { err = errors.Join(err, contender.close()) }()
	if err := contender.submit(ctx, jobID(1), 1); err != nil {
		return recovered{}, err
	}
	v, err := c.startVictim(ctx, server.addr)
	if err != nil {
		return recovered{}, err
	}
	defer v.kill()
	var again time.Time
	rescue, rescued := context.WithCancel(ctx)
	defer rescued()
	time.AfterFunc(c.after, v.kill)
	err = contender.serve(rescue, 1, func(string) { again = time.Now(); rescued() })
	if err != nil || again.IsZero() {
		return recovered{}, fmt.Errorf("the job did not come back: %w", errors.Join(err, ctx.Err()))
	}
	return v.since(again)
}

// prey is a worker to be killed, as its killer sees it.
type prey struct {
	process  *exec.Cmd
	once     sync.Once
	reported chan struct{}

	mu             sync.Mutex
	killed, renews time.Time
}

// startVictim returns when the victim has the job.
func (c crash) startVictim(ctx context.Context, addr string) (*prey, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	process := exec.CommandContext(ctx, self, "-victim", c.contender, "-redis", addr, "-lease", c.lease.String())
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("listen to the victim: %w", err)
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start the victim: %w", err)
	}
	v := &prey{process: process, reported: make(chan struct{})}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !v.note(lines.Text()) {
		v.kill()
		return nil, errors.New("the victim did not get the job")
	}
	go func() {
		defer close(v.reported)
		for lines.Scan() && v.note(lines.Text()) {
		}
	}()
	return v, nil
}

// note reads "held" and the time from which the lease counts.
func (v *prey) note(line string) bool {
	nanos, err := strconv.ParseInt(strings.TrimPrefix(line, "held "), 10, 64)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.renews = time.Unix(0, nanos)
	return err == nil
}

func (v *prey) kill() {
	v.once.Do(func() {
		v.mu.Lock()
		v.killed = time.Now()
		v.mu.Unlock()
		_ = v.process.Process.Kill()
	})
}

// since reads the times after the victim's last word.
func (v *prey) since(again time.Time) (recovered, error) {
	<-v.reported
	_ = v.process.Wait()
	if again.Before(v.killed) {
		return recovered{}, errors.New("the job was handed out twice")
	}
	return recovered{again.Sub(v.killed), again.Sub(v.renews)}, nil
}

// victim is this program as the worker that will be killed.
type victim struct {
	contender, addr string
	lease           time.Duration
}

// run takes the job and holds it until the end of the process, reporting from
// when its lease counts.
func (v victim) run(ctx context.Context, out io.Writer) error {
	contender, err := crash{contender: v.contender, lease: v.lease}.join(v.addr)
	if err != nil {
		return err
	}
	report := func(at time.Time) { _, _ = fmt.Fprintf(out, "held %d\n", at.UnixNano()) }
	if p, ok := contender.(*platformContender); ok {
		p.renewed = report
	}
	return contender.serve(ctx, 1, func(string) {
		report(time.Now())
		<-ctx.Done()
	})
}
