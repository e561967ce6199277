// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// connection is how a request came. It is read from the connection itself, which
// only the listener for mutual TLS gives a certificate: the client's own, or the
// one that a proxy has seen, once that has proven itself. A certificate outside of
// its time, because the connection has outlived it, say, is as good as any that
// nobody has pinned.
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
