// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Rollout returns the ID of the rollout of a capability.
func Rollout(capability string) ID { return ID{v1alpha1.KindCapabilityRollout, capability} }

// stages are the stages in the order of promotion.
var stages = []v1alpha1.Stage{v1alpha1.StageDisabled, v1alpha1.StageSandbox, v1alpha1.StagePrivateBeta, v1alpha1.StageLive}

// Promote raises the stage to the next one for a new change request.
func Promote(change v1alpha1.Change) Patch {
	return onRollout(func(spec v1alpha1.CapabilityRolloutSpec) (map[string]any, error) {
		at := slices.Index(stages, spec.Stage)
		if at == len(stages)-1 {
			return nil, errors.New("the stage is Live, which is the highest")
		}
		return stagePatch(stages[at+1], change), nil
	})
}

// Abort lowers the stage for a new change request: to the given stage, or if it is empty to the one
// below, where PrivateBeta needs an audience. It removes the ramp, so that a later promotion does not continue with it.
func Abort(to v1alpha1.Stage, change v1alpha1.Change) Patch {
	return onRollout(func(spec v1alpha1.CapabilityRolloutSpec) (map[string]any, error) {
		at := slices.Index(stages, spec.Stage)
		if to == "" && at > 0 {
			to = stages[at-1]
			if a := spec.Audience; to == v1alpha1.StagePrivateBeta && (a == nil || len(a.Partners) == 0 && a.Selector == nil) {
				to = v1alpha1.StageSandbox
			}
		}
		if next := slices.Index(stages, to); next < 0 || next >= at {
			return nil, fmt.Errorf("the stage is %s, so there is no lower stage %s to abort to", spec.Stage, to)
		}
		patch := stagePatch(to, change)
		switch s := spec.Schedule; {
		case s == nil || s.Ramp == nil:
		case s.NotBefore == nil && s.NotAfter == nil && s.Freezes == nil:
			patch["schedule"] = nil // a schedule has at least one member
		default:
			patch["schedule"] = map[string]any{"ramp": nil}
		}
		return patch, nil
	})
}

func stagePatch(to v1alpha1.Stage, change v1alpha1.Change) map[string]any {
	patch := map[string]any{"ticket": change.Ticket, "approvedBy": nil}
	if change.ApprovedBy != "" {
		patch["approvedBy"] = change.ApprovedBy
	}
	return map[string]any{"stage": string(to), "change": patch}
}

// Kill engages the kill switch.
func Kill(reason string) Patch {
	return func(Object) (map[string]any, error) {
		return map[string]any{"killSwitch": map[string]any{"state": string(v1alpha1.KillSwitchEngaged), "reason": reason}}, nil
	}
}

// HoldSchedule holds the schedule from now on. An earlier hold stays.
func HoldSchedule(reason string, now time.Time) Patch {
	return onRollout(func(spec v1alpha1.CapabilityRolloutSpec) (map[string]any, error) {
		if h := spec.Hold; h != nil {
			return nil, fmt.Errorf("the schedule is held since %s: %s", h.Since.UTC().Format(time.RFC3339), h.Reason)
		}
		return map[string]any{"hold": map[string]any{"since": metav1.NewTime(now).UTC().Format(time.RFC3339), "reason": reason}}, nil
	})
}

// Released names what [Release] ends.
type Released string

// The state that Release ends.
const (
	ReleaseKillSwitch Released = "kill-switch"
	ReleaseHold       Released = "hold"
)

// Release releases the kill switch or ends the hold. Without a choice, it ends the only one that is in
// force.
func Release(what Released) Patch {
	return onRollout(func(spec v1alpha1.CapabilityRolloutSpec) (map[string]any, error) {
		killed, held := spec.KillSwitch != nil && spec.KillSwitch.State != v1alpha1.KillSwitchReleased, spec.Hold != nil
		switch {
		case what == "" && killed && held:
			return nil, errors.New("the kill switch is engaged and the schedule is held: choose one with --only kill-switch or --only hold")
		case killed && what != ReleaseHold:
			return map[string]any{"killSwitch": nil}, nil
		case held && what != ReleaseKillSwitch:
			return map[string]any{"hold": nil}, nil
		default:
			return nil, errors.New("neither a kill switch nor a hold is in force that this would end")
		}
	})
}

func onRollout(patch func(v1alpha1.CapabilityRolloutSpec) (map[string]any, error)) Patch {
	return func(current Object) (map[string]any, error) {
		var o v1alpha1.CapabilityRollout
		if err := current.Decode(&o); err != nil {
			return nil, err
		}
		return patch(o.Spec)
	}
}
