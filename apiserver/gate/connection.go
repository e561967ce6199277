// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// connection describes the connection of a request. It reads the connection itself, which has
// a certificate only on the listener for mutual TLS: the client's own, or the client
// certificate that an authenticated proxy forwards. A certificate outside of its validity,
// for example because the connection has outlived it, counts as one that is not pinned.
func connection(r *http.Request, now time.Time) posture.Connection {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return posture.Connection{}
	}
	certificate := r.TLS.PeerCertificates[0]
	if now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return posture.Mutual(posture.Pin{})
	}
	return posture.Mutual(posture.PinOf(certificate.RawSubjectPublicKeyInfo))
}
