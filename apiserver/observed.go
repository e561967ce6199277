// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Observed records the requests to listeners other than the API, in metrics, in the log and in
// spans, like those to the API.
type Observed struct {
	// Listener is the listener's label in logs and metrics.
	Listener string
	Metrics  *telemetry.Metrics
	// Tracer may be nil.
	Tracer *telemetry.Tracer
	Log    *slog.Logger
	Now    func() time.Time
}

// Handler returns next with observation. The route of a request is the one that next sets in
// the [respond.Exchange], or else the pattern of [http.ServeMux] that matched.
func (o Observed) Handler(next http.Handler) http.Handler {
	a := &accounts{listener: o.Listener, metrics: o.Metrics, tracer: o.Tracer, lines: telemetry.Deferred(o.Log), now: o.Now}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := respond.Observe(w, a.now())
		r, span := a.tracer.Request(r, x.Started)
		defer a.account(x, r, span)
		a.metrics.InFlight(a.listener, 1)
		defer a.metrics.InFlight(a.listener, -1)
		defer func() { x.Route = cmp.Or(x.Route, r.Pattern[strings.LastIndexByte(r.Pattern, ' ')+1:]) }()
		next.ServeHTTP(x, r)
		if x.Status() == 0 {
			x.WriteHeader(http.StatusOK) // as net/http would
		}
	})
}
