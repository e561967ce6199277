// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// sharedSecrets are those of one sender or webhook.
type sharedSecrets []sharedSecret

type sharedSecret struct {
	name string
	// reveal is a function for the reason that Bundle gives.
	reveal  func() credential.Secret
	trouble string
	window  window
	// never is set when the times make no sense.
	never bool
}

// sharedSecretsOf joins the times of a specification with the values of a bundle.
func sharedSecretsOf(specs []v1alpha1.SharedSecret, bundle Bundle, slot func(*v1alpha1.SharedSecret) secretSlot) sharedSecrets {
	out := make(sharedSecrets, 0, len(specs))
	for i := range specs {
		spec := &specs[i]
		entry := bundle.lookup(slot(spec))
		one := sharedSecret{name: spec.Name, trouble: entry.trouble, reveal: func() credential.Secret { return entry.value }}
		if spec.NotBefore != nil {
			one.window.from = spec.NotBefore.Time
		}
		if spec.NotAfter != nil {
			one.window.until = spec.NotAfter.Time
			// A zero end would read as an open one.
			one.never = spec.NotAfter.IsZero()
		}
		out = append(out, one)
	}
	return out
}

// valid reports whether the secret counts. A value that is absent without
// trouble is one whose time was over when the bundle was made; nothing must be
// verified or signed with it, whatever the times say by now.
func (s *sharedSecret) valid(now time.Time) bool {
	return s.trouble == "" && !s.never && s.window.contains(now) && s.reveal() != ""
}

// active are the names of the secrets that count now.
func (all sharedSecrets) active(now time.Time) []string {
	var names []string
	for i := range all {
		if one := &all[i]; one.valid(now) {
			names = append(names, one.name)
		}
	}
	return names
}

// values are those of the secrets that count now.
func (all sharedSecrets) values(now time.Time) []credential.Secret {
	var values []credential.Secret
	for i := range all {
		if one := &all[i]; one.valid(now) {
			values = append(values, one.reveal())
		}
	}
	return values
}

// begins is the first instant after now at which a secret begins to count; zero
// if none will.
func (all sharedSecrets) begins(now time.Time) time.Time {
	var first time.Time
	for i := range all {
		if one := &all[i]; one.valid(one.window.from) {
			first = soonest(now, first, one.window.from)
		}
	}
	return first
}

// next is the first instant after now at which another secret counts.
func (all sharedSecrets) next(now time.Time) time.Time {
	var next time.Time
	for i := range all {
		next = soonest(now, next, all[i].window.next(now))
	}
	return next
}
