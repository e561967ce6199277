// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// publicFiles limits the slots that published files may use, because they are large and require
// no key. Only the end of a large response waits for the client while it has a slot: net/http
// sends a small response after the handler.
type publicFiles struct {
	listener string
	slots    *gate.Slots
	problems *respond.Problems
	metrics  *telemetry.Metrics
}

func (p *publicFiles) serve(file http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !p.slots.Take() {
			p.metrics.Shed(p.listener, "files")
			p.problems.Write(w, problem.New(problem.CodeOverloaded, "The server is sending too many files at once.").After(time.Second))
			return
		}
		defer p.slots.Give()
		gate.LeaveBody(w, r)
		file.ServeHTTP(w, r)
	}
}
