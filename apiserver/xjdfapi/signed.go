// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// The header fields of a callback, in canonical spelling.
const (
	senderField    = "X-Xjmf-Sender"
	signatureField = "X-Xjmf-Signature"
	timestampField = "X-Xjmf-Timestamp"
)

// challenge is the authentication challenge of a 401 (RFC 9110, section 11.6.1).
const challenge = `XJMF-Signature realm="printmarket"`

// authenticateSender identifies the sender by the signature of the raw body. A missing field, an
// unknown or suspended sender and a wrong signature all give the same answer. For an unknown
// sender the body is read and verified too, so that the answer takes as long. Only while
// clients send more of such bodies than there are places for, the answer comes without it.
func authenticateSender(c *gate.Call) (posture.Caller, *problem.Problem) {
	id, hasSender := only(c.Request, senderField)
	signed, hasSignature := only(c.Request, signatureField)
	timestamp, hasTimestamp := only(c.Request, timestampField)
	if !hasSender || !hasSignature || !hasTimestamp {
		gate.LeaveBody(c.Writer, c.Request)
		return posture.Caller{}, unsigned(c)
	}
	if c.Request.ContentLength < 0 {
		c.Writer.Header().Set("Connection", "close")
		return posture.Caller{}, problem.New(problem.CodeLengthRequired, "The Content-Length header is required.")
	}
	sender, known := c.Sender(id)
	if refusal := c.ReadUnsigned(sender.ID()); refusal != nil {
		if !known && refusal.Code == problem.CodeOverloaded {
			return posture.Caller{}, unsigned(c)
		}
		return posture.Caller{}, refusal
	}
	scheme, err := credential.ParseSignatureScheme(string(sender.Scheme()))
	holds := credential.VerifySignature(scheme, sender.Secrets(c.Now), signed, timestamp, c.Body)
	caller := sender.Caller(c.Now)
	if !known || err != nil || !holds || !caller.Valid() {
		return posture.Caller{}, unsigned(c)
	}
	at, err := credential.ParseTimestamp(timestamp)
	if err != nil || !at.Within(c.Now, sender.ReplayWindow()) {
		return posture.Caller{}, outside(c, sender.ReplayWindow())
	}
	return caller, nil
}

// only returns the value of a header field that occurs exactly once and is not empty.
func only(r *http.Request, name string) (string, bool) {
	values := r.Header[name]
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	return values[0], true
}

// unsigned returns the problem for a message without a valid signature.
func unsigned(c *gate.Call) *problem.Problem {
	c.Writer.Header()["Www-Authenticate"] = []string{challenge}
	return problem.New(problem.CodeXJMFSignatureInvalid, "The message is not signed by a registered sender.")
}

// outside returns the problem for a timestamp outside of the replay window.
func outside(c *gate.Call, window time.Duration) *problem.Problem {
	c.Writer.Header()["Www-Authenticate"] = []string{challenge}
	return problem.New(problem.CodeXJMFTimestampOutside, "X-XJMF-Timestamp must be a time (Unix seconds, Unix milliseconds or RFC 3339) within %d s of the server's clock.", int(window.Seconds()))
}
