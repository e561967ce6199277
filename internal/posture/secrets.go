// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// sharedSecrets holds the secrets of one sender or webhook.
type sharedSecrets []sharedSecret

type sharedSecret struct {
	name string
	ref  v1alpha1.SecretKeyReference
	// reveal is a function so that fmt cannot print the value; see Bundle.
	reveal  func() credential.Secret
	trouble string
	window  window
	// never means that the validity period is invalid.
	never bool
}

// sharedSecretsOf joins the validity periods of a specification with the values of a
// bundle.
func sharedSecretsOf(specs []v1alpha1.SharedSecret, bundle Bundle, slot func(*v1alpha1.SharedSecret) secretSlot) sharedSecrets {
	out := make(sharedSecrets, 0, len(specs))
	for i := range specs {
		spec := &specs[i]
		entry := bundle.lookup(slot(spec))
		one := sharedSecret{name: spec.Name, ref: spec.SecretRef, trouble: entry.trouble, reveal: func() credential.Secret { return entry.value }}
		if spec.NotBefore != nil {
			one.window.from = spec.NotBefore.Time
		}
		if spec.NotAfter != nil {
			one.window.until = spec.NotAfter.Time
			// A zero end would count as an open end.
			one.never = spec.NotAfter.IsZero()
		}
		out = append(out, one)
	}
	return out
}

// valid reports whether the secret may be used at a time. A value that is absent
// without trouble had expired when the bundle was built. It must not verify or sign
// anything, even if the period has been extended since.
func (s *sharedSecret) valid(now time.Time) bool {
	return s.trouble == "" && !s.never && s.window.contains(now) && s.reveal() != ""
}

// active returns the names of the secrets that are valid now.
func (all sharedSecrets) active(now time.Time) []string {
	var names []string
	for i := range all {
		if one := &all[i]; one.valid(now) {
			names = append(names, one.name)
		}
	}
	return names
}

// values returns the secrets that are valid now.
func (all sharedSecrets) values(now time.Time) []credential.Secret {
	var values []credential.Secret
	for i := range all {
		if one := &all[i]; one.valid(now) {
			values = append(values, one.reveal())
		}
	}
	return values
}

// begins returns the first instant after now at which a secret becomes valid; zero if
// there is none.
func (all sharedSecrets) begins(now time.Time) time.Time {
	var first time.Time
	for i := range all {
		if one := &all[i]; one.valid(one.window.from) {
			first = soonest(now, first, one.window.from)
		}
	}
	return first
}

// next returns the first instant after now at which the set of valid secrets may
// change; zero if there is none.
func (all sharedSecrets) next(now time.Time) time.Time {
	var next time.Time
	for i := range all {
		next = soonest(now, next, all[i].window.next(now))
	}
	return next
}
