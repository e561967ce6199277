// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
)

// mediaEvents is the media type of server-sent events (WHATWG HTML, section 9.2).
const mediaEvents = "text/event-stream"

// FollowPreflight serves GET /api/v1/preflight/{jobId}/events.
func (s *surface) FollowPreflight(c *gate.Call, jobID JobID) (FollowPreflightResponseObject, error) {
	job, err := s.Jobs.Get(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	seen := LastEvent(c.Request)
	if job.Status.Terminal() && seen == job.Revision() {
		// A client does not reconnect after this response.
		return FollowPreflight204Response{}, nil
	}
	return following{follower: s.follower, job: job, seen: seen}, nil
}

// LastEvent returns the revision of a job that a client has seen, empty for none.
func LastEvent(r *http.Request) string {
	if fields := r.Header["Last-Event-Id"]; len(fields) == 1 {
		return fields[0]
	}
	return ""
}

// EventFields sets the header fields of a stream of events.
func EventFields(header http.Header) {
	header.Set("Content-Type", mediaEvents)
	header.Set("X-Accel-Buffering", "no")
}

// following is the response that streams the changes of a job.
type following struct {
	follower Follower
	job      preflightjob.Job
	seen     string
}

// answerFollowPreflight writes events until the job or the connection ends.
func (f following) answerFollowPreflight(c *gate.Call) error {
	if c.Request.Method == http.MethodHead {
		EventFields(c.Writer.Header())
		c.Writer.WriteHeader(http.StatusOK)
		return nil
	}
	stream, refusal := c.Stream(EventFields)
	if refusal != nil {
		return refusal
	}
	defer stream.Close()
	f.follower.Follow(c.Context(), f.job, f.seen, c.StillAllowed, stream)
	return nil
}

// Follower streams the changes of jobs, on any listener.
type Follower struct {
	// Jobs reads them.
	Jobs interface {
		Get(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error)
	}
	// Pace sets how often jobs are read. The zero value is the pace of the contract.
	Pace Pace
	// Changes provides announcements of changes, or is nil.
	Changes *Changes
}

// Follow writes a job, unless the client has seen its revision, and then each change.
// Events contain the same record as GET. Follow returns when the job has ended, when the
// client has disconnected, when allowed returns false, when the server is about to stop,
// or when the client must reconnect.
func (f Follower) Follow(ctx context.Context, job preflightjob.Job, seen string, allowed func() bool, stream *gate.Stream) {
	f.Pace.setDefaults()
	changed, unfollow := f.Changes.follow(job.ID)
	defer unfollow()
	follow(ctx, f.Pace, source{
		read:    func(ctx context.Context) (preflightjob.Job, error) { return f.Jobs.Get(ctx, job.Tenant, job.ID) },
		changed: changed,
		open:    allowed,
		stops:   stream.Draining(),
	}, job, seen, stream)
}
