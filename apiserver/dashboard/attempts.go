// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
)

// Limits of attempts to sign in. A key has 190 random bits, so an attacker cannot guess one at any
// rate: the limits only bound the load.
var (
	// perClient limits one client.
	perClient = gate.RatePolicy{Limit: 20, Window: time.Minute}
	// perPeer limits one remote address. Behind a proxy, all clients share it.
	perPeer = gate.RatePolicy{Limit: 600, Window: time.Minute}
)

// The ways to sign in. Each has its own counts, so that attempts with keys do not use the
// limit of sign-ins at the identity provider.
const (
	signInWithKey  = "key"
	signInWithOIDC = "oidc"
	logoutByOIDC   = "oidc logout"
)

// attempts counts attempts to sign in by client, on this replica.
type attempts struct{ limits *gate.ClientLimiter }

// take counts an attempt to sign in one way. A result above zero is how long the client must wait.
func (a attempts) take(r *http.Request, way string, now time.Time) time.Duration {
	return a.limits.Take(gate.ClientOf(r.RemoteAddr, r.Header.Values("X-Forwarded-For")), way, now)
}
