// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/http"
	"slices"
)

// control handles `POST /UNIT/VERB`. It listens on a socket in DATA, which only the user who
// started the cluster can reach.
func (c *cluster) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{unit}/{verb}", func(w http.ResponseWriter, r *http.Request) {
		i := slices.IndexFunc(c.units, func(u *unit) bool { return u.name == r.PathValue("unit") })
		if i < 0 {
			http.Error(w, "no such unit", http.StatusNotFound)
			return
		}
		switch err := c.units[i].order(r.Context(), r.PathValue("verb")); {
		case errors.Is(err, errVerb):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	return mux
}
