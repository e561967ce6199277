// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
)

// livePolicy allows the script of a page to follow a job or to upload a file.
const livePolicy = contentSecurityPolicy + "; connect-src 'self'"

// listener is the label of this listener in metrics.
const listener = "dashboard"

// followJob streams the changes of a job as the API does: with the same pace, limits and
// events.
func (s *server) followJob(v *visit) response {
	job, err := s.Jobs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failedJob(err)
	}
	seen := preflightapi.LastEvent(v.Request)
	return response{send: func(w http.ResponseWriter) *response {
		if job.Status.Terminal() && seen == job.Revision() {
			w.WriteHeader(http.StatusNoContent) // prevents the browser from connecting again
			return nil
		}
		preflightapi.EventFields(w.Header())
		if v.Method == http.MethodHead {
			w.WriteHeader(http.StatusOK)
			return nil
		}
		stream, refused := s.Streams.Open(w, v.Request, v.caller.Tenant().Organization, listener, s.Metrics)
		if refused != nil {
			w.Header().Del("X-Accel-Buffering")
			page := problemPage(refused)
			return &page
		}
		defer stream.Close()
		mayStillRead := func() bool {
			again, found := s.again(v)
			return found && again.snapshot.Standing(again.caller, posture.ScopeAccountRead, again.now).Allowed() && again.Decide(posture.Preflight, false).Allowed()
		}
		s.follower.Follow(v.Context(), job, seen, mayStillRead, stream)
		return nil
	}}
}

// withoutRedirect refuses a request that would be redirected to the sign-in. A script would
// follow the redirect, and the person would not see that the session has ended.
func withoutRedirect(next handler) handler {
	return func(v *visit) response {
		r := next(v)
		if r.location != "" {
			return message(http.StatusForbidden, "Not signed in", "Your session has ended. Reload the page.")
		}
		return r
	}
}

// again returns a visit of the same session under the current posture, and false if its session or
// its key has ended.
func (s *server) again(v *visit) (*visit, bool) {
	now := s.Now()
	again := &visit{Request: v.Request, now: now, snapshot: s.Gates.Current(now), refusals: s.refusals}
	if again.snapshot == nil {
		return again, false
	}
	found, err := s.resume(again)
	return again, err == nil && found && again.caller.Tenant() == v.caller.Tenant()
}
