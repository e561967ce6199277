// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Soon is the period before an end in which the platform warns of the end.
const Soon = 14 * 24 * time.Hour

// Part is the kind of a part of an object that can end.
type Part string

// The parts of objects that can end.
const (
	PartContract    Part = "contract"
	PartGrant       Part = "grant"
	PartKey         Part = "key"
	PartCertificate Part = "certificate"
	PartSecret      Part = "secret"
	PartSchedule    Part = "schedule"
)

// EndingParts returns the parts that can end, by the kinds of the objects that have them.
func EndingParts() map[string][]Part {
	return map[string][]Part{
		v1alpha1.KindPartnerEntitlement: {PartContract, PartGrant, PartKey, PartCertificate, PartSecret},
		v1alpha1.KindCapabilityRollout:  {PartSchedule},
		v1alpha1.KindXJMFSender:         {PartSecret},
	}
}

// End is the instant from which a part of an object is no longer in force.
type End struct {
	Part Part
	// Name is the name of the part in its object; empty for a contract or a schedule.
	Name string
	At   time.Time
}

// String returns the part and its name, such as "key live-1".
func (e End) String() string { return strings.TrimSpace(string(e.Part) + " " + e.Name) }

// Soon reports whether the end is in the future, and at most [Soon] from now.
func (e End) Soon(now time.Time) bool { return e.At.After(now) && !e.At.After(now.Add(Soon)) }

// PartnerEnds returns the ends of a partner's contract, grants, certificates, keys that are not revoked,
// and webhook secrets.
func PartnerEnds(o *v1alpha1.PartnerEntitlement) []End {
	var ends []End
	if o.Spec.Contract != nil {
		ends = addEnd(ends, PartContract, "", o.Spec.Contract.EffectiveUntil)
	}
	for i := range o.Spec.Capabilities {
		ends = addEnd(ends, PartGrant, string(o.Spec.Capabilities[i].Name), o.Spec.Capabilities[i].NotAfter)
	}
	for i := range o.Spec.Keys {
		if key := &o.Spec.Keys[i]; key.State != v1alpha1.KeyStateRevoked {
			ends = addEnd(ends, PartKey, key.Name, key.ExpiresAt)
		}
	}
	for i := range o.Spec.ClientCertificates {
		ends = addEnd(ends, PartCertificate, o.Spec.ClientCertificates[i].Name, o.Spec.ClientCertificates[i].NotAfter)
	}
	for i := range o.Spec.Webhooks {
		ends = append(ends, secretEnds(o.Spec.Webhooks[i].Name+"/", o.Spec.Webhooks[i].Secrets)...)
	}
	return ends
}

// RolloutEnds returns the end of a rollout's schedule.
func RolloutEnds(o *v1alpha1.CapabilityRollout) []End {
	if o.Spec.Schedule == nil {
		return nil
	}
	return addEnd(nil, PartSchedule, "", o.Spec.Schedule.NotAfter)
}

// SenderEnds returns the ends of a sender's secrets.
func SenderEnds(o *v1alpha1.XJMFSender) []End { return secretEnds("", o.Spec.Secrets) }

// secretEnds returns the ends of secrets after which no secret is valid. While another secret takes
// over, a rotation goes as planned.
func secretEnds(prefix string, secrets []v1alpha1.SharedSecret) []End {
	var ends []End
	for i := range secrets {
		end := secrets[i].NotAfter
		if end == nil || slices.ContainsFunc(secrets, func(s v1alpha1.SharedSecret) bool {
			return (s.NotBefore == nil || !s.NotBefore.After(end.Time)) && (s.NotAfter == nil || s.NotAfter.After(end.Time))
		}) {
			continue
		}
		ends = addEnd(ends, PartSecret, prefix+secrets[i].Name, end)
	}
	return ends
}

func addEnd(ends []End, part Part, name string, at *metav1.Time) []End {
	if at == nil {
		return ends
	}
	return append(ends, End{part, name, at.Time})
}

// endsSoonCondition names the parts of an object that end soon, the next one first.
func endsSoonCondition(ends []End, now time.Time) Condition {
	ends = slices.DeleteFunc(ends, func(e End) bool { return !e.Soon(now) })
	if len(ends) == 0 {
		return Condition{v1alpha1.ConditionEndsSoon, "False", v1alpha1.ReasonNothingEnds, "Nothing ends within 14 days."}
	}
	slices.SortStableFunc(ends, func(a, b End) int { return a.At.Compare(b.At) })
	var named []string
	for _, e := range ends {
		named = append(named, fmt.Sprintf("%s at %s", e, e.At.UTC().Format(time.RFC3339)))
	}
	return Condition{v1alpha1.ConditionEndsSoon, "True", v1alpha1.ReasonEndsSoon, fmt.Sprintf(
		"Warning: these end within 14 days: %s. Rotate keys, certificates and secrets; extend the others, or let them end.", FirstNames(named, maxNames))}
}

// nextWarning returns the first instant after now at which a part of an object begins to end soon, or
// a step of a ramp begins to wait for an analysis; zero if there is none.
func (s *Snapshot) nextWarning(now time.Time) time.Time {
	var next time.Time
	consider := func(ends []End) {
		for _, e := range ends {
			next = soonest(now, next, e.At.Add(-Soon))
		}
	}
	for _, o := range s.declared {
		consider(RolloutEnds(o.object))
		for i := range o.withheld {
			next = soonest(now, next, o.withheld[i].from)
		}
	}
	for i := range s.partners {
		consider(PartnerEnds(s.partners[i].object))
	}
	for _, o := range s.senders {
		consider(SenderEnds(o.object))
	}
	return next
}
