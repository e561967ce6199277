// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Check is a named readiness check.
type Check struct {
	Name string
	// Advisory checks are reported but do not make the process unready.
	Advisory bool
	// Run returns nil if the check passes. Operators see its error.
	Run func(context.Context) error
}

// checkTimeout limits the total time of all checks of one readiness request.
const checkTimeout = 2 * time.Second

// Ops is the listener for operators and their tools. Only its Diagnostics have
// authentication, so partners must not reach it.
type Ops struct {
	Checks  []Check
	Metrics *telemetry.Metrics
	// Diagnostics protects /metrics, and serves the log level and profiles.
	Diagnostics telemetry.Diagnostics
	Gates       *posture.Gates
	// Compiled returns the highest resource version of each kind in the snapshot in
	// force; nil if the source has no resource versions.
	Compiled func() map[string]string
	Now      func() time.Time
}

// Handler serves /livez, /readyz, /metrics, the pages of the diagnostics and, if there are
// gates, /posture/watermark.
func (o Ops) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		respond.Bytes(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", o.ready)
	mux.Handle("GET /metrics", o.Diagnostics.Protect(o.Metrics.Handler()))
	for pattern, page := range o.Diagnostics.Pages() {
		mux.Handle(pattern, page)
	}
	if o.Gates != nil {
		mux.HandleFunc("GET /posture/watermark", o.watermark)
	}
	return mux
}

type readiness struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"`
}

func (o Ops) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	answer := readiness{Ready: true, Checks: map[string]string{}}
	for _, check := range o.Checks {
		answer.Checks[check.Name] = "ok"
		if err := check.Run(ctx); err != nil {
			answer.Ready = answer.Ready && check.Advisory
			answer.Checks[check.Name] = telemetry.Redact(err.Error())
		}
	}
	status := http.StatusOK
	if !answer.Ready {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	_ = respond.JSON(w, status, answer) // strings always encode
}

// watermark reports the resource version that this replica enforces, so that a controller can
// wait for a change to be in force.
func (o Ops) watermark(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	_ = respond.JSON(w, http.StatusOK, o.Gates.Watermark(o.Compiled, o.Now()))
}
