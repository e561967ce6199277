// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
)

// shed limits the requests that a handler processes concurrently. It rejects others with an
// empty 503, because the listeners that use it have no problems. The API's listener rejects
// them with a problem.
func shed(next http.Handler, inFlight int) http.Handler {
	slots := gate.NewSlots(inFlight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slots.Take() {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer slots.Give()
		next.ServeHTTP(w, r)
	})
}
