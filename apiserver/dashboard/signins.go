// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"errors"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/signon"
)

// way is how somebody signs in, as metrics call it.
type way string

const (
	byKey      way = "key"
	byProvider way = "oidc"
)

// outcome is what comes of an attempt to sign in, as metrics call it: one of these, or
// the name of a reason why the posture or the identity provider refuses. It is a label,
// so the set is closed, and nothing in it is of the person or of the key.
type outcome string

const (
	// onItsWay is no outcome yet: the browser has gone to the identity provider.
	onItsWay outcome = ""
	signedIn outcome = "in"
	// tooMany means that the client, or its connection, has tried too often.
	tooMany outcome = "too-many"
	// unreadable means that the form could not be read.
	unreadable outcome = "unreadable"
	// withoutPlatform means that no organization is there for whom operators stand.
	withoutPlatform outcome = "no-platform"
	// unsealed means that no session could be made.
	unsealed outcome = "unsealed"
	// faulty means that the fault is ours.
	faulty outcome = "failed"
)

// refusedBy is the outcome of a reason of the posture.
func refusedBy(reason posture.Reason) outcome { return outcome(reason.String()) }

// refusedAs is the outcome of what package signon answers in place of a person.
func refusedAs(err error) outcome {
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) {
		return faulty
	}
	return outcome(refusal.Reason.String())
}

// counted is the action of an attempt to sign in, which counts what comes of it.
func (b *board) counted(by way, attempt func(*visit) (answer, outcome)) action {
	return func(v *visit) answer {
		a, came := attempt(v)
		if came != onItsWay {
			b.Metrics.SignIn(b.Listener, string(by), string(came))
		}
		return a
	}
}
