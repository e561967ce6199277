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

// publicFiles limits the slots for published files, because files are large and require
// no key. A large response occupies its slot until the client has read nearly all of it.
// net/http sends a small response after the handler returns.
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
