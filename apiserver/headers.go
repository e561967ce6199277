// SPDX-License-Identifier: Apache-2.0

package apiserver

import "net/http"

// The values of security header fields. All responses share them, so they must not be modified.
var (
	noSniff           = []string{"nosniff"}
	strictlyTransport = []string{"max-age=31536000"}
)

// secured adds the header fields that every response has: browsers must not guess media
// types, and where this process terminates TLS, must not use plain HTTP for a year.
func secured(next http.Handler, overTLS bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["X-Content-Type-Options"] = noSniff
		if overTLS {
			header["Strict-Transport-Security"] = strictlyTransport
		}
		next.ServeHTTP(w, r)
	})
}
