// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	_ "embed"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
)

// scriptFile is the one script, for the page of a job that has not ended.
const scriptFile = "progress.js"

//go:embed progress.js
var script []byte

// livePolicy lets that page run the script, and the script follow the job.
const livePolicy = contentSecurityPolicy + "; script-src 'self'; connect-src 'self'"

// listener is the label of this listener in metrics.
const listener = "dashboard"

// followJob serves the changes of a job as they come, as the API does, with the same
// pace, bounds and events.
func (b *board) followJob(v *visit) answer {
	job, err := b.Jobs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failedJob(err)
	}
	seen := preflightapi.LastEvent(v.Request)
	return answer{send: func(w http.ResponseWriter) *answer {
		if job.Status.Terminal() && seen == job.Revision() {
			w.WriteHeader(http.StatusNoContent) // after which a browser does not connect again
			return nil
		}
		preflightapi.EventFields(w.Header())
		if v.Method == http.MethodHead {
			w.WriteHeader(http.StatusOK)
			return nil
		}
		stream, refused := b.Streams.Open(w, v.Request, v.caller.Tenant().Organization, listener, b.Metrics)
		if refused != nil {
			w.Header().Del("X-Accel-Buffering")
			page := refusal(refused)
			return &page
		}
		defer stream.Close()
		b.follower.Follow(v.Context(), job, seen, func() bool { return b.stillReads(v) }, stream)
		return nil
	}}
}

// stays refuses what would lead to the sign-in. A script would go there in place of the
// person, who would not be told that the session has ended.
func stays(serve action) action {
	return func(v *visit) answer {
		a := serve(v)
		if a.location != "" {
			return say(http.StatusForbidden, "Not signed in", "Your session has ended. Load the page again.")
		}
		return a
	}
}

// stillReads asks the gates again, as they are by now: whether the session of a visit
// is good, and its key may still read jobs.
func (b *board) stillReads(v *visit) bool {
	now := b.Now()
	again := visit{Request: v.Request, now: now, snapshot: b.Gates.Current(now), refusals: b.refusals}
	if again.snapshot == nil {
		return false
	}
	caller, _, _ := b.holder(&again)
	if !caller.Valid() || caller.Tenant() != v.caller.Tenant() {
		return false
	}
	again.caller = caller
	return again.snapshot.Standing(caller, posture.ScopeAccountRead, now).Allowed() && again.Decide(posture.Preflight, false).Allowed()
}
