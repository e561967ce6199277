// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
)

// Router is the router behind an API's handler; nil for any other handler.
func Router(handler http.Handler) chi.Routes {
	outermost, ok := handler.(*surround)
	if !ok {
		return nil
	}
	router, _ := outermost.next.(chi.Routes)
	return router
}

// SetStall replaces the time that a client may take nothing of its answer.
func (s *Server) SetStall(stall time.Duration) { s.stall = stall }
