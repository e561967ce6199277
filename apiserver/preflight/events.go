// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflight/preflightapi"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/ledger"
)

// mediaEvents is that of server-sent events (WHATWG HTML, section 9.2).
const mediaEvents = "text/event-stream"

// FollowPreflight serves GET /api/v1/preflight/{jobId}/events.
func (s *surface) FollowPreflight(ctx context.Context, in preflightapi.FollowPreflightRequestObject) (preflightapi.FollowPreflightResponseObject, error) {
	c := strict.Call(ctx)
	job, err := s.Jobs.Get(ctx, c.Tenant(), in.JobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	seen := lastEvent(c.Request)
	if job.Status.Terminal() && seen == job.Revision() {
		// The one answer after which a client does not connect again.
		return preflightapi.FollowPreflight204Response{}, nil
	}
	return &following{surface: s, call: c, job: job, seen: seen}, nil
}

// lastEvent is the revision that a client has seen. A field that cannot be one
// is that of a client which has seen nothing.
func lastEvent(r *http.Request) string {
	if fields := r.Header["Last-Event-Id"]; len(fields) == 1 {
		return fields[0]
	}
	return ""
}

// following is the answer to somebody who follows a job.
type following struct {
	*surface
	call *gate.Call
	job  jobs.Job
	seen string
}

// VisitFollowPreflightResponse writes the answer, for as long as the job goes on.
func (f *following) VisitFollowPreflightResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", mediaEvents)
	w.Header().Set("X-Accel-Buffering", "no")
	if f.call.Request.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	stream, refusal := f.call.Stream()
	if refusal != nil {
		return refusal
	}
	defer stream.Close()
	changed, unfollow := f.Changes.follow(f.job.ID)
	defer unfollow()
	follow(f.call.Request.Context(), f.Pace, source{
		read:    func(ctx context.Context) (jobs.Job, error) { return f.Jobs.Get(ctx, f.call.Tenant(), f.job.ID) },
		changed: changed,
		open:    f.call.StillAllowed,
		stops:   stream.Draining(),
	}, f.job, f.seen, stream)
	return nil
}

// over reports whether an error of reading a job is the end of following it.
// After any other one it may be readable again.
func over(err error) bool {
	return errors.Is(err, ledger.ErrNotFound) || errors.Is(err, jobs.ErrGone)
}
