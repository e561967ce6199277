// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Reading holds the objects that a user has read, which may lack some Secrets.
type Reading struct {
	Inputs posture.Inputs
	// Unread names the Secrets that the user may not read.
	Unread []string
	// Locate finds fields in the manifests; nil without manifests.
	Locate Locator
}

// WithoutSecrets returns a reading of objects whose Secrets are all unread.
func WithoutSecrets(in posture.Inputs) Reading {
	r := Reading{Inputs: in}
	unread := func(secrets []v1alpha1.SharedSecret) {
		for _, s := range secrets {
			r.Unread = append(r.Unread, s.SecretRef.Name)
		}
	}
	for i := range in.Senders {
		unread(in.Senders[i].Spec.Secrets)
	}
	for i := range in.Partners {
		for _, h := range in.Partners[i].Spec.Webhooks {
			unread(h.Secrets)
		}
	}
	slices.Sort(r.Unread)
	r.Unread = slices.Compact(r.Unread)
	return r
}

// reasonUnread replaces the reason of a condition that blames an unread Secret.
const reasonUnread = "SecretUnread"

// Report evaluates the objects. It blames no object for an unread Secret, and has
// no revision if there is one, because the revision depends on its value.
func (r *Reading) Report(s *posture.Snapshot, now time.Time) posture.Report {
	report := s.Report(now)
	if len(r.Unread) == 0 {
		return report
	}
	report.Revision = ""
	affected := map[posture.ObjectName]bool{}
	for i := range r.Inputs.Senders {
		o := &r.Inputs.Senders[i]
		affected[posture.ObjectName{Namespace: o.Namespace, Name: o.Name}] = r.lacks(o.Spec.Secrets)
	}
	for i := range report.Senders {
		if s := &report.Senders[i]; affected[posture.ObjectName{Namespace: s.Namespace, Name: s.Name}] {
			s.ActiveSecrets = nil
			unknownSecrets(s.Conditions)
		}
	}
	clear(affected)
	for i := range r.Inputs.Partners {
		o := &r.Inputs.Partners[i]
		affected[posture.ObjectName{Namespace: o.Namespace, Name: o.Name}] = slices.ContainsFunc(o.Spec.Webhooks,
			func(h v1alpha1.Webhook) bool { return r.lacks(h.Secrets) })
	}
	for i := range report.Partners {
		if p := &report.Partners[i]; affected[posture.ObjectName{Namespace: p.Namespace, Name: p.Name}] {
			unknownSecrets(p.Conditions)
		}
	}
	return report
}

// lacks reports whether one of the secrets is in an unread Secret.
func (r *Reading) lacks(secrets []v1alpha1.SharedSecret) bool {
	return slices.ContainsFunc(secrets, func(s v1alpha1.SharedSecret) bool { return slices.Contains(r.Unread, s.SecretRef.Name) })
}

// unknownSecrets marks the conditions about missing Secrets as unknown.
func unknownSecrets(conditions []posture.Condition) {
	for i := range conditions {
		if c := &conditions[i]; c.Reason == v1alpha1.ReasonSecretNotFound {
			c.Status, c.Reason, c.Message = "Unknown", reasonUnread, "You are not allowed to read the Secret."
		}
	}
}
