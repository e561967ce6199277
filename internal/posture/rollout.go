// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// rollout is the compiled rollout of one capability. The zero value is a capability
// without a rollout.
type rollout struct {
	identity
	capability Capability
	object     *v1alpha1.CapabilityRollout
	declared   bool
	// fault is the condition reason of an invalid object; empty for a valid object.
	fault   string
	stage   Posture
	ceiling Posture
	killed  bool
	window  window
	// ramp is in ascending order. Without a ramp the whole audience is admitted.
	ramp []step
	// stopped is whether a hold keeps the window from beginning.
	stopped bool
	// dependsOn are the capabilities that the spec names, and needs the rollouts of these and of
	// all that they need.
	dependsOn []Capability
	needs     []*rollout
	// withheld are the steps that the analysis does not allow, in ascending order.
	withheld []step
}

// step is one step of a ramp. It begins at the instant from, which is later than its time in the
// schedule if that time is within a freeze or before the end of an analysis.
type step struct {
	at, from time.Time
	percent  uint8
}

// window is a span of time that includes from and excludes until. A zero bound is open.
type window struct{ from, until time.Time }

func (w window) contains(now time.Time) bool {
	return !now.Before(w.from) && (w.until.IsZero() || now.Before(w.until))
}

// next returns the first bound of the window after now; zero if there is none.
func (w window) next(now time.Time) time.Time { return soonest(now, w.from, w.until) }

func (s *Snapshot) compileRollouts(entries []*entry[*rollout]) {
	for c := range Capabilities() {
		s.rollouts[c].capability, s.rollouts[c].ceiling = c, registry[c].Ceiling
	}
	s.declared = make([]*rollout, 0, len(entries))
	for _, e := range entries {
		s.declared = append(s.declared, new(*e.part))
	}
	for _, r := range s.declared {
		if r.capability == NoCapability {
			continue
		}
		slot := &s.rollouts[r.capability]
		if !slot.declared {
			*slot = *r
			continue
		}
		slot.fault = v1alpha1.ReasonDuplicateCapability
	}
	for _, r := range s.declared {
		if slot := &s.rollouts[r.capability]; slot.fault == v1alpha1.ReasonDuplicateCapability {
			r.fault = slot.fault
		}
	}
	s.joinDependencies()
}

func (c *Compiler) newRollout(o *v1alpha1.CapabilityRollout) *rollout {
	r := newRollout(o)
	r.identity = c.encoder.rollout(o)
	return r
}

// newRollout compiles one object. Content that the schema would reject makes the object
// invalid: the object may have been stored before the schema was installed.
func newRollout(o *v1alpha1.CapabilityRollout) *rollout {
	r := &rollout{object: o, declared: true}
	capability, known := ParseCapability(string(o.Spec.Capability))
	stage, valid := parseStage(string(o.Spec.Stage))
	r.capability, r.stage, r.ceiling = capability, stage, registry[capability].Ceiling
	if !known || !valid || o.Name != string(o.Spec.Capability) || !r.schedule(o) || !r.hold(o.Spec.Hold) || !r.depend(o.Spec.DependsOn) || !validAudience(stage, o.Spec.Audience) {
		r.fault = v1alpha1.ReasonInvalidSpec
	}
	// Any state except Released counts as engaged.
	r.killed = o.Spec.KillSwitch != nil && o.Spec.KillSwitch.State != v1alpha1.KillSwitchReleased
	return r
}

// schedule reads the schedule as far as the analysis allows it, and reports whether it is valid.
func (r *rollout) schedule(o *v1alpha1.CapabilityRollout) bool {
	s := o.Spec.Schedule
	if s == nil {
		return true
	}
	if s.NotBefore != nil {
		r.window.from = s.NotBefore.Time
	}
	if s.NotAfter != nil {
		r.window.until = s.NotAfter.Time
		if s.NotAfter.IsZero() || !r.window.from.Before(r.window.until) {
			return false
		}
	}
	if s.Ramp != nil && len(s.Ramp) == 0 {
		return false
	}
	for _, one := range s.Ramp {
		if one.Percent < 1 || one.Percent > 100 || one.At.IsZero() {
			return false
		}
		r.ramp = append(r.ramp, step{one.At.Time, one.At.Time, uint8(one.Percent)})
	}
	slices.SortFunc(r.ramp, func(a, b step) int { return a.at.Compare(b.at) })
	for i := 1; i < len(r.ramp); i++ {
		if r.ramp[i].percent <= r.ramp[i-1].percent || !r.ramp[i].at.After(r.ramp[i-1].at) {
			return false
		}
	}
	if o.Spec.Analysis != nil && len(r.ramp) > 0 {
		r.analyse(o.Spec.Analysis, o.Status.Analysis)
	}
	return r.freeze(s.Freezes)
}

// freeze moves what begins within a freeze to its end, and reports whether the freezes are valid.
func (r *rollout) freeze(freezes []v1alpha1.Freeze) bool {
	for _, f := range freezes {
		if f.From.IsZero() || !f.From.Before(&f.Until) {
			return false
		}
	}
	// The end of a freeze can be within a later one.
	byStart := slices.SortedFunc(slices.Values(freezes), func(a, b v1alpha1.Freeze) int { return a.From.Compare(b.From.Time) })
	for _, f := range byStart {
		move := func(at *time.Time) {
			if !at.Before(f.From.Time) && at.Before(f.Until.Time) {
				*at = f.Until.Time
			}
		}
		move(&r.window.from)
		for i := range r.ramp {
			move(&r.ramp[i].from)
		}
		for i := range r.withheld {
			move(&r.withheld[i].from)
		}
	}
	return true
}

