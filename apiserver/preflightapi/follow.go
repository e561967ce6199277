// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
)

// Pace is how closely a job is followed. Changes are announced, but nobody can
// rely on it, so the store is asked too, and less often while nothing changes.
type Pace struct {
	// Soonest is when a job is read again after a change, Latest the longest
	// time between two reads: 500 ms and 2 s if they are 0.
	Soonest, Latest time.Duration
	// Heartbeat is how often a client is told that the connection lives: 15 s
	// if it is 0.
	Heartbeat time.Duration
	// Life is when a client has to connect again, so that replicas share the
	// work anew: 5 minutes if it is 0.
	Life time.Duration
}

func (p *Pace) setDefaults() {
	p.Soonest = cmp.Or(p.Soonest, 500*time.Millisecond)
	p.Latest = max(p.Soonest, cmp.Or(p.Latest, 2*time.Second))
	p.Heartbeat = cmp.Or(p.Heartbeat, 15*time.Second)
	p.Life = cmp.Or(p.Life, 5*time.Minute)
}

// What is written beside events: when to connect again, in milliseconds, and a
// comment.
const (
	reconnect = "retry: 2000\n\n"
	heartbeat = ":\n\n"
)

// source is where the changes of a job come from.
type source struct {
	read func(context.Context) (preflightjob.Job, error)
	// changed is told when the job seems to have changed.
	changed <-chan struct{}
	// open reports whether the client may still be told.
	open func() bool
	// stops is closed when this process is about to end.
	stops <-chan struct{}
}

// follow writes a job as it is, unless the client has seen that, and then as it
// changes. It returns when the job has ended, when nobody listens or may listen
// any more, or when it is time to connect again.
func follow(ctx context.Context, pace Pace, from source, job preflightjob.Job, seen string, to io.Writer) {
	ctx, cancel := context.WithTimeout(ctx, pace.Life)
	defer cancel()
	beats := time.NewTicker(pace.Heartbeat)
	defer beats.Stop()
	pause := pace.Soonest
	polls := time.NewTimer(pause)
	defer polls.Stop()
	f := follower{to: to, seen: seen}
	for on := f.say(reconnect) && f.tell(job); on; {
		select {
		case <-ctx.Done():
			return
		case <-from.stops:
			return
		case <-beats.C:
			on = from.open() && f.say(heartbeat)
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

// poll reads the job and tells of a change, unless the client lost the right to know
// while it was read. It reports whether to go on.
func (f *follower) poll(ctx context.Context, from source) bool {
	job, err := from.read(ctx)
	if err != nil {
		return !over(err)
	}
	return from.open() && f.tell(job)
}

// tell writes a job if the client has not seen it, and reports whether to go on.
func (f *follower) tell(job preflightjob.Job) bool {
	if revision := job.Revision(); revision != f.seen {
		event, err := eventOf(job)
		if err != nil || !f.say(event) {
			return false
		}
		f.seen = revision
	}
	return !job.Status.Terminal()
}

// say writes a text and reports whether it was taken.
func (f *follower) say(text string) bool {
	_, err := io.WriteString(f.to, text)
	return err == nil
}

// eventOf is a job as an event. JSON has its line breaks escaped, so the data is
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
