// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
)

// Router returns the router of an API's handler; nil for any other handler.
func Router(handler http.Handler) chi.Routes {
	outermost, ok := handler.(*surround)
	if !ok {
		return nil
	}
	router, _ := outermost.next.(chi.Routes)
	return router
}

// SetStall sets the time after which a client that reads nothing is disconnected.
func (s *Server) SetStall(stall time.Duration) { s.stall = stall }
