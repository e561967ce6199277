// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// encoder writes objects in an unambiguous form: numbers are self-delimiting, strings
// and lists have a length prefix. encoding/json would also work but takes longer than
// the whole compilation.
type encoder struct {
	buffer []byte
	// keys is the buffer for sorting label names.
	keys []string
}

func (e *encoder) reset(kind, namespace string) {
	e.buffer = e.buffer[:0]
	e.text(kind)
	e.text(namespace)
}

func (e *encoder) sum() [sha256.Size]byte { return sha256.Sum256(e.buffer) }

// revision returns the first digits of the sum.
func (e *encoder) revision() string {
	sum := e.sum()
	return hex.EncodeToString(sum[:6])
}

// encodeHashes encodes the hashes of objects in order of precedence.
func encodeHashes[P interface{ identified() *identity }](e *encoder, order []*entry[P]) {
	for _, one := range order {
		e.raw(one.part.identified().hash[:])
	}
}

func (e *encoder) raw(b []byte) { e.buffer = append(e.buffer, b...) }

func (e *encoder) number(n int64) { e.buffer = binary.AppendVarint(e.buffer, n) }

func (e *encoder) text(s string) {
	e.number(int64(len(s)))
	e.buffer = append(e.buffer, s...)
}

func (e *encoder) present(yes bool) bool {
	if yes {
		e.number(1)
	} else {
		e.number(0)
	}
	return yes
}

func (e *encoder) time(t time.Time) {
	e.number(t.Unix())
	e.number(int64(t.Nanosecond()))
}

func (e *encoder) optionalTime(t *metav1.Time) {
	if e.present(t != nil) {
		e.time(t.Time)
	}
}

func texts[S ~string](e *encoder, list []S) {
	e.number(int64(len(list)))
	for _, s := range list {
		e.text(string(s))
	}
}

func (e *encoder) labels(labels map[string]string) {
	e.number(int64(len(labels)))
	e.keys = e.keys[:0]
	for key := range labels {
		e.keys = append(e.keys, key)
	}
	slices.Sort(e.keys)
	for _, key := range e.keys {
		e.text(key)
		e.text(labels[key])
	}
}

func (e *encoder) rollout(o *v1alpha1.CapabilityRollout) identity {
	e.reset(v1alpha1.KindCapabilityRollout, o.Namespace)
	e.text(o.Name)
	e.time(o.CreationTimestamp.Time)
	e.text(string(o.Spec.Capability))
	e.text(string(o.Spec.Stage))
	e.text(o.Spec.Change.Ticket)
	e.text(o.Spec.Change.ApprovedBy)
	if a := o.Spec.Audience; e.present(a != nil) {
		texts(e, a.Partners)
		texts(e, a.Excluded)
		if e.present(a.Selector != nil) {
			s := a.Selector
			e.labels(s.MatchLabels)
			e.number(int64(len(s.MatchExpressions)))
			for i := range s.MatchExpressions {
				r := &s.MatchExpressions[i]
				e.text(r.Key)
				e.text(string(r.Operator))
				texts(e, r.Values)
			}
		}
	}
	if s := o.Spec.Schedule; e.present(s != nil) {
		e.optionalTime(s.NotBefore)
		e.optionalTime(s.NotAfter)
		e.present(s.Ramp != nil)
		e.number(int64(len(s.Ramp)))
		for _, step := range s.Ramp {
			e.time(step.At.Time)
			e.number(int64(step.Percent))
		}
	}
	if k := o.Spec.KillSwitch; e.present(k != nil) {
		e.text(string(k.State))
		e.text(k.Reason)
	}
	if h := o.Spec.Hold; h != nil {
		e.text("hold")
		e.time(h.Since.Time)
		e.text(h.Reason)
	}
	if s := o.Spec.Schedule; s != nil {
		for i := range s.Freezes {
			e.text("freeze")
			e.time(s.Freezes[i].From.Time)
			e.time(s.Freezes[i].Until.Time)
			e.text(s.Freezes[i].Reason)
		}
	}
	if len(o.Spec.DependsOn) > 0 {
		e.text("dependsOn")
		texts(e, o.Spec.DependsOn)
	}
	if a := o.Spec.Analysis; a != nil {
		e.analysis(a)
		e.progress(AnalysisProgress(o.Status.Analysis))
	}
	return identity{&o.ObjectMeta, e.sum()}
}

func (e *encoder) analysis(a *v1alpha1.Analysis) {
	e.text("analysis")
	e.optionalTime(a.After)
	for _, n := range []int32{a.InitialDelaySeconds, a.IntervalSeconds, a.Count, a.Attempt} {
		e.number(int64(n))
	}
	e.text(string(a.OnFailure))
	e.number(int64(len(a.Queries)))
	for i := range a.Queries {
		q := &a.Queries[i]
		e.text(q.Name)
		e.text(q.PromQL)
		texts(e, q.Stages)
		e.number(int64(len(q.Percents)))
		for _, percent := range q.Percents {
			e.number(int64(percent))
		}
		texts(e, []v1alpha1.Decimal{q.Success.AtLeast, q.Success.AtMost})
		if e.present(q.Failure != nil) {
			texts(e, []v1alpha1.Decimal{q.Failure.AtLeast, q.Failure.AtMost})
		}
	}
}

func (e *encoder) progress(s *v1alpha1.AnalysisStatus) {
	if !e.present(s != nil) {
		return
	}
	e.text(string(s.Stage))
	e.optionalTime(s.At)
	e.number(int64(s.Percent))
	e.number(int64(s.Attempt))
	e.text(string(s.Phase))
	e.time(s.Since.Time)
	e.text(s.Message)
}

