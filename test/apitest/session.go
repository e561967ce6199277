// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"net/http"
	"testing"
)

// sessionsPath is the path that opens sessions, the only one that returns a token.
const sessionsPath = "/api/v1/sessions"

// Session opens a session with a key of the fixture and returns its token.
func (w *Server) Session(t testing.TB, key string) string {
	t.Helper()
	return w.Do(t, Request{Method: http.MethodPost, Path: sessionsPath, Key: key}).Want(t, http.StatusCreated, "").Text(t, "token")
}
