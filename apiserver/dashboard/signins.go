// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/signon"
)

// signInMethod is a label of metrics: the method of a sign-in: "key" or "oidc".
type signInMethod string

const (
	byKey      signInMethod = "key"
	byProvider signInMethod = "oidc"
)

// outcome is a label of metrics: the result of an attempt to sign in. It is one of these
// constants, or the name of a reason of the posture or of the identity provider, so the set
// is closed and contains nothing about the person or the key.
type outcome string

const (
	// inProgress means that the browser is redirected to the identity provider. It is not
	// counted.
	inProgress outcome = ""
	signedIn   outcome = "in"
	// tooMany means that the client or its connection has tried too often.
	tooMany outcome = "too-many"
	// unreadable means that the form could not be read.
	unreadable outcome = "unreadable"
	// withoutPlatform means that there is no organization of the platform.
	withoutPlatform outcome = "no-platform"
	// unsealed means that the session could not be sealed.
	unsealed outcome = "unsealed"
	// faulty means an error of the server.
	faulty outcome = "failed"
)

// refusedBy is the outcome of a reason of the posture.
func refusedBy(reason posture.Reason) outcome { return outcome(reason.String()) }

// refusedAs is the outcome of an error of package signon.
func refusedAs(err error) outcome {
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) {
		return faulty
	}
	return outcome(refusal.Reason.String())
}

// countSignIns counts the outcomes of attempts to sign in.
func (s *server) countSignIns(by signInMethod, attempt func(*visit) (response, outcome)) handler {
	return func(v *visit) response {
		r, result := attempt(v)
		if result != inProgress {
			s.Metrics.SignIn(s.Listener, string(by), string(result))
		}
		return r
	}
}
