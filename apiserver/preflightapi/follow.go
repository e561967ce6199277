// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Pace sets how often a followed job is read. Announcements of changes may be lost, so
// the job is also read at intervals, which grow while nothing changes.
type Pace struct {
	// Soonest is the time to the next read after a change, and Latest the longest time
	// between two reads: 500 ms and 2 s if they are 0.
	Soonest, Latest time.Duration
	// Heartbeat is the time between two heartbeats of a connection: 15 s if it is 0.
	Heartbeat time.Duration
	// Life is the time after which a client must reconnect, so that replicas share the
	// work evenly: 5 minutes if it is 0.
	Life time.Duration
}

func (p *Pace) setDefaults() {
	p.Soonest = cmp.Or(p.Soonest, 500*time.Millisecond)
	p.Latest = max(p.Soonest, cmp.Or(p.Latest, 2*time.Second))
	p.Heartbeat = cmp.Or(p.Heartbeat, 15*time.Second)
	p.Life = cmp.Or(p.Life, 5*time.Minute)
}

// The lines of a stream besides events: the time to reconnect after, in milliseconds,
// and a comment.
const (
	reconnect = "retry: 2000\n\n"
	heartbeat = ":\n\n"
)

// source provides the changes of a job.
type source struct {
	read func(context.Context) (preflightjob.Job, error)
	// changed receives announcements that the job may have changed.
	changed <-chan struct{}
	// open reports whether the client may still read the job.
	open func() bool
	// stops is closed when this process is about to end.
	stops <-chan struct{}
}

// follow writes a job, unless the client has seen its revision, and then each change. It
// returns when the job has ended, when the client has disconnected or lost access, or
// when the client must reconnect.
func follow(ctx context.Context, pace Pace, from source, job preflightjob.Job, seen string, to io.Writer) {
	ctx, cancel := context.WithTimeout(ctx, pace.Life)
	defer cancel()
	beats := time.NewTicker(pace.Heartbeat)
	defer beats.Stop()
	pause := pace.Soonest
	polls := time.NewTimer(pause)
	defer polls.Stop()
	f := follower{to: to, seen: seen}
	for on := f.write(reconnect) && f.send(job); on; {
		select {
		case <-ctx.Done():
			return
		case <-from.stops:
			return
		case <-beats.C:
			on = from.open() && f.write(heartbeat)
		case <-from.changed:
			on = from.open() && f.poll(ctx, from)
		case <-polls.C:
			known := f.seen
			on = from.open() && f.poll(ctx, from)
			if pause = min(2*pause, pace.Latest); f.seen != known {
				pause = pace.Soonest
			}
			polls.Reset(pause)
		}
	}
}

// follower is a client and the last event that it has seen.
type follower struct {
	to   io.Writer
	seen string
}

// poll reads the job and sends a change, unless the client lost access in the meantime.
// It reports whether to continue.
func (f *follower) poll(ctx context.Context, from source) bool {
	job, err := from.read(ctx)
	if err != nil {
		// After other errors the job may become readable again.
		return !errors.Is(err, transaction.ErrNotFound) && !errors.Is(err, preflightjob.ErrGone)
	}
	return from.open() && f.send(job)
}

// send writes a job if the client has not seen its revision, and reports whether to
// continue.
func (f *follower) send(job preflightjob.Job) bool {
	if revision := job.Revision(); revision != f.seen {
		event, err := eventOf(job)
		if err != nil || !f.write(event) {
			return false
		}
		f.seen = revision
	}
	return !job.Status.Terminal()
}

// write writes a text and reports whether the client accepted it.
func (f *follower) write(text string) bool {
	_, err := io.WriteString(f.to, text)
	return err == nil
}

// eventOf returns a job as an event. JSON has its line breaks escaped, so the data is
// one line.
func eventOf(job preflightjob.Job) (string, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(modelOf(job, nil)); err != nil {
		return "", fmt.Errorf("encode event: %w", err)
	}
	return fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n", job.Revision(), job.Status, data.Bytes()), nil
}