func (e *encoder) partner(o *v1alpha1.PartnerEntitlement) identity {
	e.reset(v1alpha1.KindPartnerEntitlement, o.Namespace)
	e.text(o.Name)
	e.time(o.CreationTimestamp.Time)
	e.labels(o.Labels)
	e.text(o.Spec.OrganizationID)
	e.text(o.Spec.DisplayName)
	e.text(string(o.Spec.Package))
	e.text(string(o.Spec.State))
	if c := o.Spec.Contract; e.present(c != nil) {
		e.text(c.Reference)
		e.time(c.EffectiveFrom.Time)
		e.optionalTime(c.EffectiveUntil)
	}
	e.number(int64(len(o.Spec.Capabilities)))
	for i := range o.Spec.Capabilities {
		g := &o.Spec.Capabilities[i]
		e.text(string(g.Name))
		if e.present(g.Quota != nil) {
			e.number(g.Quota.Limit)
			e.number(int64(g.Quota.WindowSeconds))
		}
	}
	texts(e, o.Spec.Scopes)
	e.number(int64(len(o.Spec.Keys)))
	for i := range o.Spec.Keys {
		e.key(&o.Spec.Keys[i])
	}
	// Newer fields come last and encode to nothing if they are empty, so that
	// replicas of the previous version compute the same revision.
	for _, limit := range o.Spec.RateLimits {
		e.text(string(limit.Surface))
		e.number(limit.Requests)
		e.number(int64(limit.WindowSeconds))
	}
	if len(o.Spec.ClientCertificates) > 0 || o.Spec.RequireClientCertificate {
		spec := &o.Spec
		e.text("clientCertificates")
		e.present(spec.RequireClientCertificate)
		e.number(int64(len(spec.ClientCertificates)))
		for i := range spec.ClientCertificates {
			c := &spec.ClientCertificates[i]
			e.text(c.Name)
			e.text(c.SPKISHA256)
			e.optionalTime(c.NotAfter)
		}
	}
	for i := range o.Spec.Capabilities {
		if g := &o.Spec.Capabilities[i]; g.Workers != nil {
			e.text("workers")
			e.text(string(g.Name))
			e.number(int64(g.Workers.Weight))
			e.number(int64(g.Workers.MaxInFlight))
		}
	}
	for i := range o.Spec.Capabilities {
		g := &o.Spec.Capabilities[i]
		if g.NotBefore == nil && g.NotAfter == nil && g.Stage == "" {
			continue
		}
		e.text("grant")
		e.text(string(g.Name))
		e.optionalTime(g.NotBefore)
		e.optionalTime(g.NotAfter)
		e.text(string(g.Stage))
	}
	for i := range o.Spec.Webhooks {
		e.webhook(&o.Spec.Webhooks[i])
	}
	for i := range o.Spec.Capabilities {
		if g := &o.Spec.Capabilities[i]; len(g.Profiles) > 0 {
			e.text("profiles")
			e.text(string(g.Name))
			texts(e, g.Profiles)
		}
	}
	if revived := RevivedKeys(o); len(revived) > 0 {
		e.text("revived")
		texts(e, revived)
	}
	e.stateReason("", o.Spec.StateReason)
	for i := range o.Spec.Keys {
		e.stateReason(o.Spec.Keys[i].Name, o.Spec.Keys[i].StateReason)
	}
	return identity{&o.ObjectMeta, e.sum()}
}

// stateReason encodes the reason of a state; nothing without one.
func (e *encoder) stateReason(of, reason string) {
	if reason != "" {
		e.text("stateReason")
		e.text(of)
		e.text(reason)
	}
}

func (e *encoder) key(k *v1alpha1.APIKey) {
	e.text(k.Name)
	e.text(string(k.Kind))
	e.text(k.SHA256)
	e.text(string(k.State))
	e.optionalTime(k.ExpiresAt)
	if e.present(k.Scopes != nil) {
		texts(e, k.Scopes)
	}
}

func (e *encoder) sender(o *v1alpha1.XJMFSender) identity {
	e.reset(v1alpha1.KindXJMFSender, o.Namespace)
	e.text(o.Name)
	e.time(o.CreationTimestamp.Time)
	e.text(o.Spec.SenderID)
	e.text(o.Spec.Partner)
	e.text(string(o.Spec.State))
	e.number(int64(o.Spec.ReplayWindowSeconds))
	e.text(string(o.Spec.Scheme))
	e.secrets(o.Spec.Secrets)
	// The default encodes to nothing, as in the previous version.
	if o.Spec.Mode != "" && o.Spec.Mode != v1alpha1.KeyKindLive {
		e.text("mode")
		e.text(string(o.Spec.Mode))
	}
	e.stateReason("", o.Spec.StateReason)
	return identity{&o.ObjectMeta, e.sum()}
}

func (e *encoder) webhook(w *v1alpha1.Webhook) {
	e.text("webhook")
	e.text(w.Name)
	e.text(string(w.Kind))
	e.text(w.URL)
	texts(e, w.Events)
	e.secrets(w.Secrets)
}

func (e *encoder) secrets(secrets []v1alpha1.SharedSecret) {
	e.number(int64(len(secrets)))
	for i := range secrets {
		secret := &secrets[i]
		e.text(secret.Name)
		e.text(secret.SecretRef.Name)
		e.text(secret.SecretRef.Key)
		e.optionalTime(secret.NotBefore)
		e.optionalTime(secret.NotAfter)
	}
}