// hold removes what the schedule would open after the hold began, and reports whether the
// hold is valid. The rest of the schedule then depends on the clock alone, as without a hold.
func (r *rollout) hold(h *v1alpha1.Hold) bool {
	if h == nil {
		return true
	}
	if h.Since.IsZero() {
		return false
	}
	r.stopped = r.window.from.After(h.Since.Time)
	if len(r.ramp) > 0 {
		r.ramp = slices.DeleteFunc(r.ramp, func(s step) bool { return s.from.After(h.Since.Time) })
		if len(r.ramp) == 0 {
			r.ramp = []step{{}} // the ramp admits no share
		}
	}
	return true
}

// percent returns the admitted share of the audience at a time. It depends on the spec
// and the clock only, so every replica computes the same value.
func (r *rollout) percent(now time.Time) uint8 {
	if len(r.ramp) == 0 {
		return 100
	}
	var percent uint8
	for i := range r.ramp {
		if now.Before(r.ramp[i].from) {
			break
		}
		percent = r.ramp[i].percent
	}
	return percent
}

// admission returns the first instant at which the schedule admits a bucket; zero if it
// never does.
func (r *rollout) admission(live bool, bucket uint8) time.Time {
	if !live || len(r.ramp) == 0 {
		return r.window.from
	}
	for i := range r.ramp {
		if r.ramp[i].percent > bucket {
			if r.ramp[i].from.After(r.window.from) {
				return r.ramp[i].from
			}
			return r.window.from
		}
	}
	return time.Time{}
}

// closed returns the reason why the capability is closed for every partner; ReasonOpen
// if it is not.
func (r *rollout) closed(now time.Time) Reason {
	return query{now: now, rollout: r}.reason(phaseClosed)
}

// posture returns the effective posture of the capability at a time.
func (r *rollout) posture(now time.Time) Posture {
	stage := r.alone(now)
	for _, needed := range r.needs {
		stage = min(stage, needed.alone(now))
	}
	return stage
}

// alone returns the effective posture without that of the needed rollouts.
func (r *rollout) alone(now time.Time) Posture {
	if r.closed(now) != ReasonOpen {
		return Disabled
	}
	return r.stage
}

// next returns the first instant after now at which the schedule changes something;
// zero if there is none.
func (r *rollout) next(now time.Time) time.Time {
	next := r.nextAlone(now)
	for _, needed := range r.needs {
		next = soonest(now, next, needed.nextAlone(now))
	}
	return next
}

// nextAlone is next without the needed rollouts.
func (r *rollout) nextAlone(now time.Time) time.Time {
	next := r.window.next(now)
	if r.stopped {
		next = soonest(now, r.window.until)
	}
	for i := range r.ramp {
		next = soonest(now, next, r.ramp[i].from)
	}
	return next
}

// soonest returns the earliest of the times after now; zero if there is none.
func soonest(now time.Time, times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if t.After(now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// pair returns the facts about a partner and the rollout.
func (r *rollout) pair(o *v1alpha1.PartnerEntitlement) (out pair) {
	if r.declared {
		out.membership = membershipOf(r.object, o)
	}
	if len(r.ramp) > 0 {
		out.bucket = bucket(r.capability, o.Spec.OrganizationID)
	}
	return out
}

// bucket assigns an organization to one of a hundred buckets of a capability,
// permanently. The hash leaves out the object's name, so that renaming the object does
// not change the bucket.
func bucket(capability Capability, organization string) uint8 {
	var stack [96]byte
	text := append(stack[:0], registry[capability].Name...)
	text = append(text, 0)
	text = append(text, organization...)
	sum := sha256.Sum256(text)
	// The upper half of the product maps the hash to 0..99 without the bias and
	// the rounding of a remainder or a floating-point number.
	high, _ := bits.Mul64(binary.BigEndian.Uint64(sum[:8]), 100)
	return uint8(high) // at most 99
}

// PlanPoint is the share of the audience, in percent, that a rollout's schedule admits
// from an instant on. The first point of a plan starts at the zero time.
type PlanPoint struct {
	From    time.Time
	Percent uint8
}

// Plan returns the schedule of a rollout as if nothing else closed it. Outside its
// window the share is zero; inside, the share follows the steps of the ramp. Plan is
// empty for a missing or invalid object.
func (s *Snapshot) Plan(name ObjectName) []PlanPoint {
	if s == nil {
		return nil
	}
	for _, r := range s.declared {
		if r.object.Namespace == name.Namespace && r.object.Name == name.Name {
			return r.plan()
		}
	}
	return nil
}

// plan returns the points of [Snapshot.Plan].
func (r *rollout) plan() []PlanPoint {
	if r.fault != "" {
		return nil
	}
	percent := func(at time.Time) uint8 {
		if r.stopped || !r.window.contains(at) {
			return 0
		}
		return r.percent(at)
	}
	plan := []PlanPoint{{Percent: percent(time.Time{})}}
	for at := r.next(time.Time{}); !at.IsZero(); at = r.next(at) {
		if p := percent(at); p != plan[len(plan)-1].Percent {
			plan = append(plan, PlanPoint{at, p})
		}
	}
	return plan
}
